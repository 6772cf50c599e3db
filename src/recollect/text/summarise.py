"""Summaries by choosing sentences: what the talk centres on, and what it tells in facts.

Each sentence scores by how much of the conversation's vocabulary it carries (centrality) and by its
density of names, numbers, dates and decisions; small talk, questions and sentences that lean on a
pronoun score less. The best are taken until the target is full, each costing more the more it
repeats what is already taken, and are told in their original order, whole, with the speaker named
where he changes.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.text.names import names
from recollect.text.sentences import split
from recollect.text.smalltalk import is_small_talk
from recollect.text.terms import STOP_WORDS, stem, words


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as a summary sees it; `speaker` is empty where nobody in particular speaks."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    """One sentence of a turn with what scoring needs."""

    speaker: str
    text: str
    place: int
    stems: frozenset[str]


_TELLING = re.compile(
    r"\b(?:decided|decision|chose|chosen|agreed|will use|switched|moved|migrated|replaced|fixed|"
    r"solved|resolved|root cause|because|deadline|must|never|always|prefers?|favou?rite|goal|plan|"
    r"finished|released|shipped|launched|started|lost|won|born|married|hired|promoted|diagnosed|"
    r"allergic|instead of|turned out|failed|broke|error|bug|issue|problem|my name is|i live|i work|"
    r"i'm a|i am a|due|by (?:monday|tuesday|wednesday|thursday|friday))\b"
)
_DATE = re.compile(
    r"\b(?:\d{4}|\d{1,2}(?:st|nd|rd|th)|yesterday|tomorrow|last|next|ago|january|february|march|"
    r"april|june|july|august|september|october|november|december|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday)\b"
)
_LEANING = re.compile(
    r"^\W*(?:it|that|this|they|those|these|he|she|which|there|yeah|yes|no|and|but|so|you)\b"
)
_OURS = re.compile(r"\b(?:i|my|we|our)\b")
_YOURS = re.compile(r"\b(?:you|your|let's)\b")
_NUMBER = re.compile(r"\d")
_LEAD = re.compile(
    r"^(?:(?i:oh|ah|aw+|wow|woah|hey|hi|hello|yeah|yes|yep|yup|haha|lol|well|ok|okay|so|thanks|"
    r"sure|"
    r"cool|nice|great|awesome|definitely|absolutely|totally|right)\b(?:[ ,]+[A-Z][a-z]+)?[,!.]\s*)+"
)
_MAX_SENTENCE = 600
_MAX_LINES = 5000


def estimate_tokens(text: str) -> int:
    """A cautious guess at the tokens of English text: one for each four characters, rounded up."""
    return -(-len(text) // 4)


def summarise(
    turns: Sequence[Turn | str],
    target_tokens: int,
    count: Callable[[str], int] = estimate_tokens,
) -> str:
    """The most telling sentences of a conversation, in order, within `target_tokens`.

    Where even the best sentence is longer than the target, the shortest telling one is given alone:
    a summary is never empty unless the text is, and never ends in the middle of a sentence.
    """
    lines = _lines(turns)
    if not lines:
        return ""
    score = _scores(lines)
    taken = _choose(lines, score, target_tokens, count)
    return _told(taken)


def _lines(turns: Sequence[Turn | str]) -> list[_Line]:
    lines: list[_Line] = []
    for turn in turns:
        speaker, text = (turn.speaker, turn.text) if isinstance(turn, Turn) else ("", turn)
        for sentence in split(text):
            if sentence.code or len(sentence.text) > _MAX_SENTENCE:
                continue
            body = _without_lead(sentence.text)
            stems = frozenset(stem(w) for w in words(body) if w not in STOP_WORDS)
            if stems:
                lines.append(_Line(speaker, body, len(lines), stems))
    return lines[-_MAX_LINES:]


def _without_lead(sentence: str) -> str:
    """The sentence without interjections in front, with a capital again."""
    body = _LEAD.sub("", sentence, count=1)
    if len(body) < 8:
        return sentence
    return body[0].upper() + body[1:]


def _scores(lines: list[_Line]) -> list[float]:
    """Centrality times usefulness for each line."""
    document: Counter[str] = Counter()
    for line in lines:
        document.update(line.stems)
    total = len(lines)
    weight = {
        s: math.log1p(n) * math.log((total + 1) / (n + 0.5)) if total > 2 else 1.0
        for s, n in document.items()
    }
    top = max(sum(max(weight[s], 0.0) for s in line.stems) / _spread(line) for line in lines) or 1.0
    return [
        (0.3 + sum(max(weight[s], 0.0) for s in line.stems) / _spread(line) / top) * _useful(line.text)
        for line in lines
    ]


def _spread(line: _Line) -> float:
    """A divisor that favours neither long nor very short sentences."""
    return math.pow(4 + len(line.stems), 0.7)


def _useful(text: str) -> float:
    """How likely a sentence tells something worth keeping, about 0.05 to 3."""
    low = text.lower().replace("’", "'")
    value = 1.0
    value += 0.35 * min(3, len(names(text)))
    value += 0.3 * bool(_NUMBER.search(low)) + 0.3 * bool(_DATE.search(low))
    value += 0.7 * bool(_TELLING.search(low))
    value += 0.3 * bool(_OURS.search(low)) - 0.4 * bool(_YOURS.search(low))
    if low.rstrip("\"'”’) ").endswith("?"):
        value *= 0.3
    if _LEANING.match(low):
        value *= 0.6
    if is_small_talk(text):
        value *= 0.15
    return value


def _choose(lines: list[_Line], score: list[float], target: int, count: Callable[[str], int]) -> list[_Line]:
    """Greedy choice with a price on repetition; the result is in original order."""
    left = target
    taken: list[_Line] = []
    covered: set[str] = set()
    speakers = {line.speaker for line in lines}
    open_lines = sorted(lines, key=lambda line: (-score[line.place - lines[0].place], line.place))
    best = score[open_lines[0].place - lines[0].place]
    for line in open_lines:
        worth = score[line.place - lines[0].place]
        fresh = len(line.stems - covered) / len(line.stems)
        if taken and (worth * fresh < 0.2 * best or fresh < 0.34):
            continue
        cost = count(line.text) + (count(line.speaker) + 1 if len(speakers) > 1 else 0) + 1
        if cost > left:
            continue
        taken.append(line)
        covered |= line.stems
        left -= cost
    if not taken:
        useful = [line for line in open_lines if not is_small_talk(line.text)] or open_lines
        taken = [min(useful[:10], key=lambda line: (len(line.text), line.place))]
    return sorted(taken, key=lambda line: line.place)


def _told(taken: list[_Line]) -> str:
    """The chosen sentences as running text, the speaker named where he changes."""
    parts: list[str] = []
    speaker = ""
    for line in taken:
        if line.speaker and line.speaker != speaker:
            parts.append(f"{line.speaker}: {line.text}")
        else:
            parts.append(line.text)
        speaker = line.speaker
    return " ".join(parts)
