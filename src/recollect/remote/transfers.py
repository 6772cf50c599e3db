"""Everything in and out of a memory behind a server, as files on this side."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.groups import Transfers
from recollect.model.wire import decoded
from recollect.remote.line import Line

if TYPE_CHECKING:
    from recollect.files.jsonl import Transfer
    from recollect.memory import Memory

PIECE = 1 << 16


class RemoteTransfers(Transfers):
    """Everything in and out, as files."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def export(self, path: str | Path, *, spaces: Sequence[str] | None = None) -> "Transfer":
        """Write everything of the tenant, or of some spaces, as JSON Lines; the file appears whole."""
        from recollect.files.jsonl import Transfer

        final = Path(path)
        partial = final.with_name(final.name + ".partial")
        params = {"space": spaces, "view": self._line.spaces}
        try:
            with (
                self._line.client.stream("GET", "/v1/export", params=params) as response,
                partial.open("wb") as out,
            ):
                for piece in response.pieces():
                    out.write(piece)
            moved = _counted(partial)
            partial.replace(final)
        except OSError as error:
            raise InvalidInput(f"{final} cannot be written: {error.strerror}") from error
        finally:
            partial.unlink(missing_ok=True)
        return Transfer(moved=moved)

    def load(self, path: str | Path, *, progress: Callable[[int], None] | None = None) -> "Transfer":
        """Read an export: all of it, or nothing. What is already there is left alone."""
        from recollect.files.jsonl import Transfer

        def tell(so_far: dict[str, int]) -> None:
            if progress is not None:
                progress(so_far["done"])

        kind = {"content-type": "application/x-ndjson"}
        options: dict[str, Any] = {"params": {"view": self._line.spaces}, "headers": kind}
        try:
            with Path(path).open("rb") as held:
                moved = self._line.client.follow("/v1/import", tell, content=_pieces(held), **options)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
        return decoded(Transfer, moved)

    def export_folder(self, folder: str | Path) -> "Transfer":
        """Write the view as the readable JSON folder (`.project-memory/`)."""
        with tempfile.TemporaryDirectory() as aside, self._aside(aside) as memory:
            self.export(Path(aside) / "all.jsonl", spaces=self._line.spaces)
            memory.transfers.load(Path(aside) / "all.jsonl")
            return memory.transfers.export_folder(folder)

    def load_chats(
        self,
        path: str | Path,
        source: str,
        *,
        live: bool = False,
        mine: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> "Transfer":
        """Read chats or memories of another program here, and send them on."""
        with tempfile.TemporaryDirectory() as aside, self._aside(aside) as memory:
            transfer = memory.transfers.load_chats(path, source, live=live, mine=mine, progress=progress)
            memory.transfers.export(Path(aside) / "all.jsonl")
            self.load(Path(aside) / "all.jsonl")
            return transfer

    def load_folder(self, folder: str | Path) -> "Transfer":
        """Read a `.project-memory/` folder into the view's first space."""
        with tempfile.TemporaryDirectory() as aside, self._aside(aside) as memory:
            transfer = memory.transfers.load_folder(folder)
            memory.transfers.export(Path(aside) / "all.jsonl")
            self.load(Path(aside) / "all.jsonl")
            return transfer

    def _aside(self, folder: str) -> "Memory":
        """A memory of our own to turn an export into a folder, or a folder into an export."""
        from recollect.memory import Memory

        if not self._line.spaces:
            raise InvalidInput("a folder is of a view: open the memory with view='user:alex' or the like")
        return Memory(Path(folder) / "aside.db", view=self._line.spaces, background=False)


def _counted(export: Path) -> dict[str, int]:
    """What an export holds, by type; its first line is the header."""
    moved: dict[str, int] = {}
    with export.open("rb") as lines:
        next(lines, None)
        for line in lines:
            name = next(iter(json.loads(line)))
            moved[name] = moved.get(name, 0) + 1
    return moved


def _pieces(held: Any) -> Iterator[bytes]:
    while piece := held.read(PIECE):
        yield piece
