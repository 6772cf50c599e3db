"""Call: one request that was let in; how its verb is run, audited and answered."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect.errors import Conflict, InvalidInput
from recollect.memory import Memory, bound, engine_of, scope_of
from recollect.model.access import AuditEntry
from recollect.model.ids import new_id
from recollect.model.receipt import Receipt
from recollect.model.relation import Link
from recollect.model.wire import encoded
from recollect.store import answers, audit
from recollect.store.answers import Answer
from recollect.store.database import Tx
from recollect.store.joined import Joined
from recollect.surfaces.mcp.values import Answer as Told
from recollect.surfaces.rest import events
from recollect.surfaces.rest.house import Caller, House
from recollect.upkeep.verbs import Progress

T = TypeVar("T")
REPLAYED = {"Idempotency-Replayed": "true"}


@dataclass(frozen=True, slots=True)
class Call:
    """One request: who asks for which operation, through which view, and what they sent."""

    house: House
    caller: Caller
    operation: str
    memory: Memory
    target: str
    body: bytes
    key: str | None
    streamed: bool = False

    def write(self, verb: Callable[[Memory], T], status: int = 200) -> Response:
        """Run a verb with its line in the log and its kept answer, all in one transaction."""

        def work(tx: Tx) -> tuple[Answer, bool]:
            kept = self._kept(tx)
            if kept is not None:
                return kept, True
            answer = Answer(self._fingerprint(), status, _text(self._done(tx, verb)))
            self._keep(tx, answer)
            return answer, False

        answer, replayed = self._committed(work)
        return _response(answer, REPLAYED if replayed else {})

    def done(self, verb: Callable[[Memory], T]) -> T:
        """Run a verb with its line in the log in one transaction, for a door that keeps no answers."""
        return self._committed(lambda tx: self._done(tx, verb))

    def work(self, verb: Callable[[Memory], T], status: int = 200) -> Response:
        """The same for a verb with transactions of its own that may be repeated: noted when it is done."""
        scope = scope_of(self.memory)
        kept = scope.read(self._kept) if self.key else None
        if kept is not None:
            return _response(kept, REPLAYED)
        result = verb(self.memory)
        answer = Answer(self._fingerprint(), status, _text(result))

        def note(tx: Tx) -> Answer:
            first = self._kept(tx)  # of a twin that ran at the same time
            self._note(tx, result)
            if first is None:
                self._keep(tx, answer)
            return first or answer

        return _response(scope.write(note))

    def long(self, verb: Callable[[Memory, Progress], T]) -> Response:
        """The same for a verb that takes its time: told on the way as events, if the caller takes them.

        Events are not kept: with an idempotency key there is one answer, at the end.
        """
        if self.key is not None or not self.streamed:
            return self.work(lambda memory: verb(memory, lambda _step, _done: None))

        def work(tell: Callable[[dict[str, Any]], None]) -> T:
            result = verb(self.memory, lambda step, done: tell({"step": step, "done": done}))
            self.note(result)
            return result

        return StreamingResponse(events.told(work), media_type=events.MEDIA_TYPE)

    def note(self, result: Any) -> None:
        """Put what was done into the log, where the answer is a stream."""
        scope_of(self.memory).write(lambda tx: self._note(tx, result))

    def _committed(self, work: Callable[[Tx], T]) -> T:
        result = scope_of(self.memory).write(work)
        engine_of(self.memory).stir()
        return result

    def _done(self, tx: Tx, verb: Callable[[Memory], T]) -> T:
        """Run a verb and log it within a transaction."""
        result = verb(bound(self.memory, replace(scope_of(self.memory), database=Joined(tx))))
        self._note(tx, result)
        return result

    def _kept(self, tx: Tx) -> Answer | None:
        if self.key is None:
            return None
        found = answers.find(tx, self.caller.id, self.key, scope_of(self.memory).now())
        if found is not None and found.fingerprint != self._fingerprint():
            raise InvalidInput("this Idempotency-Key was used for another request: take a new key")
        if found is not None and found.body is None:
            raise Conflict("this was done already, and what it answered has been erased since")
        return found

    def _keep(self, tx: Tx, answer: Answer) -> None:
        if self.key is not None:
            answers.keep(tx, self.caller.id, self.key, answer, scope_of(self.memory).now())

    def _note(self, tx: Tx, result: Any) -> None:
        scope = scope_of(self.memory)
        entry = AuditEntry(
            id=new_id(scope.now()),
            at=scope.now(),
            who=self.caller.id,
            operation=self.operation,
            space=scope.view.home,
            ids=_ids(result),
        )
        audit.put(tx, [entry])

    def _fingerprint(self) -> str:
        return sha256(self.target.encode("utf-8", "surrogatepass") + b"\0" + self.body).hexdigest()


def answer(value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(_text(value).encode("utf-8"), 200, dict(headers or {}), "application/json")


def _response(kept: Answer, headers: Mapping[str, str] | None = None) -> Response:
    body = (kept.body or "").encode("utf-8")
    return Response(body, kept.status, dict(headers or {}), "application/json")


def _text(value: Any) -> str:
    return json.dumps(encoded(value), ensure_ascii=False)


def _ids(result: Any) -> tuple[str, ...]:
    """The ids a result is about, for the log."""
    if isinstance(result, Receipt | Told):
        return tuple(dict.fromkeys(result.ids))
    if isinstance(result, Link):
        return (result.source, result.target)
    found = getattr(result, "id", None)
    return (found,) if isinstance(found, str) else ()


async def _of(
    request: Request,
    view: Annotated[
        list[str] | None,
        Query(description="The spaces to see, most specific first; writes go to the first."),
    ] = None,
) -> Call:
    del view  # read by the route before the body; named here for the OpenAPI document
    call: Call = request.state.call
    return call


Called = Annotated[Call, Depends(_of)]
