"""The bench command: public evaluation protocols on data you bring."""

from argparse import Namespace
from pathlib import Path

from recollect import settings
from recollect.errors import InvalidInput
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


def _options(session: Session, given: Namespace, prefix: str, needs: str) -> Namespace:
    """The data folder itself, or the one of this protocol in it; the embedder from the global option."""
    named = given.data or settings.load().bench_data
    if not named:
        raise InvalidInput("name the folder with the data: --data FOLDER, or set RECOLLECT_BENCH_DATA")
    root = Path(named)
    folders = [root, *sorted(root.glob(f"{prefix}*"))]
    found = next((folder for folder in folders if any(folder.glob(needs))), None)
    if found is None:
        raise InvalidInput(f"{root} has no {needs}, nor a folder {prefix}* with one: see bench/README.md")
    given.data = found
    given.embedder = session.embedder
    return given


_ARGUMENTS = (
    argument("--data", help="the folder with the data; else RECOLLECT_BENCH_DATA"),
    argument("--recipe", default="default", help="default, local (with a cross-encoder) or classic"),
    argument("--rerank-ms", type=float, help="time for the cross-encoder a query; else as much as it needs"),
    argument("--json", metavar="FILE", help="write a receipt for every question to this file"),
    flag("--no-baselines", "measure recollect only"),
)

COMMANDS = (
    Command("bench", None, "Measure recollect and baselines on public evaluation data.", parts=(
        Command("locomo", locomo, "LoCoMo: recall of evidence turns at 5, 10 and 20.", _ARGUMENTS),
        Command("longmemeval", longmemeval, "LongMemEval: evidence sessions and turns.", _ARGUMENTS),
    )),
)  # fmt: skip
