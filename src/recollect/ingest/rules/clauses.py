"""A sentence cut into clauses, each with one statement, cleaned of everything that is only manner.

Interjections, names called out and fillers in front are dropped; a time in front ("Last Friday,
I …") is kept apart. Clauses part where a new subject or a new finite verb begins, so that each
can be judged alone: "I lived in Ohio, but now I'm in Texas" is two statements.
"""

import re
from dataclasses import dataclass, replace

MAX_SENTENCE = 600
"""Longer sentences are lists, logs or pasted data: no rule looks at them."""

_APOSTROPHES = str.maketrans("’‘´`", "''''")
_EXPANSIONS = [
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in [
        (r"\bi'?m\b(?!')", "I am"),
        (r"\bi'?ve\b", "I have"),
        (r"\bi'll\b", "I will"),
        (r"\bi'd(?= (?:been|had|never been|always been)\b)", "I had"),
        (r"\bi'd\b", "I would"),
        (r"\bwe're\b", "we are"),
        (r"\bwe've\b", "we have"),
        (r"\bwe'll\b", "we will"),
        (r"\bcan't\b|\bcannot\b|\bcant\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bain't\b", "am not"),
        (r"\b(do|does|did|is|are|was|were|have|has|had|would|could|should|must)n'?t\b", r"\1 not"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "have to"),
        (r"(?<!\w)'cause\b|\bcuz\b|\bcoz\b", "because"),
        (r"\bfav(?:e|s)?\b|\bfavourite", "favorite"),
        (r"\bi\b(?=[ ,])", "I"),
    ]
]
_QUICK = re.compile(r"'|\b(?:gonna|wanna|gotta|cuz|coz|fav|fave|favourite|i|im|ive|cant|cannot)\b|n't")

_LEAD = re.compile(
    r"^(?:(?:oh|ah+|aw+|wow|whoa|woah|hey|hi|hello|yeah|yes|yep|yup|nah|haha|hehe|lol|omg|well|ok|"
    r"okay|"
    r"so|and|but|or|plus|thanks|sure|cool|nice|great|awesome|amazing|definitely|absolutely|totally|"
    r"right|hmm+|um+|uh+|ugh|man|dude|no way|of course|by the way|btw|also|anyway|honestly|"
    r"unfortunately|luckily|fortunately|sadly|personally|in fact|to be honest|as for me|for me|"
    r"in the meantime|on another note|on a different note|on that note|besides|i mean|you know|"
    r"like|basically|guess what|good news|"
    r"speaking of which|"
    r"fyi|mostly|recently|lately|finally|then|now|nowadays|these days|currently|sometimes|too|"
    r"same here|"
    r"just so you know|for the record|note that|please note that|agreed|exactly|true|yay|woohoo)\b"
    r"[,!.:;\s…-]+)+",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^i (?:think|guess|believe|suppose|would say|have to say|must say|"
    r"feel like)(?: that)? (?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"\b(is|am|are) (?:not|no longer) [^,]{1,40}?,? but (?:rather |now |actually )?"
    r"(?!(?:I|it|he|she|we|they|my|you|that|this|there|still|also)\b)",
    re.IGNORECASE,
)
_SIDE = re.compile(r",? (?:like|as) (?:I|you) (?:said|mentioned)\b|,? you know\b(?=$|,)", re.IGNORECASE)
_CALLED = re.compile(r"^[A-Z][a-z]+(?: [A-Z][a-z]+)?\s*[,!:-]+\s+(?=(?:I|My|We|Our|Just|I'm|I've)\b)")
_CORRECTION = re.compile(
    r"\b(?:actually|correction|i meant|no longer|not anymore|any ?more|turns out|in fact|instead|"
    r"sorry, (?:i|it|my)|i was wrong|i misspoke|scratch that|let me correct|changed my mind|"
    r"used to .* but now|switched to|moved to|not .{2,40} but)\b|, not \w",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:kind of|sort of|kinda|sorta|probably|possibly|i think|i guess|i suppose|i believe|maybe|"
    r"perhaps|likely|or something|more or less|not sure)\b",
    re.IGNORECASE,
)
_TIME = (
    r"(?:yesterday|today|tonight|tomorrow|last \w+|next \w+|this (?:morning|week|weekend|month|"
    r"year|"
    r"summer|winter|spring|fall)|(?:a|an|one|two|three|four|five|six|\d+|a couple(?: of)?|a few|"
    r"several) "
    r"(?:days?|weeks?|months?|years?) (?:ago|back)|on \w+day|in (?:19|20)\d\d|"
    r"(?:back )?in (?:january|"
    r"february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|"
    r"the other day|(?:every|each) \w+|once|on weekends|for the (?:past|last) [\w ]{3,16}|"
    r"since (?:19|20)\d\d|growing up|as a (?:kid|child|teen|teenager))"
)
_TIME_FRONT = re.compile(rf"^(?:so |and |but )?(?P<time>{_TIME})\s*,?\s+(?=(?:I|my|we|our)\b)", re.IGNORECASE)
_PLACE_FRONT = re.compile(
    r"^(?P<time>(?:in|at|on|with|during|for|from|as) (?!fact\b|me\b|for\b|context\b|the meantime|"
    r"another note|a different note|that note)"
    r"(?:(?!you|your|that|it|this|these|those|there|him|her|them|his)[\w'-]+ ?){1,6}),\s+(?=(?:I|"
    r"my|we)\b)",
    re.IGNORECASE,
)
_WHEN_FRONT = re.compile(
    r"^(?P<time>when(?:ever)? (?:I|we) [\w' ]{3,50}),\s+(?=(?:I|my|we)\b)", re.IGNORECASE
)
_OTHER_FRONT = re.compile(
    r"^(?:(?:in|at|on|with|after|before|since|during|for|from|to|as|when|while|besides|aside|"
    r"despite|"
    r"because|thanks to)\b[^,]{2,60}),\s+(?=(?:I|my|we)\b)",
    re.IGNORECASE,
)
_FRONTS = (_TIME_FRONT, _PLACE_FRONT, _WHEN_FRONT)
_SUBJECT = (
    r"(?:I|we|you|he|she|it|they|that|this|there|these|those|who|what|my|our|your|his|her|their|"
    r"let's|everyone|people|nothing|some)\b"
)
_VERBS = (
    r"(?:love|like|enjoy|hate|prefer|have|am|live|work|play|own|want|study|teach|speak|volunteer|"
    r"went|got|was|moved|started|bought|adopted|read|watch|listen|drive|collect)\b"
)
_PART = re.compile(
    rf"\s*(?:[;]|\s[-–—]+\s|—|\.\.\.+|…)\s*"
    rf"|\s*,?\s+(?:and|but|so|yet|plus|though|although|because|whereas)\s+"
    rf"(?:then\s+|also\s+|now\s+|so\s+|even though\s+)?(?={_SUBJECT}(?!\s+(?:and|or)\b))"
    rf"|\s*,\s+(?={_SUBJECT})"
    rf"|\s*,?\s+and\s+(?=(?:also\s+|really\s+)?{_VERBS})"
    rf"|\s*,\s+(?=[A-Z]\w+ (?:is|was|are|has)\b)"
    rf"|\s*,\s+(?:and |but |so )?(?=the \w+(?: \w+)? (?:is|are|was|were|has|have)\b)"
    rf"|\s*,\s+(?=(?:so|but|such|though|hence|hoping|making|which|especially|right|huh|haha|lol)\b)"
    rf"|\s+(?=(?:haha|lol)\b)",
    re.IGNORECASE,
)
_ME_AND = re.compile(r"(?:^|, )(?:me|i)$", re.IGNORECASE)
_MY_ONLY = re.compile(
    r"(?:me and )?my (?:(?!is\b|are\b|was\b|were\b|has\b|have\b|had\b)[\w-]+ ?){1,3}$",
    re.IGNORECASE,
)
_BARE_VERB = re.compile(rf"(?:also |really )?{_VERBS}", re.IGNORECASE)
_BARE_BASE = re.compile(
    r"(?:live|work|play|study|teach|speak|volunteer|read|watch|listen|drive|collect)\b",
    re.IGNORECASE,
)
_INFINITIVE = re.compile(r"\b(?:to|can|will|would|could|should|not|let's) (?:\w+ly )?[a-z]+\b")
_TAIL_QUESTION = re.compile(
    r"(?:,|\s[-–—]|\.\.\.|…)\s*(?:and |but |so |how about|what about)?(?:what|how|who|where|when|"
    r"why|do|does|"
    r"did|are|is|was|were|can|could|have|has|would|will|you|don't|didn't|isn't|aren't|right|"
    r"huh)\b[^,]*\?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement, in expanded words ("I'm" is "I am"), without its final punctuation.

    `first` is whether it opens its sentence; `carried` whether its subject was carried over from
    the clause before ("I work at a bar and *I* love it").
    """

    text: str
    time: str = ""
    correction: bool = False
    hedged: bool = False
    first: bool = True
    carried: bool = False


def expand(text: str) -> str:
    """Contractions and chat spellings written out, apostrophes made plain."""
    text = text.translate(_APOSTROPHES)
    if _QUICK.search(text.lower()):
        for pattern, full in _EXPANSIONS:
            text = pattern.sub(full, text)
    return text


def clauses(sentence: str) -> list[Clause]:
    """The clauses of one sentence; none for a question that asserts nothing."""
    if len(sentence) > MAX_SENTENCE:
        return []
    text = expand(sentence).strip()
    if text.endswith("?"):
        tail = _TAIL_QUESTION.search(text)
        if not tail:
            return []
        text = text[: tail.start()]
    text = text.rstrip(" .!…,;:)" + ('"' if text.count('"') % 2 else ""))
    correction = bool(_CORRECTION.search(text))
    text = _NOT_BUT.sub(r"\1 ", text)
    whole = _cleaned(Clause(text, correction=correction, hedged=bool(_HEDGE.search(text))))
    found: list[Clause] = []
    for part in _PART.split(whole.text):
        if not part.strip():
            continue
        first = not found
        if found and _ME_AND.search(found[-1].text):
            found[-1] = replace(found[-1], text=f"{found[-1].text} and {part.strip()}")
            continue
        if found and _MY_ONLY.match(found[-1].text) and part.strip().startswith("I "):
            found[-1] = replace(found[-1], text=f"{found[-1].text} and {part.strip()}")
            continue
        clause = _cleaned(replace(whole, text=part.strip(), first=first, time=whole.time * first))
        if not first and _BARE_BASE.match(clause.text) and _INFINITIVE.search(found[-1].text):
            found[-1] = replace(found[-1], text=f"{found[-1].text} and {clause.text}")
            continue
        carried = not first and _BARE_VERB.match(clause.text) and found[-1].text.startswith("I ")
        if carried:
            clause = replace(clause, text="I " + clause.text, carried=True)
        if clause.text:
            found.append(clause)
    return found


def _cleaned(clause: Clause) -> Clause:
    """A clause without interjections, the listener's name, and fillers; its time set apart."""
    text, time = clause.text, clause.time
    for _ in range(3):
        before = text
        text = _SIDE.sub("", _LEAD.sub("", text, count=1))
        if front := next((m for m in (p.match(text) for p in _FRONTS) if m), None):
            time = front["time"]
            text = text[front.end() :]
        text = _CALLED.sub("", text, count=1)
        text = _OPINION.sub("", text, count=1)
        text = re.sub(r"^(?:actually|correction)\b[,: ]*", "", text, flags=re.IGNORECASE)
        text = _OTHER_FRONT.sub("", text, count=1)
        if text == before:
            break
    return replace(clause, text=text.strip(" ,"), time=time)
