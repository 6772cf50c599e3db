"""The bench command: public evaluation protocols on data you bring."""

from argparse import Namespace
from pathlib import Path

from recollect import settings
from recollect.errors import InvalidInput
from recollect.ingest import gate
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session


def locomo(session: Session, given: Namespace) -> None:
    """LoCoMo: recall of evidence turns."""
    from recollect.surfaces.bench import locomo as protocol
    from recollect.surfaces.bench.run import measure

    measure(protocol, _options(session, given, "locomo", "*.json"))


def longmemeval(session: Session, given: Namespace) -> None:
    """LongMemEval: sessions and turns that hold the evidence."""
    from recollect.surfaces.bench import longmemeval as protocol
    from recollect.surfaces.bench.run import measure

    measure(protocol, _options(session, given, "longmemeval", "questions.jsonl"))


def extraction(session: Session, given: Namespace) -> None:  # noqa: ARG001
    """What the rules find of what people say of themselves."""
    from recollect.surfaces.bench.extraction import measure, to_judge

    if given.sample:
        to_judge(_root(given), given.sample, given.seed, given.source)
    else:
        measure(_root(given), given.json, None if given.samples is None else Path(given.samples))


def updates(session: Session, given: Namespace) -> None:
    """Whether the newest of several values answers."""
    from recollect.surfaces.bench.updates import measure

    measure(_root(given), given.json, session.embedder)


def contradictions(session: Session, given: Namespace) -> None:
    """How many contradictions are found, and how many of those found are ones."""
    from recollect.surfaces.bench.contradictions import measure

    measure(_root(given), given.json, session.embedder)


def context(session: Session, given: Namespace) -> None:
    """How much of the evidence is in a context."""
    from recollect.surfaces.bench.context import measure

    measure(
        _root(given), given.json, session.embedder, given.only, gate.count(given.every, "--every", 1, 10**6)
    )


def _root(given: Namespace) -> Path:
    """The folder with the data."""
    named = given.data or settings.load().bench_data
    if not named:
        raise InvalidInput("name the folder with the data: --data FOLDER, or set RECOLLECT_BENCH_DATA")
    return Path(named)


def _options(session: Session, given: Namespace, prefix: str, needs: str) -> Namespace:
    """The data folder itself, or the one of this protocol in it; the embedder from the global option."""
    from recollect.surfaces.bench.folders import folder_of

    given.data = folder_of(_root(given), prefix, needs)
    given.embedder = session.embedder
    return given


_DATA = argument("--data", help="the folder with the data; else RECOLLECT_BENCH_DATA")
_JSON = argument("--json", metavar="FILE", help="write the figures and their grounds to this file")
_ARGUMENTS = (
    _DATA,
    argument("--recipe", default="default", help="default, local (with a cross-encoder) or classic"),
    argument("--rerank-ms", type=float, help="time for the cross-encoder a query; else as much as it needs"),
    argument("--json", metavar="FILE", help="write a receipt for every question to this file"),
    flag("--no-baselines", "measure recollect only"),
)

COMMANDS = (
    Command("bench", None, "Measure recollect and baselines on public evaluation data.", parts=(
        Command("locomo", locomo, "LoCoMo: recall of evidence turns at 5, 10 and 20.", _ARGUMENTS),
        Command("longmemeval", longmemeval, "LongMemEval: evidence sessions and turns.", _ARGUMENTS),
        Command("extraction", extraction, "What the rules draw from messages, and how much of it is right.", (
            _DATA,
            _JSON,
            argument("--samples", metavar="FOLDER", help="judged samples, for precision"),
            argument("--sample", type=int, default=0, metavar="N", help="print N candidates to judge"),
            argument("--seed", type=int, default=21, help="the seed of that sample"),
            argument("--source", default="", choices=["", "personas", "locomo"], help="only from this set"),
        )),
        Command("updates", updates, "Whether the newest of several values answers.", (_DATA, _JSON)),
        Command("contradictions", contradictions, "Recall and precision of contradictions.", (_DATA, _JSON)),
        Command("context", context, "Evidence in contexts of 500 to 8,000 tokens, beside top-k.", (
            _DATA,
            _JSON,
            argument("--only", choices=["locomo", "longmemeval"], help="only this set"),
            argument("--every", type=int, default=1, metavar="N", help="only every n-th question"),
        )),
    )),
)  # fmt: skip
