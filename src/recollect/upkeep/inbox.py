"""The verbs on contradictions: `memory.contradictions.list()` and so on."""

from collections.abc import Callable, Sequence

from recollect.ingest import gate
from recollect.model.ids import checked_id
from recollect.model.relation import Dispute, Resolution
from recollect.store.scope import Scope


class Contradictions:
    """Memories that cannot both be true: look at them, and decide."""

    def __init__(self, scope: Scope, stir: Callable[[], None]) -> None:
        self._scope = scope
        self._stir = stir

    def list(self, *, all: bool = False) -> Sequence[Dispute]:
        """What waits for a decision, oldest first; with `all`, also what is settled."""
        from recollect.upkeep.resolve import disputes

        return self._scope.read(lambda tx: disputes(tx, self._scope, only_open=not all))

    def get(self, id: str) -> Dispute:
        """One contradiction with both its sides."""
        from recollect.upkeep.resolve import dispute

        wanted = checked_id(id, "the contradiction id")
        return self._scope.read(lambda tx: dispute(tx, self._scope, wanted))

    def resolve(
        self, id: str, resolution: Resolution | str, *, note: str | None = None, text: str | None = None
    ) -> Dispute:
        """Decide: `a_wins`, `b_wins`, `both_valid`, or `merged` into the text that is given."""
        from recollect.upkeep.resolve import resolve

        settled = resolve(
            self._scope,
            checked_id(id, "the contradiction id"),
            gate.choice(resolution, Resolution, "resolution"),
            None if note is None else gate.redacted(gate.text(note, "the note"))[0],
            None if text is None else gate.redacted(gate.text(text, "the merged text"))[0],
        )
        self._stir()
        return settled

    def reopen(self, id: str) -> Dispute:
        """Take a resolution back."""
        from recollect.upkeep.resolve import reopen

        return reopen(self._scope, checked_id(id, "the contradiction id"))
