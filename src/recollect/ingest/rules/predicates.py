"""The verb group of a first-person clause: tense, negation, main verb and what follows it.

"I have always wanted to travel" is read as perfect, verb `want`, rest "to travel". The reading says
where the finite verb stands, so that `third_person` can be applied to it alone when the clause is
written down for somebody who was not there.
"""

from dataclasses import dataclass
from typing import Literal

from recollect.ingest.rules.words import HABITS, MENTAL
from recollect.text.terms import stem
from recollect.text.verbs import ADVERBS, IRREGULAR_PAST, SAME_PAST, is_past

Tense = Literal["present", "past", "perfect", "progressive", "future", "modal", "habit"]

_BE = frozenset("am is are was were be".split())
_HAVE = frozenset("have has had".split())
_DO = frozenset("do does did".split())
_MODALS = frozenset("can could will would shall should may might must".split())
_SUPPORTED = frozenset(
    """like love enjoy have want play work live own need prefer hate know use take get go make
    see""".split()
)
_PARTICIPLES = frozenset(
    """been done gone seen taken given written known eaten driven ridden spoken broken chosen frozen
    stolen worn torn begun drunk sung swum grown flown drawn thrown become come run forgotten gotten
    got had risen shown woken fallen hidden bitten beaten""".split()
)
_NOT_LY = frozenset("family reply apply supply fly rely early daily weekly only italy ally july".split())
_ING_ADJECTIVES = frozenset(
    """interesting amazing exciting boring stunning tiring relaxing challenging something nothing
    anything everything evening morning during rewarding thing king ring string loving caring
    willing outgoing easygoing""".split()
)
_BASE = dict(
    pair.split(":")
    for pair in """went:go gone:go got:get gotten:get bought:buy made:make taught:teach wrote:write
    written:write grew:grow grown:grow won:win lost:lose met:meet ran:run sang:sing sung:sing
    began:begin became:become found:find built:build sold:sell told:tell said:say thought:think
    felt:feel heard:hear saw:see seen:see knew:know known:know had:have has:have did:do done:do
    does:do took:take taken:take gave:give given:give left:leave kept:keep spent:spend chose:choose
    chosen:choose drove:drive driven:drive ate:eat eaten:eat came:come brought:bring was:be were:be
    am:be is:be are:be been:be broke:break broken:break fell:fall drew:draw flew:fly rode:ride
    swam:swim spoke:speak stood:stand led:lead held:hold paid:pay sent:send slept:sleep stole:steal
    threw:throw understood:understand woke:wake wore:wear forgot:forget hid:hide fought:fight
    caught:catch shot:shoot sat:sit drank:drink dug:dig hung:hang meant:mean dying:die lying:lie
    struck:strike stuck:stick fed:feed bit:bite rebuilt:rebuild underwent:undergo""".split()
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a subject does: `lemma` is a stem, `finite` the index of the finite verb in `words`."""

    words: tuple[str, ...]
    finite: int
    tense: Tense
    negated: bool
    lemma: str
    rest: tuple[str, ...]
    adverbs: tuple[str, ...]

    @property
    def after(self) -> str:
        """What follows the main verb."""
        return " ".join(self.rest)


def lemma(word: str) -> str:
    """The stem of the base form of a verb, whatever its form."""
    low = word.lower().strip(".,!")
    return stem(_BASE.get(low, low))


def is_adverb(word: str) -> bool:
    """Whether a word may stand inside a verb group without being its verb."""
    low = word.lower().strip(",")
    return low in ADVERBS or (len(low) > 4 and low.endswith("ly") and low not in _NOT_LY)


def parse(after_subject: str) -> Predicate | None:
    """The verb group at the start of a clause whose subject has been taken off."""
    words = tuple(after_subject.split())
    reader = _Reader(words)
    reader.skip()
    if reader.word() == "":
        return None
    finite = reader.at
    tense = _verb_group(reader)
    if reader.verb < 0 or words[finite].endswith(","):
        return None
    main = "be" if words[reader.verb].lower() in _HAVE and reader.been else words[reader.verb]
    return Predicate(
        words, finite, tense, reader.negated, lemma(main),
        words[max(reader.verb + 1, reader.tail) :], tuple(reader.adverbs),
    )  # fmt: skip


class _Reader:
    """A cursor over the words of a clause that remembers negation and adverbs on its way."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.at = 0
        self.verb = -1
        self.tail = 0
        self.been = False
        self.negated = False
        self.adverbs: list[str] = []

    def word(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.words[place].lower().strip(",") if place < len(self.words) else ""

    def skip(self) -> None:
        """Past adverbs and negation."""
        while (word := self.word()) and is_adverb(word):
            if word == "no" and self.word(1) != "longer":
                return
            self.negated = self.negated or word in ("not", "never", "no", "hardly", "barely")
            self.adverbs.append(word)
            self.at += 1

    def step(self) -> str:
        """Past the current word and what may follow it; the next word."""
        self.at += 1
        self.skip()
        return self.word()


def _verb_group(reader: _Reader) -> Tense:
    """Reads the auxiliaries, sets the place of the main verb and answers with the tense."""
    word = reader.word()
    if word in _BE:
        return _after_be(reader, past=word in ("was", "were"))
    if word in _HAVE:
        return _after_have(reader, past=word == "had")
    if word in _DO:
        start = reader.at
        following = reader.step()
        supports = reader.negated or _supported(following)
        reader.verb = reader.at if supports and following else start
        return "past" if word == "did" else "present"
    if word in _MODALS:
        future = word == "will"
        reader.step()
        reader.verb = reader.at if reader.word() else -1
        return "future" if future else "modal"
    if word == "used" and reader.word(1) == "to":
        reader.at += 1
        reader.step()
        reader.verb = reader.at if reader.word() else -1
        return "habit"
    reader.verb = reader.at
    return "past" if is_past(word) or word in SAME_PAST - {"read"} else "present"


def _supported(word: str) -> bool:
    """Whether "do" before this word only stresses it ("I do like …")."""
    known = stem(word) in HABITS or stem(word) in MENTAL
    return word in _SUPPORTED or (known and not word.endswith(("ing", "s", "ed")))


def _after_be(reader: _Reader, *, past: bool) -> Tense:
    start = reader.at
    word = reader.step()
    if word == "going" and reader.word(1) == "to" and _is_base(reader.word(2)):
        reader.at += 1
        reader.step()
        reader.verb = reader.at
        return "future"
    if word.endswith("ing") and len(word) > 4 and word not in _ING_ADJECTIVES:
        reader.verb = reader.at
        return "past" if past else "progressive"
    reader.verb, reader.tail = start, reader.at
    return "past" if past else "present"


def _after_have(reader: _Reader, *, past: bool) -> Tense:
    start = reader.at
    word = reader.step()
    if word == "been":
        following = reader.step()
        if following.endswith("ing") and following not in _ING_ADJECTIVES:
            reader.verb = reader.at
        else:
            reader.verb, reader.tail, reader.been = start, reader.at, True
        return "perfect"
    if word == "got" and reader.word(1) not in ("to", "into"):
        reader.verb = reader.at
        return "present"
    if word in _PARTICIPLES or word in IRREGULAR_PAST or (is_past(word) and word != "need"):
        reader.verb = reader.at
        return "perfect"
    reader.verb, reader.tail = start, reader.at
    return "past" if past else "present"


def _is_base(word: str) -> bool:
    """Whether a word can be a verb after "going to" (not "the", not a place)."""
    return bool(word) and word.isalpha() and word not in (
        "the", "a", "an", "my", "our", "their", "his", "her", "school", "college", "church", "bed",
        "university", "work", "this", "that", "some", "sleep",
    )  # fmt: skip
