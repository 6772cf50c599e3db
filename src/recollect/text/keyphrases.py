"""What a text is about: its key phrases, by the degree of their words (RAKE) with names kept whole.

A phrase is a run of telling words between stop words and punctuation. A word scores by how often
it comes and by the company it keeps; a phrase scores the mean of its words, more if it is long, and
more still if it is a name. Phrases that add little to better ones are dropped.
"""

import re
from collections import Counter
from collections.abc import Collection

from recollect.text.names import names
from recollect.text.sentences import split
from recollect.text.smalltalk import is_small_talk
from recollect.text.terms import STOP_WORDS, stem
from recollect.text.verbs import ADVERBS

_PIECE = re.compile(r"[^\W_]+(?:['’./+#-][^\W_]+)*[+#]*|[^\w\s]")
_MAX_WORDS = 3
_MAX_CHARS = 100_000
_WEAK = frozenset(
    """get gets got getting make makes made making go goes going went gone take takes took taking
    come comes came know knows knew think thinks thought want wants wanted need needs like likes
    liked love loved really thing things stuff lot lots bit way ways kind sort good great nice cool
    awesome amazing best better fun happy glad sure yes yeah yep no not okay ok well oh wow hey hi
    hello thanks thank please maybe actually also always never ever even still just much many one
    ones two today yesterday tomorrow now day days time times week year years people someone
    something anything everything nothing let lets let's i'm i've i'll i'd it's that's there's
    don't didn't doesn't can't couldn't won't isn't wasn't we're they're you're what's hear heard
    see saw seen look looks looking feel feels feeling felt say says said tell told try tried trying
    use used using keep start started new old big little us sounds sound hope wait back around
    bet gonna wanna definitely totally super pretty quite since find found put help helps work
    works working talk face must remember
    imagine together without far last next soon yet sometime lost moves towards every
    bring brings give gives giving""".split()
)


def keyphrases(text: str, limit: int = 5, ignore: Collection[str] = ()) -> list[str]:
    """The most telling phrases, best first, as written; `ignore` names who merely speaks."""
    text = text[:_MAX_CHARS]
    phrases = _phrases(text, {word.lower() for name in ignore for word in name.split()})
    if not phrases:
        return []
    count: Counter[str] = Counter()
    degree: Counter[str] = Counter()
    for phrase in phrases:
        stems = [stem(word.lower()) for word in phrase]
        for each in stems:
            count[each] += 1
            degree[each] += len(stems)
    written: dict[tuple[str, ...], str] = {}
    score: dict[tuple[str, ...], float] = {}
    for phrase in phrases:
        key = tuple(stem(word.lower()) for word in phrase)
        written.setdefault(key, " ".join(phrase))
        score[key] = sum(count[s] + degree[s] for s in key) / len(key) ** 0.5
    known = {tuple(stem(w.lower()) for w in name.split()) for name in names(text)}
    for key in known & set(score):
        score[key] *= 1.5
    order = {key: place for place, key in enumerate(score)}
    ranked = sorted(score, key=lambda key: (-score[key], order[key]))
    return _distinct(ranked, written, limit)


def _phrases(text: str, ignore: set[str]) -> list[list[str]]:
    """Runs of telling words; names are runs of their own."""
    found: list[list[str]] = []
    for sentence in split(text):
        if sentence.code or is_small_talk(sentence.text):
            continue
        run: list[str] = []
        for piece in [*_PIECE.findall(sentence.text), "."]:
            low = piece.lower().replace("’", "'")
            weak = low in STOP_WORDS or low in _WEAK or low in ADVERBS or low in ignore
            telling = piece[0].isalnum() and not weak and not low.endswith("ly")
            if telling and not (piece.isdigit() and not run):
                run.append(piece)
                continue
            if run:
                found.append(run[:_MAX_WORDS])
            run = []
    return [run for run in found if len("".join(run)) > 2]


def _distinct(ranked: list[tuple[str, ...]], written: dict[tuple[str, ...], str], limit: int) -> list[str]:
    taken: list[str] = []
    seen: set[str] = set()
    for key in ranked:
        if len(taken) == limit:
            break
        if sum(part not in seen for part in key) * 2 > len(key):
            taken.append(written[key])
            seen.update(key)
    return taken
