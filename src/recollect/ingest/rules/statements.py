"""Readings of first-person predicates by their verb: tastes, wishes, plans, decisions."""

import re

from recollect.ingest.rules.being import being, having
from recollect.ingest.rules.drafts import Draft, keyed, loose
from recollect.ingest.rules.events import been, current, event, habit, perfect
from recollect.ingest.rules.objects import concrete, dated_or_named, has_date, telling, value_of
from recollect.ingest.rules.predicates import Predicate, lemma
from recollect.ingest.rules.words import MENTAL

_LIKE = frozenset("like love enjoy prefer ador".split())
_HATE = frozenset("hate dislik detest loath despis".split())
_WANT = frozenset("want hope plan aim intend dream".split())
_DECIDE = frozenset("decid choos agre opt settl commit".split())
_COURTESY = frozenset(
    """thank say know hear ask tell congratul wish remind mention talk apolog let see check try give
    help be get do make keep share hang chat join start stop look think feel stay show take continu
    come have find meet put bring focus""".split()
)
"""Verbs that make a wish a courtesy ("I'd love to hear more") unless their object is concrete."""

_TALK = frozenset(
    """thank say know hear ask tell congratul wish remind mention talk apolog let
    be see check""".split()
)
_LIFE = frozenset(
    """move marri open start graduat studi travel visit retir buy build launch adopt attend appli
    sell leav quit run train learn write publish teach host release""".split()
)
_SUBJECTIVE = frozenset(
    "how when what why who that it this the being seeing hearing knowing having your you "
    "everything "
    "their his her its those these doing both all them everyone".split()
)
_KNOWN_THINGS = frozenset(
    """beach outdoors outdoor mountains mountain ocean movies gym rain sun snow cold heat city
    country countryside park library water lake sea zoo theater theatre cinema museum opera
    ballet desert woods forest arts violin guitar piano drums internet winter summer fall
    autumn spring olympics weekends night sunset military holidays""".split()
)
_TO_VERB = re.compile(
    r"^(?:to|on|of|about|for|forward to)\s+(?:\w+ly\s+)?(?P<verb>[a-z]+)(?P<object>.*)$",
    re.IGNORECASE,
)
_CANNOT = frozenset(
    """eat drink use drive fly swim afford attend toler stand digest travel walk hear smell cook
    sing danc play ride read speak have""".split()
)


def read(p: Predicate) -> Draft | None:
    """The draft of a first-person predicate, or None where it tells nothing lasting."""
    if p.lemma == "be" and p.tense not in ("future", "modal"):
        return been(p) if p.tense == "perfect" else _determined(p) or being(p)
    if p.lemma == "get" and p.tense == "present" and p.words[p.finite].lower() == "have":
        return having(p)
    if p.lemma == "have" and p.tense not in ("perfect", "future", "modal"):
        return _must(p) if p.rest[:1] == ("to",) else having(p)
    if p.tense == "modal":
        return _modal(p)
    if p.lemma in _LIKE or p.lemma in _HATE:
        return _taste(p)
    if p.lemma in _DECIDE and p.tense in ("past", "perfect"):
        return _decision(p)
    if _is_plan(p):
        return _plan(p)
    if p.tense == "progressive":
        return current(p)
    if p.tense == "perfect":
        return perfect(p)
    return event(p) if p.tense in ("past", "habit") else habit(p)


def _taste(p: Predicate) -> Draft | None:
    value = value_of(p.after)
    words = value.lower().split()
    if not words or p.tense == "future":
        return None
    named = value.split()[0] == "The" or (len(words) > 1 and value.split()[1][:1].isupper())
    if words[0] in _SUBJECTIVE and not named and not _definite(words):
        return None
    if words[0] == "to" and words[1:2] and words[1] in ("see", "hear", "know", "think", "be", "say"):
        return None
    negated = p.negated != (p.lemma in _HATE)
    if p.tense == "habit":
        return loose("used to like", "fact", "experience", value, 0.7, negated=negated)
    if p.tense in ("past", "perfect") and "always" not in p.adverbs:
        name = any(w[:1].isupper() and w != "I" for w in value.split())
        return loose("liked", "fact", "experience", value, 0.5, negated=negated) if name else None
    return keyed("taste", "likes", value, 0.9 if p.lemma == "prefer" else 0.85, negated=negated)


def _definite(words: list[str]) -> bool:
    """Whether "the …" names something anybody knows (the beach, the outdoors)."""
    return words[0] == "the" and len(words) > 1 and words[1] in _KNOWN_THINGS


def _decision(p: Predicate) -> Draft | None:
    rest = p.after
    if p.negated or not rest:
        return None
    if p.lemma != "choos" and not rest.startswith(("to ", "on ", "against ", "for ", "not to ")):
        return None
    if not concrete(p.rest[1:] if p.lemma != "choos" else p.rest):
        return None
    return loose("decision", "decision", "decision", re.sub(r"^(?:to|on|for) ", "", rest), 0.85)


def _is_plan(p: Predicate) -> bool:
    if p.lemma in _WANT or p.tense == "future":
        return True
    if p.lemma in ("need", "tri") and p.rest[:1] == ("to",):
        return True
    if p.lemma == "look" and p.rest[:2] == ("forward", "to"):
        return True
    return p.lemma == "think" and p.tense == "progressive" and p.rest[:1] in (("of",), ("about",))


def _determined(p: Predicate) -> Draft | None:
    """A reading of "I am determined to …" as a plan where its aim is concrete."""
    match = re.match(r"^(?:so |really |very |super )*(?:determined|committed) (?P<aim>to .+)$", p.after)
    if not match or p.tense != "present":
        return None
    aim = match["aim"].split()
    verb = lemma(aim[1]) if len(aim) > 1 else ""
    if verb in _TALK or not concrete(tuple(aim[2:])) or len(telling(aim[2:])) < 2:
        return None
    return loose("determined", "goal", "goal", match["aim"], 0.6)


def _plan(p: Predicate) -> Draft | None:
    """Wants, hopes and plans with a concrete aim."""
    if p.negated and p.lemma != "want":
        return None
    if p.tense == "future" and p.lemma not in _WANT:
        verb, target = p.lemma, list(p.rest)
    else:
        match = _TO_VERB.match(p.after)
        if not match:
            return None
        verb, target = lemma(match["verb"]), match["object"].split()
    second = lemma(target[0]) if target else ""
    if (verb == "have" and target[:1] == ["to"]) or (
        verb in ("start", "keep", "stop", "continu") and second in MENTAL
    ):
        return None
    becoming = verb == "be" and target[:1] and target[0].lower() in ("a", "an")
    if (verb in _TALK or verb in MENTAL - _COURTESY) and not becoming:
        return None
    if len(telling(target)) < (2 if verb in _COURTESY and not becoming else 1) and verb not in _LIFE:
        return None
    if not _lasting(p, verb, tuple(target)):
        return None
    if p.tense in ("past", "habit") or (p.tense == "perfect" and "always" not in p.adverbs):
        named = any(w[:1].isupper() and w != "I" for w in target)
        return loose("wanted", "fact", "experience", p.after, 0.5) if named and p.lemma != "need" else None
    confidence = {"want": 0.7, "plan": 0.8, "think": 0.5, "need": 0.5}.get(p.lemma, 0.6)
    return loose("plan", "goal", "goal", p.after, confidence, negated=p.negated)


def _lasting(p: Predicate, verb: str, target: tuple[str, ...]) -> bool:
    """Whether a plan outlives the conversation it was made in.

    "I'll look into it" and "I'm trying to decide" are moves of the talk; a date, a name or a step
    in life makes them plans.
    """
    if p.lemma == "tri" and (verb in _CHORES or verb in ("stay", "keep", "be", "do", "make")):
        return False
    if p.negated and verb not in _LIFE:
        return False
    if p.tense == "future" and p.words[p.finite].lower() == "will":
        return has_date(target) and verb not in _CHORES
    if p.tense == "future" or p.lemma in ("need", "look"):
        return verb in _LIFE or dated_or_named(target)
    return p.tense != "perfect" or "always" in p.adverbs


_CHORES = frozenset(
    """find decid plan figur choos understand get look explor try consid start learn pick organ see
    shift discuss add narrow""".split()
)
"""Verbs of what one does with an assistant rather than in a life."""


def _must(p: Predicate) -> Draft | None:
    """A reading of "I have to …", "I had to …": an obligation with a concrete object."""
    verb = lemma(p.rest[1]) if len(p.rest) > 1 else ""
    if not verb or verb in MENTAL or verb in _COURTESY or not telling(p.rest[2:]):
        return None
    if p.tense == "past" and not p.negated:
        return loose("had to", "fact", "experience", p.after, 0.6)
    if p.tense != "present" or p.rest[-1].lower() in (
        "tonight",
        "today",
        "now",
        "tomorrow",
        "soon",
    ):
        return None
    return loose("must", "constraint", "constraint", p.after, 0.5, negated=p.negated)


def _modal(p: Predicate) -> Draft | None:
    word = p.words[p.finite].lower()
    if word == "would" and "rather" in p.adverbs and concrete(p.rest):
        return loose("rather", "preference", "preference", p.after, 0.8)
    if word == "would" and p.lemma in ("like", "love", "prefer"):
        return _wish(p)
    if word != "can" or p.lemma not in _CANNOT or not p.rest or not concrete(p.rest):
        return None
    if not p.negated:
        return loose("can", "fact", "skill", p.after, 0.65)
    if p.lemma == "stand":
        return keyed("taste", "likes", value_of(p.after), 0.85, negated=True)
    return loose("cannot", "constraint", "constraint", p.after, 0.7, negated=True)


def _wish(p: Predicate) -> Draft | None:
    match = _TO_VERB.match(p.after)
    if not match or p.negated:
        return None
    verb, named = lemma(match["verb"]), telling(match["object"].split())
    if verb in _TALK or verb in MENTAL - _COURTESY or len(named) < (2 if verb in _COURTESY else 1):
        return None
    if (
        verb in _CHORES - {"learn"}
        or " more about" in match["object"]
        or (p.lemma == "like" and verb not in _LIFE | {"go", "own", "becom"})
    ):
        return None
    return loose("wish", "goal", "goal", p.after, 0.55)
