"""Migrations: an empty database, every kept fixture, and files that are not ours."""

import shutil
import sqlite3
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from recollect import Filter, Memory, StoreCorrupt, StoreError, StoreVersionError
from recollect.store import contexts, migrate
from recollect.store.database import Tx
from recollect.store.open import opened
from recollect.store.sqlite import SAFE_VERSION, driver

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures").glob("*.db"))


def schema(path: Path) -> list[tuple[str, ...]]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    return found


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_files_of_old_versions_open_for_ever(fixture: Path, tmp_path: Path) -> None:
    copy = tmp_path / "old.db"
    shutil.copy(fixture, copy)
    with Memory(copy, view="user:alex", background=False) as memory:
        chat = memory.conversations.list().items[0]
        assert [m.text for m in memory.conversations.messages(chat.id)] == [
            "My name is Alex. Ich wohne in Köln. 🎉",
            "Nice to meet you, Alex!",
        ]
        assert [r.value for r in memory.history(key="city") if r.retired_at is None] == ["Berlin", "Lisbon"]
        assert memory.stats().vectors == {"fake:hash-64": 5}
        assert [r.value for r in memory.list(Filter(keys=("city",))).items] == ["Lisbon"]
        assert memory.list().items[0].sources[0].kind == "message"
        assert all(finding.ok for finding in memory.doctor())
        memory.add("and it goes on", conversation=chat.id)
    with Memory(tmp_path / "new.db", background=False):
        pass
    assert schema(copy) == schema(tmp_path / "new.db")


def test_what_stood_behind_a_ref_is_kept(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [str(UUID(int=n)) for n in (1, 2, 3, 4)]
    if where.startswith("postgresql:"):  # the database is migrated already: begin in a schema of its own
        with psycopg.connect(where) as connection:
            connection.execute("CREATE SCHEMA old")
        where += "&options=-csearch_path%3Dold%2Cpublic"
    database = opened(where)
    monkeypatch.setattr(migrate, "LATEST", 7)
    migrate.migrate(database)

    def given_out(tx: Tx) -> None:
        for context in ids[:2]:
            tx.run(
                "INSERT INTO contexts (tenant, id, space, made_at, asked) "
                "VALUES (:tenant, :id, :space, 1, '[7]')",
                id=context,
                space="user:alex",
            )
        for ref, item, standing in (("m003", ids[2], 0), ("t004", ids[3], 1)):
            tx.run(
                "INSERT INTO context_items (tenant, context, ref, item, kind, standing) "
                "VALUES (:tenant, :id, :ref, :item, 'fact', :standing)",
                id=ids[0],
                ref=ref,
                item=item,
                standing=standing,
            )

    database.write("default", given_out)
    monkeypatch.undo()
    migrate.migrate(database)
    whole, empty = (
        database.read("default", lambda tx, id=id: contexts.get(tx, id, ["user:alex"])) for id in ids[:2]
    )
    database.close()
    assert whole is not None
    assert empty is not None
    assert (whole.asked, whole.items, empty.items) == (
        (7,),
        (("m003", ids[2], "fact", False), ("t004", ids[3], "fact", True)),
        (),
    )


def test_there_is_a_fixture_of_the_latest_schema() -> None:
    assert f"schema-{migrate.LATEST:04d}" in {path.stem for path in FIXTURES}


def test_numbers_of_migrations_have_no_gaps() -> None:
    folder = Path(migrate.__file__).parent / "migrations"
    numbers = {int(path.name[:4]) for path in folder.glob("*.sql")}
    assert numbers == set(range(1, migrate.LATEST + 1))


def test_a_newer_schema_is_refused(where: str) -> None:
    with Memory(where, background=False) as memory:
        memory._scope.database.queue(lambda tx: tx.run("INSERT INTO schema_version VALUES (99)"))
    with pytest.raises(StoreVersionError, match="newer recollect"):
        Memory(where, background=False)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE cats (name)")
    connection.close()
    before = foreign.read_bytes()
    with pytest.raises(StoreVersionError, match="another program"):
        Memory(foreign, background=False)
    assert schema(foreign) == [("table", "cats", "CREATE TABLE cats (name)")]
    assert len(before) == foreign.stat().st_size
    text = tmp_path / "notes.txt"
    text.write_text("this is not a database, but it is long enough to look like a broken one " * 20)
    with pytest.raises((StoreVersionError, StoreCorrupt)):
        Memory(text, background=False)
    assert text.read_text().startswith("this is not a database")
    with pytest.raises(StoreError, match="is a folder"):
        Memory(tmp_path, background=False)
    with pytest.raises(StoreError, match="cannot be made"):
        Memory(text / "below" / "memory.db", background=False)


def test_sqlite_is_current_and_durable(tmp_path: Path) -> None:
    assert driver().sqlite_version_info >= SAFE_VERSION
    with Memory(tmp_path / "m.db", background=False) as memory:
        memory.add("x")

        def pragmas(tx: object) -> dict[str, object]:
            names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
            return {name: tx.rows(f"PRAGMA {name}")[0][name] for name in names}  # type: ignore[attr-defined]

        assert memory._scope.read(pragmas) == {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "secure_delete": 1,
        }
