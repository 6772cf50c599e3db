"""Answers that lean on the question before them: "What do you do?" – "A nurse."."""

import re

from recollect.ingest.rules.drafts import Draft, keyed
from recollect.ingest.rules.keys import favorite_key

_QUESTIONS: list[tuple[re.Pattern[str], str, str, str]] = [
    (re.compile(pattern, re.IGNORECASE), key, shape, told)
    for pattern, key, shape, told in [
        (
            r"\bwhat(?:'s| is) your (?:full |first )?name\b",
            "name",
            r"[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}",
            "{name}'s name is {value}",
        ),
        (
            r"\bhow old are you\b|\bwhat(?:'s| is) your age\b",
            "age",
            r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: years old)?",
            "{name} is {value}",
        ),
        (
            r"\bwhere are you from\b",
            "origin",
            r"(?:the )?[A-Z][\w' ,-]{2,40}",
            "{name} is from {value}",
        ),
        (
            r"\bwhere do you live\b|\bwhere are you (?:based|living)\b",
            "location",
            r"(?:in )?(?:the )?[A-Z][\w' ,-]{2,40}",
            "{name} lives in {value}",
        ),
        (
            r"\bwhat do you do (?:for (?:a living|work)|professionally)\b|\bwhat(?:'s|"
            r" is) your (?:job|occupation|profession)\b",
            "occupation",
            r"an? [\w -]{3,50}",
            "{name} works as {value}",
        ),
        (
            r"\bwhere do you work\b|\bwho do you work for\b",
            "employer",
            r"(?:at |for )?(?:an? |the )?[\w' &-]{3,50}",
            "{name} works at {value}",
        ),
        (
            r"\bdo you have (?:any )?pets\b",
            "pets",
            r"(?:yes|yeah|yep)?[,!.]? ?(?:an?|one|two|three|four|\d+) [\w ,-]{3,60}",
            "{name} has {value}",
        ),
        (
            r"\bdo you have (?:any )?(?:kids|children)\b",
            "children",
            r"(?:yes|yeah|yep)?[,!.]? ?(?:an?|one|two|three|four|\d+)[\w ,-]{3,60}",
            "{name} has {value}",
        ),
    ]
]
_FAVORITE = re.compile(
    r"\bwhat(?:'s| is| are) your (?:absolute |all[- ]time )?favou?rite (?P<thing>[\w ]{3,40}?)\?",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"\bmy (?:absolute |all[- ]time )?favou?rite (?P<thing>[\w ]{3,40}?) (?:is|are|has|"
    r"would)\b.*(?:what(?:'s| is| are) yours|"
    r"what about you|how about you|and you|yours)\?",
    re.IGNORECASE | re.DOTALL,
)
_CONTEXT = frozenset("part thing things one ones memory moment time way place piece subject event".split())
_SHORT = re.compile(
    r"^(?:probably |definitely |i(?:'d| would) (?:have to )?say |it(?:'s| is| would be|"
    r" has to be) |that(?:'s| would be) |mine is |mine's |"
    r"hmm,? |oh,? |um,? |well,? )*(?P<value>[\w'’&:.\" -]{2,60})$",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|my|we|me)\b", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"\b(?:i|you|me|my|we|that|this|what|not|no|don't|both|all|too|so|sure|same|thanks|good|great|"
    r"cool|nice|"
    r"awesome|hard|tough|depends|maybe|yes|yeah|same|guess|know)\b",
    re.IGNORECASE,
)


def read_answer(question: str, answer: str, name: str) -> tuple[Draft, str] | None:
    """The draft and text of a short answer, only where question and answer fit without doubt."""
    asked = [part for part in re.split(r"(?<=[.!?])\s+", question) if part.endswith("?")]
    if len(asked) != 1 or len(answer) > 120:
        return None
    reply = answer.strip().rstrip(".!")
    if _FIRST_PERSON.search(reply):
        return None
    for pattern, key, shape, told in _QUESTIONS:
        if pattern.search(asked[0]):
            if not re.fullmatch(
                shape, reply, re.IGNORECASE if key in ("pets", "children", "occupation") else 0
            ):
                return None
            value = reply[0].lower() + reply[1:] if key == "occupation" else reply
            value = re.sub(r"^(?:yes|yeah|yep)[,!. ]+|^(?:in|at|for) ", "", value, flags=re.I)
            return keyed("answer", key, value, 0.75), told.format(name=name, value=value)
    match = _FAVORITE.search(asked[0]) or _MINE.search(question[-300:])
    short = _SHORT.match(reply)
    if not match or not short or _NO_ANSWER.search(short["value"]):
        return None
    thing, value = match["thing"].lower(), short["value"].strip()
    if thing.split()[-1] in _CONTEXT or len(value.split()) > 7:
        return None
    return keyed("answer", favorite_key(thing), value, 0.75), f"{name}'s favorite {thing} is {value}"
