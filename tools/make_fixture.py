"""Write the fixture database of the current schema: `python tools/make_fixture.py`.

Run it once when the schema changes, and commit the file: tests open every fixture ever written.
"""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect import Memory, Source, SourceKind
from recollect.models.fakes import HashEmbedder
from recollect.store.migrate import LATEST

FOLDER = Path(__file__).parent.parent / "tests" / "fixtures"


class Clock:
    """A clock that ticks by a second, so that the file is the same in every run but for its ids."""

    at = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The next second."""
        self.at += timedelta(seconds=1)
        return self.at


def main() -> None:
    """Make the file anew."""
    path = FOLDER / f"schema-{LATEST:04d}.db"
    path.unlink(missing_ok=True)
    with Memory(path, view="user:alex", embedder=HashEmbedder(), clock=Clock(), background=False) as memory:
        said = memory.add("My name is Alex. Ich wohne in Köln. 🎉", speaker="Alex")
        memory.add("Nice to meet you, Alex!", role="assistant")
        source = Source(SourceKind.MESSAGE, said.id)
        memory.remember("Alex plays the cello", sources=[source])
        memory.remember("Alex lives in Berlin", key="city", value="Berlin", sources=[source])
        memory.remember("Alex lives in Lisbon", key="city", value="Lisbon", sources=[source], tags=["home"])
        memory.jobs.run()
        memory.context("Where does Alex live?", budget=500)
    shutil.rmtree(f"{path}-index", ignore_errors=True)
    print(f"wrote {path.name}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
