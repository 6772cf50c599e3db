"""English verb forms: which words are past tense, and how "I …" becomes "she …".

Only what rewriting first-person statements needs: recognising the form of a verb and moving it from
the first to the third person. Nothing here knows meaning.
"""

IRREGULAR_PAST = frozenset(
    """was were had did went got came made saw took met bought thought brought caught taught fought
    sought knew grew flew drew threw blew wrote rode drove rose broke spoke woke chose froze
    stole wore tore swore bore ate gave began drank sang swam ran rang sank spent sent lent
    built lost left kept slept swept felt dealt meant dreamt learnt told sold held stood
    understood heard found fell won shot sat led fed said paid laid shook forgot forgave
    became overcame bent bit hid slid sped stuck struck swung hung dug spun wound fled lit
    sewed showed withdrew undertook mistook rebuilt retook redid underwent outgrew
    overheard""".split()
)
SAME_PAST = frozenset("put set cut hit hurt quit let read cost shut split spread bet upset".split())
"""Verbs whose past looks like their present."""

MODALS = frozenset(
    """can could will would shall should may might must can't cannot couldn't won't wouldn't shan't
    shouldn't mustn't needn't""".split()
)

ADVERBS = frozenset(
    """also always never often usually sometimes rarely seldom generally normally typically really
    just only still already recently lately currently now then actually finally even ever mostly
    mainly definitely absolutely totally truly simply probably certainly especially particularly
    once twice regularly occasionally frequently almost nearly barely hardly officially originally
    eventually initially previously formerly secretly personally kinda sorta both all first later
    mainly primarily rather not no longer kind sort of very so too long ever-since""".split()
)
"""Words that may stand between the subject and its verb."""

_NOT_PAST = frozenset(
    "need feed speed breed bleed exceed proceed succeed embed wed shed seed weed heed".split()
)


def is_past(word: str) -> bool:
    """Whether a lower-case word reads as a simple past form."""
    if word in IRREGULAR_PAST:
        return True
    return len(word) > 3 and word.endswith("ed") and word not in _NOT_PAST


def third_person(verb: str) -> str:
    """The third person singular of a lower-case base form ("try" → "tries", "have" → "has")."""
    special = {"have": "has", "am": "is", "are": "is", "'m": "is", "do": "does", "go": "goes",
               "workout": "works out",
               "were": "was", "be": "is", "don't": "doesn't", "haven't": "hasn't",
               "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't"}  # fmt: skip
    if verb in special:
        return special[verb]
    if (
        verb in MODALS
        or is_past(verb)
        or verb in SAME_PAST - {"read"}
        or verb in ("is", "has", "does", "isn't", "hasn't")
    ):
        return verb
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
