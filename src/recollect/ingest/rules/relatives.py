"""The one pronoun that is safe to resolve, as in "I have a sister; she is a dancer".

Only when the sentence before names exactly one relative of the speaker, and the next one opens with
the pronoun that fits, is the pronoun read as that relative.
"""

import re
from dataclasses import replace

from recollect.text.sentences import Sentence

_SHE = "wife girlfriend mom mum mother sister daughter grandma grandmother aunt niece".split()
_HE = "husband boyfriend dad father brother son grandpa grandfather uncle nephew".split()
_RELATIVE = re.compile(
    r"\b(?:my|a|an|one) (?:\w+ ){0,2}?(?P<who>" + "|".join(_SHE + _HE) + r")\b(?!'s|’s)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?P<pronoun>She|He)"
    r"(?P<verb>['’]s|\s(?:is|was|has|works|lives|loves|likes|plays|used))\b"
)


def relative_in(sentence: str) -> str:
    """The one relative a sentence names, or nothing."""
    found = {match["who"].lower() for match in _RELATIVE.finditer(sentence[:600])}
    return found.pop() if len(found) == 1 else ""


def with_relative(sentence: Sentence, relative: str) -> Sentence:
    """The sentence with its opening pronoun read as the relative just named."""
    match = _OPENING.match(sentence.text) if relative else None
    if not match or relative not in (_SHE if match["pronoun"] == "She" else _HE):
        return sentence
    verb = match["verb"]
    if verb[0] in "'’":
        perfect = re.match(r"\s(?:\w+ )?(?:been|got|had)\b", sentence.text[match.end() :])
        verb = " has" if perfect else " is"
    return replace(sentence, text=f"My {relative}{verb}{sentence.text[match.end() :]}")
