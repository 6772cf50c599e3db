"""What "I am …" and "I have …" tell: age, work, origin, family, pets, health, tastes."""

import re

from recollect.ingest.rules.drafts import Draft, keyed, loose
from recollect.ingest.rules.objects import telling_enough
from recollect.ingest.rules.predicates import Predicate
from recollect.ingest.rules.words import (
    BODY,
    CHILDREN,
    CONDITIONS,
    FEELINGS,
    KIN,
    NOT_OCCUPATIONS,
    OCCUPATION_ENDINGS,
    PARTNERS,
    PETS,
    SIBLINGS,
    VEHICLES,
    WEAK_OBJECTS,
)

_NUMBER = (
    r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|\w+teen|"
    r"ten|eleven|twelve)"
)
_AGE = re.compile(
    rf"^(?:a |an |only |almost |about |now |just |already )*(?P<age>{_NUMBER})(?:[ -]years?[ -]old|"
    rf" y/?o\b|$|(?= (?:now|so|and)\b))",
    re.IGNORECASE,
)
_AGE_BARE = re.compile(r"^(?:only |almost |just |now )*(?P<age>\d{1,2})(?=$|,| (?:now|and|so|but)\b)")
_FROM = re.compile(
    r"^(?:originally )?from (?P<place>(?:the )?[A-Z][\w' -]+|[a-z]{4,}(?: [a-z]+)?|"
    r"an? (?:\w+ )?(?:town|city|village|farm|family)(?: .+)?)$"
)
_IN = re.compile(r"^(?:based|located|living|currently)? ?in (?P<place>[A-Z][\w', -]+)$")
_BORN = re.compile(
    r"^(?:born|born and raised|raised) (?:and raised )?(?P<how>in|on|at) (?P<value>.+)$",
    re.IGNORECASE,
)
_NAME = re.compile(r"^(?:called |named )?(?P<name>[A-Z][a-z]+(?: [A-Z][a-z']+){0,2})$")
_STATUS = re.compile(
    r"^(?:happily |recently |newly |currently |now |also |a )*(?P<status>married|single|divorced|"
    r"engaged|widowed|"
    r"separated|a widow|a widower|widow|widower|in (?:an?|"
    r"my) [\w -]*relationship)(?: to (?P<who>.+)| with (?P<more>.+)|$|,| and\b)",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"^(?:recently |just |once |also |\w+ly )*(?:forced to|diagnosed with|hired (?:as|by|at)|"
    r"fired from|promoted to|"
    r"accepted (?:into|to|at)|adopted (?:by|when|as)|arrested for|elected|injured in|awarded|"
    r"drafted|laid off|"
    r"caught|bullied|deployed to|admitted to|invited to|chosen (?:as|to|for)|transferred to)\b",
    re.IGNORECASE,
)
_DIET = re.compile(
    r"^(?:an? )?(?:strict |lifelong )?(?P<diet>vegan|vegetarian|pescatarian|gluten[- ]free|"
    r"lactose intolerant|"
    r"kosher|halal|keto|celiac|dairy[- ]free|on (?:a |an )?[\w-]+ diet)\b",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(r"^(?:\w+ly |very |also )*(?:allergic|intolerant) to (?P<what>.+)$", re.IGNORECASE)
_FEAR = re.compile(
    r"^(?:\w+ly |very |so |really |also )*(?:afraid|scared|terrified|frightened) of (?P<what>.+)$",
    re.IGNORECASE,
)
_FOND = re.compile(
    r"^(?:\w+ly |very |so |really |also |pretty |just |super |always )*(?:into|fond of|"
    r"passionate about|obsessed with|"
    r"interested in|keen on|crazy about|addicted to|a (?:big |huge |massive |real |die-hard |"
    r"great )*fan of|"
    r"a (?:big |huge |real |total |true )*(?P<lover>[\w ]+) (?:lover|fan|enthusiast|buff|fanatic|"
    r"nerd|geek|addict))"
    r"(?: (?P<what>.+))?$",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"^(?:\w+ly |very |so |really |also )*interested in (?:exploring|trying|getting|finding|seeing|"
    r"hearing|knowing|buying|learning more|creating|making|attending)\b",
    re.IGNORECASE,
)
_POINTED = frozenset("particularly especially specifically".split())
_SKILL = re.compile(
    r"^(?:\w+ly |very |so |really |also |pretty |quite |not )*(?:good|great|bad|terrible|skilled|"
    r"excellent|fluent|proficient|"
    r"talented) (?P<at>at|in|with) (?P<what>(?!all\b|the moment).+)$",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"^(?:employed by (?:the |an? )?[A-Z]\w+|(?:\w+ly |now |also |semi[- ]|a |very |quite |"
    r"pretty )*(?:retired|unemployed|pregnant|expecting|adopted|deaf|blind|"
    r"left[- ]handed|right[- ]handed|bilingual|trilingual|colorblind|disabled|gay|lesbian|bisexual|"
    r"transgender|homeless|self[- ]employed|an? (?:only child|orphan|twin|immigrant|veteran|"
    r"student)|"
    r"ex[- ]military|autistic|dyslexic|diabetic|introverted|shy|tall|short|christian|muslim|jewish|"
    r"catholic|buddhist|hindu|atheist|agnostic))\b",
    re.IGNORECASE,
)
_STUDENT = re.compile(
    r"^(?:also |currently |now |still )*(?:an? )?(?:[\w-]+ ){0,3}(?:student|major|freshman|"
    r"sophomore|junior in|senior in|undergrad|"
    r"graduate student|phd student)\b|^in (?:my (?:first|second|third|fourth|final|last|senior|"
    r"junior) year|"
    r"(?:high school|college|university|grad school|middle school|med school|law school|"
    r"\w+ grade))\b",
    re.IGNORECASE,
)
_MEMBER = re.compile(
    r"^(?:also |currently |now )*(?:on|in|part of|a member of|with|a part of) (?:the|a|an|"
    r"my) (?P<group>[\w' -]*(?:team|band|club|choir|"
    r"army|navy|military|marines|league|squad|crew|group|orchestra|church|committee|board|union|"
    r"cast|"
    r"program|community))\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:also |now |currently |actually |just |only |still )*(?P<article>an?|the) (?P<np>.+)$",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s+(?:who|that|which|because|and I|but|when|where|while|in order|since|so)\b|,")
_WEAK_AN = frozenset(
    """rookie beginner newbie novice mix bit lot few huge big sucker mess fan believer idiot
    fool wreck while good bad great better terrible firm wonderful amazing""".split()
)


def being(p: Predicate) -> Draft | None:
    """A reading of "am/is/was …" about a person."""
    rest = p.after.strip(" ,.")
    if not rest:
        return None
    if rest.startswith("interested") and (_POINTED & set(p.adverbs) or _PASSING.match(rest)):
        return None  # interested in what the listener has just named
    past = p.tense in ("past", "habit")
    found = _facts_of_life(rest, past=past, negated=p.negated) or _noun(rest, past=past, negated=p.negated)
    if found is None or (p.negated and found.key in ("name", "age", "location", "origin")):
        return None
    return found


def _facts_of_life(rest: str, *, past: bool, negated: bool) -> Draft | None:
    if match := _AGE.match(rest) or _AGE_BARE.match(rest):
        return None if past else keyed("age", "age", match["age"], 0.95)
    if match := _BORN.match(rest):
        key = "birthplace" if match["how"] != "on" and not match["value"][:1].isdigit() else "birthday"
        if re.match(r"(?:the |\d|early|late|mid)", match["value"]) and match["how"] == "in":
            key = "birthday"
        value = re.sub(r" in [A-Z].*$", "", match["value"]) if key == "birthday" else match["value"]
        return keyed("born", key, value, 0.9, negated=negated)
    if match := _FROM.match(rest):
        return None if past else keyed("origin", "origin", match["place"], 0.9)
    if match := _IN.match(rest):
        return None if past else keyed("location", "location", match["place"], 0.7)
    if past and _PASSIVE.match(rest):
        return loose("happened", "fact", "experience", rest, 0.65, negated=negated)
    if match := _STATUS.match(rest):
        return keyed("status", "marital_status", match["status"].lower(), 0.9, negated=negated)
    if match := _ALLERGIC.match(rest):
        return keyed("allergy", "allergies", match["what"], 0.95, negated=negated)
    if match := _DIET.match(rest):
        return keyed("diet", "diet", match["diet"], 0.9, negated=negated)
    if match := _FEAR.match(rest):
        return keyed("fear", "fears", match["what"], 0.85, negated=negated)
    if match := _FOND.match(rest):
        what = match["what"] or match["lover"] or ""
        if what.islower() and what.startswith(("the ", "this ", "these ", "your ")):
            return None
        return keyed("fond", "likes", what, 0.8, negated=negated) if what and not past else None
    if match := _SKILL.match(rest):
        return None if past else loose("skill", "fact", "skill", rest, 0.65, negated=negated)
    if _STUDENT.match(rest):
        return loose("student", "fact", "education", rest, 0.85, negated=negated)
    if match := _MEMBER.match(rest):
        return loose("member", "fact", "activity", rest, 0.8, negated=negated)
    if _LASTING.match(rest):
        return loose("trait", "identity", "identity", rest, 0.85, negated=negated)
    return None


def _noun(rest: str, *, past: bool, negated: bool) -> Draft | None:
    """A reading of "I am a …": an occupation where the noun reads like one, else a trait."""
    if (match := _NAME.match(rest)) and not past and not negated:
        return keyed("name", "name", match["name"], 0.7)
    match = _ARTICLE.match(rest)
    if not match:
        return None
    phrase = _CUT.split(match["np"])[0]
    words = phrase.lower().split()
    if words[:1] == ["little"] and words[1:2] not in (["girl"], ["boy"]):
        return None
    if not words or words[0] in _WEAK_AN or words[0] in FEELINGS or words[-1] in WEAK_OBJECTS:
        return None
    head = _head(words)
    if head in KIN:
        return loose("kin", "identity", "family", rest, 0.85, negated=negated)
    if match["article"].lower() == "the" and not head.endswith(OCCUPATION_ENDINGS):
        return None
    if head.endswith(OCCUPATION_ENDINGS) and head not in NOT_OCCUPATIONS and words[0] not in _AMATEUR:
        if past:
            return keyed("occupation was", "former_jobs", phrase, 0.8, negated=negated)
        return keyed("occupation", "occupation", phrase, 0.85, negated=negated)
    return loose("trait", "identity", "identity", rest, 0.65, negated=negated)


_AMATEUR = frozenset("avid keen passionate natural amateur fast slow quick early night heavy".split())


def _head(words: list[str]) -> str:
    """The head noun: the last word before a preposition."""
    for place, word in enumerate(words):
        if place and word in (
            "of",
            "at",
            "in",
            "for",
            "with",
            "from",
            "on",
            "to",
            "by",
            "and",
            "or",
        ):
            return words[place - 1]
    return words[-1]


_QUANTITY = re.compile(
    r"^(?:also |only |just |got |currently |actually |now )*(?P<count>an?|one|two|three|four|five|"
    r"six|seven|eight|nine|ten|"
    r"\d+|several|many|no|my own|the|some|a couple of|a few|a lot of|lots of)?\s*(?P<np>.+)$",
    re.IGNORECASE,
)
_KIN_KEYS = [(PARTNERS, "partner"), (CHILDREN, "children"), (SIBLINGS, "siblings"), (PETS, "pets"),
             (VEHICLES, "vehicles"), (CONDITIONS, "conditions")]  # fmt: skip


_VAGUE_COUNTS = ("the", "some", "many", "a lot of", "lots of")


def having(p: Predicate) -> Draft | None:
    """A reading of "have …": family, pets, health, looks, things owned."""
    rest = p.after.strip(" ,.")
    if rest.lower().startswith("to "):
        return None
    match = _QUANTITY.match(rest)
    if not match or not match["np"]:
        return None
    words = [w.strip(",.'\"").lower() for w in _CUT.split(match["np"])[0].split()]
    if not words or words[0] == "my" or p.tense in ("perfect", "future", "modal"):
        return None
    head = _head(words)
    if WEAK_OBJECTS & {head, *words[:2]} or words[0] in FEELINGS:
        return None
    past = p.tense in ("past", "habit")
    negated = p.negated or match["count"] == "no"
    first = [w for w in words if any(w in group for group, _ in _KIN_KEYS)]
    for group, key in _KIN_KEYS:
        if first and first[0] in group:
            if past:
                return loose(f"had {key}", "fact", "experience", rest, 0.7, negated=negated)
            return keyed(f"have {key}", key, rest, 0.9, negated=negated)
    if head in KIN or words[0] in KIN:
        return (
            None
            if words[-1] in ("friends", "family") and len(words) < 3
            else loose("have kin", "fact", "family", rest, 0.8, negated=negated)
        )
    if BODY & set(words) and not past:
        return loose("looks", "identity", "identity", rest, 0.85, negated=negated)
    plural = not match["count"] and head.endswith("s") and len(words) <= 3
    if (not match["count"] and not plural) or (match["count"] or "").lower() in _VAGUE_COUNTS:
        return None
    if past:
        told = len(words) > 1 and telling_enough(p.rest)
        return loose("had", "fact", "experience", rest, 0.5, negated=negated) if told else None
    return loose("have", "fact", "possession", rest, 0.65, negated=negated)
