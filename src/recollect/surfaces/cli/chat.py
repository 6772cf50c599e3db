"""The chat command: a conversation to feel the memory by; each turn shows what was recalled and learnt."""

import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import settings, wiring
from recollect.errors import InvalidInput, ModelError, NotFound
from recollect.memory import Memory, scope_of, system_clock
from recollect.model.conversation import Role
from recollect.model.decision import Decision, Outcome
from recollect.model.found import Found
from recollect.surfaces.cli.command import Command, argument
from recollect.surfaces.cli.output import Session
from recollect.surfaces.cli.review import told

if TYPE_CHECKING:
    from recollect.models.energy import Spending
    from recollect.models.llm import LLM, Prompt

NO_LLM = "no LLM is configured: set `llm`, such as RECOLLECT_LLM=ollama:llama3.2, to get answers"
HELP = "/recall WORDS, /why ID, /quit; anything else is said to the assistant"
ANSWER_TOKENS = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange: without an answer, `note` says why there is none."""

    said: str
    recalled: tuple[Found, ...]
    answer: str | None = None
    by: str | None = None
    note: str | None = None
    learnt: tuple[Decision, ...] = ()


class Chat:
    """A running chat; its conversation begins with the first thing said."""

    def __init__(self, session: Session, memory: Memory, llm: "LLM | None", limit: int) -> None:
        self._session = session
        self._memory = memory
        self._llm = llm
        self._limit = limit
        self.conversation: str | None = None

    def take(self, line: str) -> None:
        """Do what one line asks for; a mistake in it is told, and the chat goes on."""
        try:
            word, _, rest = line.partition(" ")
            if word == "/recall":
                found = self._memory.recall(rest, limit=self._limit)
                self._session.show(found, "\n".join(_recalled(found.found)))
            elif word == "/why":
                found_why = self._memory.review.explain(rest.strip())
                self._session.show(found_why, "\n".join(told(found_why)))
            elif line.startswith("/"):
                raise InvalidInput(f"no command {word}: {HELP}")
            else:
                turn = self._turn(line)
                self._session.show(turn, "\n".join(_told(turn)))
        except (InvalidInput, NotFound) as error:
            print(f"error: {error}", file=sys.stderr)
        sys.stdout.flush()

    def end(self) -> None:
        """Close the conversation, if there was one, and let memory be made of it."""
        if self.conversation is not None:
            ended = self._memory.conversations.end(self.conversation)
            self._session.catch_up(self._memory)
            self._session.show(ended, f"ended {ended.id}")

    def _turn(self, line: str) -> Turn:
        recalled = self._memory.recall(line, limit=self._limit).found
        if self.conversation is None:
            self.conversation = self._memory.conversations.start("chat").id
        prompt = None if self._llm is None else self._prompt(line, self._llm)
        said = [self._memory.add(line, conversation=self.conversation).id]
        answer, note = self._answer(prompt)
        if answer is not None:
            receipt = self._memory.add(answer, role=Role.ASSISTANT, conversation=self.conversation)
            said.append(receipt.id)
        self._session.catch_up(self._memory)
        return Turn(
            said=line,
            recalled=recalled,
            answer=answer,
            by=None if answer is None or self._llm is None else self._llm.name,
            note=note,
            learnt=tuple(d for id in said for d in self._decisions(id)),
        )

    def _prompt(self, line: str, llm: "LLM") -> "Prompt":
        """What is said, with all that should be known for it."""
        from recollect.models.prompts import PromptFile

        context = self._memory.context(line, conversation=self.conversation, model=llm.name)
        file = PromptFile(Path(__file__).with_suffix(".md"), str, purpose="chat", max_tokens=ANSWER_TOKENS)
        return file.render(context=context.text, said=line)

    def _answer(self, prompt: "Prompt | None") -> tuple[str | None, str | None]:
        """What the LLM says, or why it says nothing."""
        from recollect.models.llm import say

        if self._llm is None or prompt is None:
            return None, NO_LLM
        try:
            return say(self._llm, prompt), None
        except ModelError as error:
            return None, f"the LLM did not answer: {error}"

    def _decisions(self, message: str) -> Iterator[Decision]:
        found = self._memory.review.explain(message).decisions
        return (d for d in found if d.outcome is not Outcome.IGNORE)


def chat(session: Session, given: Namespace) -> None:
    """Talk, line by line, from a terminal or a pipe."""
    with session.memory() as memory:
        llm = _llm(session, memory)
        running = Chat(session, memory, llm, given.limit)
        if sys.stdin.isatty():
            print(f"{NO_LLM if llm is None else f'answers by {llm.name}'}\n{HELP}", file=sys.stderr)
        try:
            for line in _lines():
                if line == "/quit":
                    break
                running.take(line)
        finally:
            running.end()


def _llm(session: Session, memory: Memory) -> "LLM | None":
    """The LLM of this machine, if there is one.

    It pays from the memory's energy, or, where a server holds the memory, from a budget of this chat's own.
    """
    chosen = settings.load(db=session.db, tenant=session.tenant)
    if not chosen.llm:
        return None
    llms = wiring.llms(chosen, None)()
    if not settings.names_server(session.db):
        return llms.metered(scope_of(memory))
    from recollect.models.energy import Meter, Priority
    from recollect.models.metered import MeteredLLM

    meter = Meter(llms.budget(), _Spent([]))
    return MeteredLLM(llms.loaded(), meter, Priority.NORMAL, system_clock)


@dataclass(frozen=True, slots=True)
class _Spent:
    """What one chat has spent; a ledger that ends with it."""

    calls: "list[Spending]"

    def record(self, spending: "Spending") -> None:
        self.calls.append(spending)

    def spent_since(self, moment: datetime) -> int:
        return sum(call.tokens for call in self.calls if call.at > moment)


def _lines() -> Iterator[str]:
    """What is typed or piped in, without blank lines, to its end (Ctrl-D)."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while True:
        if sys.stdin.isatty():
            try:
                line = input("you> ")
            except EOFError:
                print(file=sys.stderr)
                return
        elif not (line := sys.stdin.readline()):
            return
        if line.strip():
            yield line.strip()


def _told(turn: Turn) -> Iterator[str]:
    yield from _recalled(turn.recalled)
    if turn.answer is None:
        yield f"({turn.note}) You said: {turn.said}"
    else:
        yield f"{turn.by}: {turn.answer}"
    for d in turn.learnt:
        yield f"  learnt ({d.outcome}): {d.text}" + (f" [{d.memory}]" if d.memory else "")
    if not turn.learnt:
        yield "  learnt: nothing"


def _recalled(found: tuple[Found, ...]) -> Iterator[str]:
    for f in found:
        yield f"  recalled {f.score:.2f} {f.kind}: {' '.join(f.text.split())} [{f.id}]"
    if not found:
        yield "  recalled: nothing"


COMMANDS = (
    Command("chat", chat, f"Talk, and see what is recalled and learnt at each turn. In it: {HELP}.", (
        argument("--limit", type=int, default=5, help="recall at most this many each turn (5)"),
    )),
)  # fmt: skip
