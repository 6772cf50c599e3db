"""Readings of what people do: habits, what goes on in a life, what happened."""

import re

from recollect.ingest.rules.being import being
from recollect.ingest.rules.drafts import Draft, keyed, loose
from recollect.ingest.rules.keys import Key, slug
from recollect.ingest.rules.objects import (
    concrete,
    dated_or_named,
    has_date,
    telling,
    telling_enough,
    value_of,
)
from recollect.ingest.rules.predicates import Predicate, lemma
from recollect.ingest.rules.words import HABITS, MENTAL

_INSTRUMENTS = (
    r"piano|guitar|violin|drums|flute|bass|cello|saxophone|trumpet|keyboard|ukulele|harp|clarinet|"
    r"banjo|organ|accordion|harmonica|viola|trombone"
)
_TIMES = r"(?:full[- ]?time |part[- ]?time |remotely |nights |currently )*"
_KEYED: dict[str, list[tuple[re.Pattern[str], str, float]]] = {
    "work": [
        (
            re.compile(rf"^{_TIMES}as (?:an? |the )?(?P<value>.+?)(?: (?:at|for|in) .+)?$"),
            "occupation",
            0.9,
        ),
        (re.compile(rf"^{_TIMES}(?:for|at) (?P<value>.+)$"), "employer", 0.9),
        (re.compile(rf"^{_TIMES}in (?P<value>.+)$"), "field", 0.85),
    ],
    "live": [(re.compile(r"^(?:\w+ ){0,3}?in (?P<value>(?:an? |the )?.+)$"), "location", 0.9)],
    "resid": [(re.compile(r"^in (?P<value>.+)$"), "location", 0.9)],
    "speak": [(re.compile(r"^(?P<value>[A-Z][a-z]+.*)$"), "languages", 0.9)],
    "play": [(re.compile(rf"^the (?P<value>(?:{_INSTRUMENTS})\b.*)$"), "instruments", 0.9)],
    "studi": [(re.compile(r"^(?P<value>(?!hard|for|at|all|every|a lot).+)$"), "studies", 0.8)],
    "teach": [(re.compile(r"^(?P<value>.+)$"), "occupation", 0.75)],
    "volunt": [(re.compile(r"^(?:my time )?(?:at|with|for|in) (?P<value>.+)$"), "volunteering", 0.85)],
    "drive": [(re.compile(r"^(?P<value>an? .+)$"), "vehicles", 0.85)],
    "own": [(re.compile(r"^(?P<value>.+)$"), "possessions", 0.85)],
    "collect": [(re.compile(r"^(?P<value>.+)$"), "hobbies", 0.85)],
}
_OFTEN = re.compile(
    r"\b(?:every (?:\w+ )?(?:day|night|morning|week|weekend|month|year|summer|winter|monday|"
    r"tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|chance)|(?:once|twice|\w+ times|\w+ hours|\w+ \w+) (?:a|an|per|"
    r"each) (?:day|week|month|"
    r"year)|on (?:the )?weekends|daily|weekly|for a living|in my (?:spare|free) time)\b",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    """want take spend do go make use follow expect plan believ grow lead act run fix save read
    watch visit sleep clean""".split()
)


def habit(p: Predicate) -> Draft | None:
    """Simple present: a habit or a lasting state."""
    rest = p.after
    if not p.negated or "longer" in p.adverbs:
        for pattern, key, confidence in _KEYED.get(p.lemma, []):
            if match := pattern.match(value_of(rest)):
                if match["value"].lower().split()[0] in (
                    "it",
                    "that",
                    "this",
                    "there",
                    "them",
                    "on",
                ):
                    return None
                return keyed(f"habit {key}", key, match["value"], confidence, negated=p.negated)
    if p.lemma in ("eat", "drink", "consum") and p.negated and concrete(p.rest):
        return keyed("does not eat", "diet", f"no {value_of(rest)}", 0.8)
    if p.lemma == "use" and concrete(p.rest):
        return _uses(p)
    often = bool(_OFTEN.search(rest)) or bool({"always", "often", "usually", "never"} & set(p.adverbs))
    known = p.lemma in HABITS
    seen = p.lemma == "see" and often and dated_or_named(p.rest)
    helps = p.lemma == "help" and lemma(p.rest[0] if p.rest else "") in HABITS | {"tend"}
    if not concrete(p.rest, p.lemma) or not (known or seen or helps or (often and p.lemma not in MENTAL)):
        return None
    if p.lemma in ("read", "make") and not often and p.rest[0].lower() in ("a", "an", "the", "my", "sure"):
        return None
    if p.lemma in _LIGHT and not often:
        return (
            loose("habit light", "fact", "activity", rest, 0.6, negated=p.negated)
            if len(p.rest) > 1
            else None
        )
    return loose("habit", "fact", "activity", rest, 0.7, negated=p.negated)


def _uses(p: Predicate) -> Draft:
    """A tool in use; "as my editor" says for what."""
    value = value_of(p.after)
    if match := re.match(r"^(?P<tool>.+?) (?:as|for) my (?P<role>[\w -]{2,30})$", p.after):
        key = Key(slug(match["role"]), "preference", "preference", "one", 0.6)
        return keyed("habit tool", key, match["tool"], 0.85, negated=p.negated)
    return keyed("habit tools", "tools", value, 0.7, negated=p.negated)


_ONGOING = frozenset(
    """work studi learn train write start build teach take run plan live date save move expect open
    launch design develop prepar practic rehears organ renov volunt look research search head host
    creat make collect coach direct appli recov heal suffer rais read grow sell buy leav
    travel visit attend finish complet consid expand offer turn switch migrat""".split()
)
_GETTING = ("married", "divorced", "engaged", "ready")
_MOMENT = frozenset(
    """hang sit wait talk go do come feel stand play watch listen eat drink cook wear drive walk
    sleep lie relax chill just get have enjoy love like see hear tell say ask be live stay keep
    put turn hope dream tri think aim step face push lean eye crave""".split()
)


def current(p: Predicate) -> Draft | None:
    """A reading of "I am …ing": what goes on in a life now, not in this minute."""
    rest = p.after
    getting = p.lemma == "get" and p.rest[:1] and p.rest[0].lower() in _GETTING
    comes = p.lemma in ("come", "visit", "arriv") and has_date(p.rest)
    if comes and not p.negated:
        return loose("ongoing", "fact", "activity", rest, 0.65)
    if p.negated or not concrete(p.rest, p.lemma) or (p.lemma in MENTAL - _ONGOING and not getting):
        return None
    if p.lemma in ("live", "resid"):
        match = re.match(r"^(?:\w+ ){0,3}?in (?P<place>.+)$", value_of(rest))
        return keyed("living in", "location", match["place"], 0.85) if match else None
    if p.lemma == "work" and (match := re.match(r"^as (?:an? )?(?P<job>.+)$", value_of(rest))):
        return keyed("working as", "occupation", match["job"], 0.85)
    if p.lemma == "take" and "time" in p.rest[1:2]:
        return None
    if p.lemma == "work" and not re.match(r"^(?:hard )?(?:on|at|for|with|in)\b", rest):
        return None
    if p.lemma in ("look", "search") and (p.rest[0].lower() != "for" or _asks_for_help(p.rest)):
        return None
    known = p.lemma in _ONGOING or getting
    if not known and (p.lemma in _MOMENT or len(telling(p.rest)) < 2):
        return None
    confidence = 0.5 if p.lemma in ("consid", "look", "search") else 0.65 if known else 0.55
    return loose("ongoing", "fact", "activity", rest, confidence)


def _asks_for_help(rest: tuple[str, ...]) -> bool:
    """Whether the speaker looks for what the listener should give: advice, ideas, information."""
    return not _HELP.isdisjoint(w.lower().strip(",.") for w in rest[:7])


_HELP = frozenset(
    """tips tip ideas idea advice recommendation recommendations suggestion suggestions information
    info help guidance inspiration resources ways way options option assistance feedback insights
    details examples recipe recipes tools tool strategies similar best""".split()
)


_BEEN_TO = re.compile(r"^(?:(?:to|out of) (?P<value>[A-Z].+|an? .+|the .+|\d+ .+)|in (?P<there>[A-Z].+))$")


def been(p: Predicate) -> Draft | None:
    """A reading of "I have been to …", "I have been a … for …"."""
    rest = p.after
    if match := _BEEN_TO.match(rest):
        value = match["value"] or match["there"]
        return keyed("been", "visited", value, 0.75, negated=p.negated)
    if re.match(
        r"^(?:interested|passionate|obsessed|fascinated|afraid|scared|allergic|fond|an? |married|"
        r"together|single|vegan|"
        r"vegetarian|retired|sober|diagnosed|engaged|into )",
        rest,
    ):
        return being(p)
    return None


def perfect(p: Predicate) -> Draft | None:
    """A reading of "I have …ed": something going on, never done, or happened."""
    if any(w.lower() == "been" for w in p.words[:4]):
        draft = current(p)
        if draft is None and p.lemma in HABITS and concrete(p.rest, p.lemma) and not p.negated:
            draft = loose("ongoing", "fact", "activity", p.after, 0.65)
        return draft
    if p.negated and "never" in p.adverbs and concrete(p.rest, p.lemma) and p.rest[-1] != "before":
        if p.lemma in MENTAL:
            return None
        return loose("never", "fact", "experience", p.after, 0.65, negated=True)
    return None if p.negated else event(p)


_WEAK = frozenset(
    """want like love enjoy have be do get go think feel hear see know say tell ask mean hope need
    seem look notic realiz rememb forget wonder guess believ understand agre happen miss laugh talk
    chat mention discuss check appreci show share send keep let turn expect use tri call put hit
    sound fall stop manag choos sit stand""".split()
)
_NOT_DONE = ("the", "my", "our", "well", "great", "good", "so", "pretty")
_GOT_DONE = frozenset("married divorced engaged promoted hired fired accepted laid diagnosed".split())
_GOT = frozenset(
    """married divorced engaged promoted hired fired a an my accepted laid diagnosed two three
    tickets some new""".split()
)
_LIFE = frozenset("graduat retir divorc quit marri".split())
_TURNS = _LIFE | frozenset(
    """adopt buy move win lose open launch publish finish complet join donat volunt visit
    travel hire fire diagnos break bear rais born becom sell build foster enrol major
    grow serv emigr immigr""".split()
)


def event(p: Predicate) -> Draft | None:
    """Something that happened and can be told: a verb that is an event with a concrete object."""
    rest = [w.lower() for w in p.rest]
    if p.words[p.finite].lower() in ("was", "were"):
        return None  # what somebody was doing is a scene, not an event
    if p.negated and p.tense != "habit":
        life = p.lemma in ("graduat", "finish", "attend", "vote") and bool(rest)
        return loose("event", "fact", "experience", p.after, 0.6, negated=True) if life else None
    if p.tense == "habit":
        return loose("used to", "fact", "experience", p.after, 0.75) if concrete(p.rest, p.lemma) else None
    if p.lemma == "go" and rest[:1] and rest[0] in ("to", "on", "for") and concrete(p.rest[1:]):
        return loose("went", "fact", "experience", p.after, 0.6) if _far(p.rest) else None
    if p.lemma == "get" and rest[:1] and rest[0] in _GOT:
        sure = rest[0] in _GOT_DONE or telling_enough(p.rest)
        return loose("got", "fact", "experience", p.after, 0.6) if sure and concrete(p.rest) else None
    if p.lemma == "do" and rest[:1] and rest[0] not in _NOT_DONE and rest[0][-2:] != "ly":
        return loose("did", "fact", "experience", p.after, 0.55) if _told(p) else None
    if p.lemma == "find" and rest[:1] and rest[0] in ("a", "an", "my") and len(telling(p.rest)) > 1:
        return loose("event", "fact", "experience", p.after, 0.55)
    if p.lemma == "help" and rest[:1] and lemma(rest[0]) in HABITS and dated_or_named(p.rest):
        return loose("event", "fact", "experience", p.after, 0.6)
    if p.lemma in ("stop", "quit") and rest[:1] and rest[0].endswith("ing") and telling(p.rest[1:]):
        return loose("stopped", "fact", "experience", p.after, 0.7)
    if p.lemma in _WEAK or p.lemma in MENTAL:
        return None
    if p.lemma == "move" and (match := re.match(r"^(?:\w+ )?to (?P<place>[A-Z].+)$", value_of(p.after))):
        place = re.sub(r"\s+(?:last|in \d|two|three|a few|from|for|with|about).*$", "", match["place"])
        return keyed("moved to", "location", place, 0.85)
    if not _told(p) and p.lemma not in _LIFE:
        return None
    return loose("event", "fact", "experience", p.after, 0.6)


def _far(rest: tuple[str, ...]) -> bool:
    return telling_enough(rest) or len(telling(rest)) > 1


def _told(p: Predicate) -> bool:
    """Whether an event has an object worth telling; a turn in a life needs less."""
    return concrete(p.rest, p.lemma) and (p.lemma in _TURNS or telling_enough(p.rest))
