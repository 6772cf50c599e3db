"""The verbs on contexts that were given out: `memory.contexts.expand()` and so on."""

from collections.abc import Callable, Iterable

from recollect.ingest import gate
from recollect.model.context import Expansion, Feedback
from recollect.store.scope import Scope

MAX_BUDGET = 10_000_000
EXPAND_BUDGET = 2_000


class Contexts:
    """Contexts that were given out: expand an entry, say what was used."""

    def __init__(self, scope: Scope, settle: Callable[[], None]) -> None:
        self._scope = scope
        self._settle = settle

    def expand(
        self,
        ref: str,
        *,
        context: str | None = None,
        budget: int = EXPAND_BUDGET,
        model: str | None = None,
    ) -> Expansion:
        """What stands behind a ref or an id: the full text and its sources, within a budget.

        A ref means that of the newest context which used it, or of the one that is named.
        """
        from recollect.context.assemble import DEFAULT_MODEL
        from recollect.context.expand import expand
        from recollect.models.tokens import tokenizer_for

        gate.count(budget, "budget", 1, MAX_BUDGET)
        gate.text(ref, "the ref", gate.MAX_NAME)
        self._settle()
        return expand(self._scope, ref, context, budget, tokenizer_for(model or DEFAULT_MODEL))

    def feedback(self, context: str, *, cited: Iterable[str] = (), ignored: Iterable[str] = ()) -> Feedback:
        """Say which entries the answer used and which it passed over, by ref or id."""
        from recollect.context.feedback import told

        self._settle()
        return told(self._scope, context, cited, ignored)

    def detect(self, context: str, reply: str) -> Feedback:
        """See in the assistant's reply which entries it used, and count that."""
        from recollect.context.feedback import detect

        gate.text(reply, "the reply")
        self._settle()
        return detect(self._scope, context, reply)
