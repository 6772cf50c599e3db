"""Episodes: the moments of a conversation worth telling, found from the words alone.

A decision, a solved problem, a breakthrough, an issue, a finished task, a change of direction. Each
reaches back to the turn that raised it (the question before a decision, the issue before its fix)
and names what it touched: commits, pull requests, records, files. Episodes that overlap become one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from recollect.ingest.rules.candidate import Said
from recollect.ingest.rules.guards import is_hypothesis, quotes_somebody
from recollect.text.levels import levels
from recollect.text.names import names
from recollect.text.sentences import split
from recollect.text.similarity import content
from recollect.text.smalltalk import is_small_talk

EpisodeKind = Literal[
    "decision made", "problem solved", "breakthrough", "issue identified", "task completed", "pivot"
]


@dataclass(frozen=True, slots=True)
class Episode:
    """One moment: turns `first` to `last` (both included), counted as the caller counts them."""

    kind: EpisodeKind
    title: str
    summary: str
    context: str
    participants: tuple[str, ...]
    outcome: str
    valence: float
    significance: float
    first: int
    last: int
    artifacts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sort:
    """How one kind of episode is recognised and weighed."""

    kind: EpisodeKind
    cue: re.Pattern[str]
    significance: float
    valence: float


def _sort(kind: EpisodeKind, cue: str, significance: float, valence: float) -> _Sort:
    return _Sort(kind, re.compile(cue, re.IGNORECASE), significance, valence)


_SORTS = [
    _sort(
        "pivot",
        r"\b(?:changed? (?:my|our) minds?|on second thought|start(?:ing)? over|scrap(?:ped|"
        r"ping)? the|"
        r"new direction|pivot(?:ed|ing)? to|abandon(?:ed|ing)?|(?:switch|migrat|mov|chang)(?:ed|"
        r"ing)"
        r" (?:[\w -]{2,30} )?from .{2,60} to|replac(?:ed|ing) .{2,60} with|"
        r"let'?s not .{2,60} (?:after all|instead))\b",
        0.6,
        0.0,
    ),
    _sort(
        "decision made",
        r"\b(?:(?:we|i|they|the team)(?:'ve| have| all| finally| just)* (?:decided|agreed|"
        r"settled on|"
        r"chose|opted|picked|voted)|(?:final |my |our |the )decision (?:is|was)|decision:|"
        r"let'?s go with|"
        r"(?:we|i)(?:'ll| will|'re| are) (?:go|going) with|went with|it'?s decided)\b",
        0.6,
        0.1,
    ),
    _sort(
        "breakthrough",
        r"\b(?:breakthrough|eureka|aha moment|finally (?:got|figured|cracked|understood|works?|"
        r"working)|"
        r"figured (?:it )?out|cracked it|major progress|huge progress|it all clicked|"
        r"game[- ]changer)\b",
        0.7,
        0.7,
    ),
    _sort(
        "problem solved",
        r"\b(?:(?:fixed|solved|resolved|patched|debugged)\b(?! yet)|(?:it|that|"
        r"everything) works now|"
        r"works? (?:now|again)|that did (?:it|the trick)|(?:the )?fix (?:is|was)|"
        r"no longer (?:fails|crashes)|"
        r"tests? (?:now )?pass(?:es|ed)?(?: again| now)?|root cause (?:is|was))",
        0.65,
        0.5,
    ),
    _sort(
        "task completed",
        r"\b(?:(?:i|we)(?:'ve| have| just| finally)* (?:finished|completed|shipped|released|"
        r"deployed|merged|"
        r"launched|submitted|published|graduated|delivered|wrapped up)|(?:is|are|was|were|has been|"
        r"have been) "
        r"(?:finished|completed|shipped|released|deployed|merged|launched|live|published)|"
        r"done with the)\b",
        0.55,
        0.5,
    ),
    _sort(
        "issue identified",
        r"\b(?:(?:found|hit|there(?:'s| is)|have|got|seeing|see) an? (?:\w+ )?(?:bug|problem|issue|"
        r"error|leak|"
        r"regression|outage|blocker|bottleneck)|(?:crash|fail|break|hang|time)(?:s|es|ed|"
        r"ing)? (?:on|with|in|when|after|out)|"
        r"(?:does|do|did|is|are)(?:n't| not) work(?:ing)?|traceback|exception|stack ?trace|(?:is|"
        r"are) (?:broken|failing|down)|"
        r"the (?:problem|issue|bug) is)\b",
        0.45,
        -0.5,
    ),
]  # fmt: skip
_UNDONE = re.compile(
    r"\b(?:not|never|n't|haven't|hasn't|isn't|wasn't|can't|couldn't|almost|nearly|soon|will|should|"
    r"need to|have to|trying to|going to|must|want to|try to|hope to)\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(r"let'?s|will go|'ll go|going with|decided", re.IGNORECASE)
_AGREES = re.compile(
    r"^\W*(?:yes|yeah|yep|agreed|perfect|great|sounds good|excellent|awesome|nice|good call|"
    r"makes sense|"
    r"congrat\w*|well done|confirmed|works for me|done|exactly|deal)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:finally|huge|critical|important|major|crucial|urgent|milestone|big|key|final)\b|!", re.I
)
_REASON = re.compile(r"\b(?:because|since|due to|so that|in order to|the reason)\b", re.IGNORECASE)
_GOOD = re.compile(
    r"\b(?:great|awesome|amazing|happy|love|excited|perfect|thrilled|proud|glad|relieved|success|"
    r"won|fast|"
    r"finally|congrat\w*|wonderful|excellent)\b",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:sad|angry|frustrat\w+|terrible|awful|worried|lost|fail\w*|crash\w*|broken|unfortunately|"
    r"slow|"
    r"stuck|annoy\w+|bad|worse|worst|outage|painful|sorry|died|urgent)\b",
    re.IGNORECASE,
)
_ARTIFACT = re.compile(
    r"\b(?:PR|MR|pull request|merge request|issue)\s?[#!]?\d{1,6}\b|(?<![\w&])#\d{1,6}\b|"
    r"\b(?!UTF-|ISO-|GPT-|SHA-|AES-|COVID-)[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|"
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\bv\d+\.\d+(?:\.\d+)?\b|"
    r"(?<![\w/.])(?:[\w.-]+/){1,8}[\w.-]+\.\w{1,6}\b|\b[\w-]+\.(?:py|js|ts|tsx|go|rs|java|rb|md|"
    r"sql|toml|ya?ml|json|sh|c|cpp|h|css|html)\b"
)
_REACH = {"decision made": 4, "pivot": 4, "problem solved": 12, "breakthrough": 6}
_SENTENCES_PER_TURN = 60


def detect(turns: Sequence[Said], first: int = 0) -> list[Episode]:
    """The episodes of a run of turns, in order; the first turn has the number `first`."""
    found: list[Episode] = []
    for place, turn in enumerate(turns):
        if turn.role in ("tool", "document", "import"):
            continue
        for sentence in split(turn.text)[:_SENTENCES_PER_TURN]:
            sort = _recognise(sentence.text) if not sentence.code else None
            if sort is not None:
                found.append(_episode(sort, sentence.text, turns, place, first))
    return _merged(found)


def _recognise(sentence: str) -> _Sort | None:
    """The kind of moment a sentence tells, unless it asks, supposes, denies or only plans one."""
    if len(sentence) > 500 or sentence.rstrip().endswith("?") or quotes_somebody(sentence):
        return None
    for sort in _SORTS:
        hit = sort.cue.search(sentence)
        if hit is None:
            continue
        undone = _UNDONE.search(sentence[max(0, hit.start() - 25) : hit.end()])
        if undone and sort.kind != "issue identified" and not _DECIDES.search(hit.group()):
            continue
        if is_hypothesis(sentence) or is_small_talk(sentence):
            return None
        return sort
    return None


def _episode(sort: _Sort, sentence: str, turns: Sequence[Said], place: int, first: int) -> Episode:
    begin, context = _raised(sort, sentence, turns, place)
    agreed = place + 1 < len(turns) and bool(_AGREES.match(turns[place + 1].text))
    involved = turns[begin : place + 1 + agreed]
    text = " ".join(turn.text for turn in involved)
    weight = sort.significance + 0.1 * agreed + 0.1 * bool(_REASON.search(sentence))
    weight += 0.1 * bool(_STRONG.search(sentence)) + 0.05 * bool(names(sentence)) + 0.05 * (begin < place)
    mood = sort.valence + 0.15 * (len(_GOOD.findall(sentence)) - len(_BAD.findall(sentence)))
    speaker = turns[place].name
    return Episode(
        sort.kind,
        f"{sort.kind.capitalize()}: {levels(sentence).brief}"[:120],
        f"{context} {speaker}: {sentence}".strip(),
        context,
        tuple(dict.fromkeys(turn.name for turn in involved)),
        sentence,
        round(max(-1.0, min(1.0, mood)), 2),
        round(min(1.0, weight), 2),
        first + begin,
        first + place + agreed,
        artifacts(text),
    )


def _raised(sort: _Sort, sentence: str, turns: Sequence[Said], place: int) -> tuple[int, str]:
    """The turn that raised the matter, and its words: a question, or an issue alike."""
    about = content(sentence)
    for back in range(place - 1, max(-1, place - 1 - _REACH.get(sort.kind, 0)), -1):
        for other in split(turns[back].text)[:_SENTENCES_PER_TURN]:
            if other.code or len(other.text) > 500:
                continue
            asks = sort.kind in ("decision made", "pivot") and other.text.endswith("?")
            issue = sort.kind in ("problem solved", "breakthrough") and _SORTS[-1].cue.search(other.text)
            shared = about & content(other.text)
            if (asks and (shared or back == place - 1)) or (issue and (shared or place - back <= 3)):
                return back, f"{turns[back].name}: {other.text}"
    return place, ""


def artifacts(text: str) -> tuple[str, ...]:
    """Commits, pull requests, records, versions and files named in a text, each once."""
    return tuple(dict.fromkeys(hit.group() for hit in _ARTIFACT.finditer(text[:100_000])))


def _merged(found: list[Episode]) -> list[Episode]:
    """Overlapping episodes as one, told by its most significant part."""
    kept: list[Episode] = []
    for episode in sorted(found, key=lambda e: (e.first, e.last)):
        if kept and episode.first <= kept[-1].last:
            kept[-1] = _union(kept[-1], episode)
        else:
            kept.append(episode)
    return kept


def _union(a: Episode, b: Episode) -> Episode:
    lead, other = (a, b) if a.significance >= b.significance else (b, a)
    if a.outcome in b.summary:
        summary = b.summary
    else:
        summary = a.summary if b.outcome in a.summary else f"{a.summary} {b.summary}"
    context = a.context or (a.outcome if a is not lead and a.outcome != lead.outcome else "") or b.context
    return replace(
        lead,
        summary=summary if len(summary) <= 1200 else lead.summary,
        context=context,
        participants=tuple(dict.fromkeys(a.participants + b.participants)),
        first=min(a.first, b.first),
        last=max(a.last, b.last),
        artifacts=tuple(dict.fromkeys(a.artifacts + b.artifacts)),
        significance=round(min(1.0, lead.significance + (0.05 if other.kind != lead.kind else 0.0)), 2),
    )
