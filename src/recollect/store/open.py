"""Open a database by path or URL."""

from pathlib import Path

from recollect.errors import InvalidInput, StoreError
from recollect.store.database import Database

_POSTGRES = ("postgresql://", "postgres://")


def opened(where: str | Path) -> Database:
    """The database at a file path or a `postgresql://` URL; a new file is made where there is none."""
    if isinstance(where, str) and where.startswith(_POSTGRES):
        from recollect.store.postgres import PostgresDatabase

        return PostgresDatabase(where)
    if "://" in str(where) or str(where) == ":memory:" or "\0" in str(where):
        raise InvalidInput(f"{where!r} is neither a file path nor a postgresql:// URL")
    from recollect.store.sqlite import SqliteDatabase

    path = Path(where).expanduser()
    if path.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it, such as {path / 'memory.db'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of {path} cannot be made: {error.strerror}") from error
    return SqliteDatabase(path)
