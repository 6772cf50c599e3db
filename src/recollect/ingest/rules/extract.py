"""Messages to candidates: what a message states about its speaker, his project or the world.

Rules read clauses, not keywords: who speaks, in which tense, denied or not, supposed or not. What
cannot stand alone is dropped. An assistant's words count only where they report something done;
documents and tools may state facts, never wishes of the user.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from recollect.ingest.rules.answers import read_answer
from recollect.ingest.rules.candidate import Candidate, Said
from recollect.ingest.rules.clauses import MAX_SENTENCE, Clause, clauses, expand
from recollect.ingest.rules.drafts import Draft
from recollect.ingest.rules.guards import is_hearsay, is_hypothesis, quotes_somebody, standing
from recollect.ingest.rules.mine import read_mine, reversed_favorite, reversed_role
from recollect.ingest.rules.objects import dated_or_named, has_past_date, telling
from recollect.ingest.rules.person import others, possessive, tell
from recollect.ingest.rules.predicates import Predicate, parse
from recollect.ingest.rules.relations import Relation, read_relation
from recollect.ingest.rules.relatives import relative_in, with_relative
from recollect.ingest.rules.requests import Stated, read_project, read_remember, read_request
from recollect.ingest.rules.statements import read
from recollect.ingest.rules.words import KIN
from recollect.text import dates
from recollect.text.dates import TimeSpan
from recollect.text.sentences import Sentence, split
from recollect.text.smalltalk import is_small_talk
from recollect.text.terms import terms
from recollect.text.verbs import is_past

MAX_SENTENCES = 400
"""Longer messages are documents: their first sentences are read, the rest is only searched."""

MIN_CONFIDENCE = 0.4
_HEDGE_COST = 0.2
_IMPLIED_COST = 0.1
_UNTRUSTED = frozenset({"tool", "document", "import"})
_UNTRUSTED_KINDS = frozenset({"fact", "entity", "error", "procedure", "decision"})


def extract(said: Said, previous: Said | None = None) -> list[Candidate]:
    """The candidates of one message, in order; `previous` is the message it answers, if any."""
    found: dict[str, Candidate] = {}
    sentences = [s for s in split(said.text)[:MAX_SENTENCES] if not s.code]
    if (
        previous is not None
        and said.role == "user"
        and (previous.role, previous.speaker) != (said.role, said.speaker)
        and sentences
    ):
        for candidate in _answered(said, previous, sentences[0]):
            found[candidate.text.casefold()] = candidate
    relative = ""
    for sentence in sentences:
        if "[" in sentence.text:  # a placeholder or markup, no speech
            continue
        told = with_relative(sentence, relative)
        for candidate in _of_sentence(said, previous, told):
            found.setdefault(candidate.text.casefold(), candidate)
        relative = relative_in(sentence.text)
    return [candidate for candidate in found.values() if not _names_the_known(candidate)]


def _names_the_known(candidate: Candidate) -> bool:
    """Whether it only tells the name under which its subject is known: "Alex is Alex"."""
    return candidate.key == "name" and set(terms(candidate.value)) <= set(terms(candidate.subject))


def _answered(said: Said, previous: Said, sentence: Sentence) -> Iterator[Candidate]:
    if is_small_talk(sentence.text) or "[" in said.text:
        return
    answer = read_answer(previous.text, sentence.text, said.name)
    if answer:
        draft, text = answer
        yield _candidate(said, sentence, draft, text, Clause(sentence.text))


def _of_sentence(said: Said, previous: Said | None, sentence: Sentence) -> Iterator[Candidate]:
    text = sentence.text
    if len(text) > MAX_SENTENCE or _quoted_line(said.text, sentence) or quotes_somebody(text):
        return
    if said.role == "assistant":
        yield from _done_by_assistant(said, sentence)
        return
    relation = read_relation(text)
    if relation is not None:
        yield _related(said, sentence, relation)
        return
    if said.role in _UNTRUSTED:
        yield from _of_document(said, sentence)
        return
    if is_small_talk(text):
        return
    listener = previous.speaker if previous is not None else ""
    for clause in clauses(text):
        yield from _of_clause(said, sentence, clause, listener)


def _quoted_line(text: str, sentence: Sentence) -> bool:
    """Whether the sentence stands on a line that quotes somebody (`> …`)."""
    line = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
    return line.lstrip().startswith(">")


def _of_clause(said: Said, sentence: Sentence, clause: Clause, listener: str) -> Iterator[Candidate]:
    remembered = read_remember(clause.text)
    if remembered:
        clause = replace(clause, text=remembered)
    if listener:
        clause = replace(clause, text=re.sub(rf",? {re.escape(listener)}$", "", clause.text))
    stated = read_request(clause.text, said.name)
    if stated:
        yield _stated(said, sentence, clause, stated)
        return
    if is_hypothesis(clause.text) or is_hearsay(clause.text):
        return
    yield from _first_person(said, sentence, clause)


def _first_person(said: Said, sentence: Sentence, clause: Clause) -> Iterator[Candidate]:
    text = clause.text
    favorite = reversed_favorite(text) or reversed_role(text)
    if favorite:
        draft, told = favorite
        glue = "" if told.startswith("'s") else " "
        yield _candidate(said, sentence, draft, f"{said.name}{glue}{told}", clause)
        return
    low = text.lower()
    if low.startswith("i "):
        yield from _about_speaker(said, sentence, clause, text[2:])
    elif match := _MY_AND_I.match(text):
        who = f"{said.name} and {others(match['who'].strip().lower())}"
        yield from _about_speaker(said, sentence, clause, text[match.end() :], who)
    elif low.startswith("my ") or _OUR.match(low):
        yield from _about_mine(said, sentence, clause)
    else:
        stated = read_project(text)
        if stated:
            yield from _of_project(said, sentence, clause, stated)
        elif low.startswith("we "):
            yield from _about_speaker(said, sentence, clause, text[3:], f"{said.name}{_OTHERS}")
        elif _IMPLIED.match(text) and clause.first:
            yield from _about_speaker(said, sentence, clause, text[0].lower() + text[1:], implied=True)


_OTHERS = " and others"
_OUR = re.compile(r"our (?:team|company|project|app|product|office|startup|business|family|house)\b")
_MY_AND_I = re.compile(
    r"^(?:me and )?(?P<who>my (?:(?!is\b|are\b|was\b|were\b|has\b|have\b|"
    r"had\b)[\w-]+ ){1,3})and (?:I|me)\s+",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"^(?:(?:Just|Finally|Recently|Already|Also) )?(?P<verb>[A-Z]?[a-z]+(?:ed|t|n|ght|ew|ot)|Took|"
    r"Made|Saw|Got|Had|Won|Lost|Went|"
    r"Been|Started) (?:[a-z]+ )?(?:my|a|an|our|the)\b"
)


def _about_speaker(
    said: Said,
    sentence: Sentence,
    clause: Clause,
    after: str,
    who: str = "",
    *,
    implied: bool = False,
) -> Iterator[Candidate]:
    p = parse(after)
    if p is None or (implied and not _implies(p)):
        return
    if p.words[p.finite].lower() == "read" and has_past_date((clause.time, *p.rest)):
        p = replace(p, tense="past")
    draft = read(p)
    if draft is None or (draft.rule == "can" and (who or not clause.first)):
        return
    if who.endswith(_OTHERS) and (draft.rule == "must" or not _worth_telling(p)):
        return
    words = standing(p.words, len(p.words) - len(p.rest) + (1 if p.rest else 0))
    if words is None:
        return
    cut = _cut(p, words)
    if cut is not p:
        draft = read(cut)
        if draft is None:
            return
    if implied:
        draft = replace(draft, confidence=draft.confidence - _IMPLIED_COST)
    yield _candidate(said, sentence, draft, tell(who or said.name, cut, plural=bool(who)), clause)


def _worth_telling(p: Predicate) -> bool:
    """Whether what "we" did says enough without knowing who "we" are."""
    return has_past_date(p.rest) or dated_or_named(p.rest) or len(telling(p.rest)) > 2


def _implies(p: Predicate) -> bool:
    """Whether a clause without a subject reads as the speaker's own deed."""
    verb = p.words[p.finite].lower()
    return is_past(verb) or verb == "been"


def _cut(p: Predicate, words: list[str]) -> Predicate:
    """The predicate shortened to the words that stand alone."""
    if len(words) == len(p.words) and tuple(words) == p.words:
        return p
    lead = len(p.words) - len(p.rest)
    return replace(p, words=tuple(words), rest=tuple(words[lead:]))


def _about_mine(said: Said, sentence: Sentence, clause: Clause) -> Iterator[Candidate]:
    words = standing(clause.text.split(), 3)
    mine = read_mine(" ".join(words)) if words else None
    if mine is None:
        return
    owner = f"{possessive(said.name)} {others(mine.noun)}"
    text = tell(owner, mine.predicate, finite=True)
    relative = [w for w in mine.noun.lower().split() if w in KIN]
    subject = owner if relative and mine.draft.rule.startswith("family") else said.name
    yield _candidate(said, sentence, mine.draft, text, clause, subject=subject)


def _stated(said: Said, sentence: Sentence, clause: Clause, stated: Stated) -> Candidate:
    text = stated.text if stated.text.startswith(f"{said.name} ") else others(stated.text)
    return _candidate(said, sentence, stated.draft, text, clause, subject=stated.subject)


def _of_project(said: Said, sentence: Sentence, clause: Clause, stated: Stated) -> Iterator[Candidate]:
    words = standing(stated.text.split(), min(4, len(stated.text.split())))
    if words is not None:
        whole = replace(stated, text=" ".join(words))
        yield _stated(said, sentence, clause, whole)


def _of_document(said: Said, sentence: Sentence) -> Iterator[Candidate]:
    """Facts of a document; nothing it says can become a wish of the user."""
    for clause in clauses(sentence.text):
        stated = read_project(clause.text)
        if stated and stated.draft.kind in _UNTRUSTED_KINDS and not is_hypothesis(clause.text):
            yield from _of_project(said, sentence, clause, stated)


_DONE = re.compile(
    r"^(?:done[:!.] )?(?:I|We|I've|We've|I have|We have)(?: have)?(?: now| just| also|"
    r" successfully)* "
    r"(?P<verb>fixed|resolved|solved|deployed|merged|released|implemented|migrated|refactored|"
    r"decided|completed|finished|"
    r"created|added|removed|renamed|replaced|upgraded|updated|configured|installed|moved|"
    r"switched) (?P<what>.+)$"
)


def _done_by_assistant(said: Said, sentence: Sentence) -> Iterator[Candidate]:
    """An assistant's report of something done; its advice and its guesses are nobody's facts."""
    text = expand(sentence.text).rstrip(" .!")
    match = _DONE.match(text)
    if not match or is_hypothesis(text) or sentence.text.endswith("?"):
        return
    verb = match["verb"]
    words = standing([verb.capitalize(), *match["what"].split()], 3)
    if words is None:
        return
    kind = "error" if verb in ("fixed", "resolved", "solved") else "decision" if verb == "decided" else "fact"
    draft = Draft(f"done {verb}", kind, "outcome", "", " ".join(words[1:]), "many", 0.6, 0.5)  # type: ignore[arg-type]
    yield _candidate(said, sentence, draft, others(" ".join(words)), Clause(text), subject="project")


def _related(said: Said, sentence: Sentence, relation: Relation) -> Candidate:
    draft = Draft(
        "relation", "fact", "relation", relation.key, relation.value,
        "many" if relation.many else "one", 0.8, 0.5,
    )  # fmt: skip
    text = " ".join(sentence.text.split())
    return _candidate(said, sentence, draft, text, Clause(text), subject=relation.subject)


def _candidate(
    said: Said, sentence: Sentence, draft: Draft, text: str, clause: Clause, *, subject: str = ""
) -> Candidate:
    """The finished candidate: time resolved and written out, confidence weighed."""
    body = _with_time(text, clause)
    spans = [] if _timeless(draft) else dates.resolve(body, said.at)
    body, start, end = _dated(body, spans, draft, said.at)
    confidence = max(0.0, min(1.0, draft.confidence - _HEDGE_COST * clause.hedged))
    return Candidate(
        draft.kind, body, subject or said.name, draft.category, draft.key, draft.value,
        draft.cardinality, round(confidence, 2), draft.importance, draft.rule, sentence.start,
        sentence.end, start, end, clause.correction, draft.negated,
    )  # fmt: skip


def _timeless(draft: Draft) -> bool:
    """Whether a time in the statement is part of a habit ("in the summer") and no date."""
    return (
        draft.kind in ("preference", "instruction")
        or draft.rule.startswith("habit")
        or draft.key in ("birthday", "age")
    )


def _with_time(text: str, clause: Clause) -> str:
    body = text.strip().rstrip(".!,;:").replace("can not ", "cannot ")
    if clause.time and clause.time.lower() not in body.lower():
        time = clause.time if clause.time[:2].isupper() else clause.time[0].lower() + clause.time[1:]
        body = f"{body} {others(time)}"
    return body[0].upper() + body[1:] if body[:1].islower() and " " in body else body


def _dated(
    text: str, spans: list[TimeSpan], draft: Draft, at: datetime
) -> tuple[str, datetime | None, datetime | None]:
    """The text with relative dates written out, and the validity they give."""
    if not spans:
        return text, None, None
    last = spans[-1]
    if not re.search(r"\d{4}", last.text) and last.kind not in ("hour", "minute"):
        place = last.position + len(last.text)
        text = f"{text[:place]} ({_written(last)}){text[place:]}"
    if draft.kind == "goal" or draft.rule == "ongoing":
        return text, None, last.end if last.start > at or last.end > at else None
    return text, last.start if last.start <= at else None, None


def _written(span: TimeSpan) -> str:
    start = span.start
    day = f"{start.day} {start:%B %Y}"
    forms = {
        "day": day,
        "week": f"week of {day}",
        "weekend": f"weekend of {day}",
        "month": f"{start:%B %Y}",
        "quarter": f"from {start:%B %Y}",
        "season": f"{start:%B %Y} on",
        "year": f"{start.year}",
        "decade": f"{start.year}s",
        "range": f"{day} to {span.end.day} {span.end:%B %Y}",
    }
    return forms.get(span.kind, f"around {day}")
