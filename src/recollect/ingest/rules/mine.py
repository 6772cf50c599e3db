"""What "My …" tells: names, favourites, family, and attributes of what the speaker has."""

import re
from dataclasses import dataclass

from recollect.ingest.rules.being import being, having
from recollect.ingest.rules.drafts import Draft, keyed, loose
from recollect.ingest.rules.keys import KEYS, Key, favorite_key, slug
from recollect.ingest.rules.objects import concrete
from recollect.ingest.rules.predicates import Predicate, is_adverb, parse
from recollect.ingest.rules.statements import read
from recollect.ingest.rules.words import FEELINGS, KIN, MENTAL, PETS, WEAK_OBJECTS
from recollect.text.verbs import is_past


@dataclass(frozen=True, slots=True)
class Mine:
    """A possessive subject, its predicate and the draft of the statement."""

    noun: str
    predicate: Predicate
    draft: Draft


_FINITE = frozenset(
    """is are was were has have had does do did can could will would likes loves hates enjoys works
    lives plays owns wants needs says goes makes teaches runs studies helps passed died became
    prefers means includes comes takes keeps gets got went made left took gave came won""".split()
)
_CONTEXT_BOUND = frozenset(
    """part thing things one ones memory moment time way place piece day experience line scene
    aspect advice tip bit favorite favorites is are choice pick type kind""".split()
)
_EVALUATION = frozenset(
    """great amazing awesome good bad fantastic wonderful perfect boring fun cool nice beautiful
    incredible awful terrible crazy hectic busy fine okay ok tough hard rough long lovely delicious
    adorable cute so pretty really very always everything important special priceless to not the
    also just about that how what going doing getting still like unreal unforgettable rewarding
    inspiring crucial key huge super""".split()
)
_NAME = re.compile(r"^(?:full |real |first |last )?name(?:'s)?$", re.IGNORECASE)
_REVERSED = re.compile(
    r"^(?P<value>.{2,80}?) (?:is|are|was) (?P<how>definitely |probably |by far |also |one of )*my "
    r"(?:absolute |all[- ]time |personal )*favorites?(?: (?P<thing>[\w' -]{2,40}))?$",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(?P<value>[A-Z][\w'-]*(?: [A-Z][\w'-]*){0,3}|[A-Z][a-z]+(?: [a-z]+){0,2}) "
    r"(?P<verb>is|are) (?:my|our) (?P<role>[a-z][\w' -]{2,40})$"
)
_NO_ROLE = frozenset(
    """life rock world everything thing fault pleasure problem jam guess opinion goal dream hope
    favorite favorites own first last best way turn point love heart kind type number""".split()
)
_ATTRIBUTE_ENDS = re.compile(r"\s+(?:because|since|but|and I|so|when|who|which|that)\b.*$|,.*$")


def reversed_favorite(clause: str) -> tuple[Draft, str] | None:
    """A reading of "Pizza is my favorite food": the draft, and the text after the owner."""
    match = _REVERSED.match(clause)
    if not match:
        return None
    value, thing = match["value"].strip(), (match["thing"] or "").strip()
    first = value.lower().split()[0]
    if first in _NOT_VALUES:
        return None
    if "one of" in clause.lower() or not thing:
        return keyed("favorite", "likes", value, 0.85), f"likes {value}"
    if thing.split()[-1].lower() in _CONTEXT_BOUND:
        return None
    return keyed("favorite", favorite_key(thing), value, 0.9), f"'s favorite {thing} is {value}"


def reversed_role(clause: str) -> tuple[Draft, str] | None:
    """A reading of "Anna is my wife", "Alice is our project manager"."""
    match = _ROLE.match(clause)
    if not match or match["value"].split()[0].lower() in _NOT_VALUES:
        return None
    role = match["role"].removesuffix(" too")
    parts = role.split()
    if len(parts) > 4 or not _NO_ROLE.isdisjoint(parts) or parts[0] in FEELINGS:
        return None
    if " and " in role or re.search(r"\b(?:for|when|because|to|that|who)\b", match["role"]):
        return None
    key = Key(slug(role), "fact", "relation", "one", 0.6)
    return keyed("role", key, match["value"], 0.75), f"'s {role} {match['verb']} {match['value']}"


_NOT_VALUES = frozenset(
    """it that this they these those he she which what there i you we here who everything nothing
    all both my our""".split()
)


def read_mine(clause: str) -> Mine | None:
    """The reading of a clause that begins with "my" (or "our")."""
    tokens = clause.split()[1:]
    at = _finite_at(tokens)
    if at is None:
        return None
    while at > 1 and is_adverb(tokens[at - 1]):
        at -= 1
    noun = " ".join(tokens[:at]).strip(",")
    predicate = parse(" ".join(tokens[at:]))
    if predicate is None:
        return None
    draft = _draft(noun, predicate)
    return Mine(noun, predicate, draft) if draft else None


def _finite_at(tokens: list[str]) -> int | None:
    """Where the verb begins: the first finite form within the first seven words."""
    for place in range(1, min(len(tokens), 8)):
        low = tokens[place].lower().strip(",")
        if low in _FINITE or (
            is_past(low) and tokens[place - 1].lower() not in ("my", "a", "an", "the", "who")
        ):
            return place
    return None


def _draft(noun: str, p: Predicate) -> Draft | None:
    low = noun.lower()
    value = _ATTRIBUTE_ENDS.sub("", p.after).strip(" .,\"'")
    first = value.split()[0].lower() if value else ""
    if p.lemma == "be" and p.tense in ("present", "past") and value:
        if _NAME.match(low):
            return _named("name", value, 1.0 if "full" not in low else 0.95, negated=p.negated)
        owned = re.match(r"^(?P<who>[\w -]+?)(?:'s|s'|s) names?$", low)
        if owned and first not in _EVALUATION:
            return _named(f"{slug(owned['who'])}_name", value, 0.9, negated=p.negated)
        if low.startswith("favorite "):
            return _favorite(low.removeprefix("favorite "), value, p)
    if _PERSONS & {w.strip(",") for w in low.split()}:
        return _of_family(p)
    if p.lemma == "be" and p.tense == "present":
        if (
            not value
            or first in _EVALUATION
            or first in FEELINGS
            or (first in ("my", "your", "a", "an") and len(value.split()) < 2)
        ):
            return None
        if low.split()[-1] in WEAK_OBJECTS or len(low.split()) > 4:
            return None
        if not _telling_value(value) and not _ATTRIBUTES & set(low.split()):
            return None
        name = slug(low)
        key = KEYS.get(name) or Key(name, "fact", "attribute", "one", 0.5)
        return keyed("attribute", key, value, 0.7, negated=p.negated)
    return None


_PERSONS = (
    KIN
    | PETS
    | frozenset(
        """professor boss teacher team crew company coach doctor neighbor neighbour manager
        colleague colleagues coworker coworkers band class students landlord therapist
        mentor""".split()
    )
)
_ATTRIBUTES = frozenset(
    """car bedroom room house hair eyes birthday job dream hobby hobbies major degree hometown phone
    email address company business store studio boss car truck style color name nickname height
    weight diet religion timezone language team school university age budget deadline""".split()
)
_COLORS = frozenset("red blue green yellow purple black white brown pink orange gray grey blonde".split())


def _telling_value(value: str) -> bool:
    """Whether a value names something: an article, a name, a number or a colour in it."""
    parts = value.split()
    return (
        parts[0].lower() in ("a", "an", "the")
        or any(w[:1].isupper() or w[:1].isdigit() for w in parts)
        or not _COLORS.isdisjoint(w.lower().strip(",") for w in parts)
    )


def _favorite(thing: str, value: str, p: Predicate) -> Draft | None:
    head = thing.split()[-1]
    if (head in _CONTEXT_BOUND and " to " not in thing) or p.negated:
        return None
    if re.search(r"\b(?:about|of|from|at) (?:it|that|this|them)\b", thing) or value.lower().startswith(
        ("when", "how", "that")
    ):
        return None
    return keyed("favorite", favorite_key(thing), value, 0.95 if p.tense == "present" else 0.7)


def _named(key: str, value: str, confidence: float, *, negated: bool) -> Draft | None:
    if negated or not re.fullmatch(r"[^\W\d_][\w' .-]{0,40}(?:(?:,| and) [\w' .-]+)*", value):
        return None
    if value.split()[0].lower() in ("not", "a", "so", "on", "in", "pretty", "really", "very"):
        return None
    row = Key(key, "identity", "identity", "one", 0.9)
    return keyed("name", row, value, confidence)


def _of_family(p: Predicate) -> Draft | None:
    """What is said of a relative or a pet: only what would also count when said of the speaker."""
    if p.lemma == "be" and p.tense in ("present", "past", "perfect", "habit"):
        draft = read(p) if p.tense == "perfect" else being(p)
        ours = p.rest[:1] and p.rest[0].lower() in ("my", "our")
        if draft is None and p.tense == "present" and not ours and not _mood(p):
            draft = loose("of family", "fact", "family", p.after, 0.6, negated=p.negated)
    elif p.lemma == "have":
        draft = having(p)
    elif p.lemma in ("support", "pass", "die", "help", "visit", "encourag", "rais", "surviv"):
        draft = loose("of family", "fact", "family", p.after, 0.7, negated=p.negated)
    else:
        draft = read(p)
        if draft is None and p.tense == "past" and concrete(p.rest) and p.lemma not in MENTAL:
            draft = loose("event", "fact", "experience", p.after, 0.6, negated=p.negated)
    if draft is None or draft.kind == "decision":
        return None
    kind = "fact" if draft.kind in ("goal", "preference", "constraint") else draft.kind
    return Draft(
        "family " + draft.rule, kind, "family", draft.key, draft.value, draft.cardinality,
        min(draft.confidence, 0.8), 0.5, draft.negated,
    )  # fmt: skip


def _mood(p: Predicate) -> bool:
    """Whether only a mood or a judgement follows "is"."""
    after = [w.lower().strip(",.!") for w in p.rest]
    while after and after[0] in (
        "very",
        "so",
        "really",
        "also",
        "always",
        "all",
        "both",
        "not",
        "super",
    ):
        after.pop(0)
    return not after or after[0] in FEELINGS or after[0] in _EVALUATION
