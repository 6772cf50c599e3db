"""Keys: shown once, kept as hashes, closed by revocation and time; on both databases."""

import json
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from clock import Clock
from recollect import InvalidInput, Memory, NotFound, Unauthenticated
from recollect.memory import scope_of
from recollect.surfaces.access import Right
from recollect.surfaces.cli.app import run
from recollect.surfaces.keys import Keys, granted, known


def test_a_key_opens_what_it_was_made_for(memory: Memory) -> None:
    scope = scope_of(memory)
    secret, key = Keys(scope).create("laptop", spaces=["user:alex"], rights=["read"])
    found = known(scope.as_tenant("someone else"), secret)
    assert found == key
    grant = granted(found)
    assert (grant.tenant, grant.spaces, grant.rights) == ("default", ("user:alex",), {Right.READ})


def test_only_the_hash_is_stored(memory: Memory) -> None:
    secret, key = Keys(scope_of(memory)).create("laptop", spaces=["*"], rights=["admin"])
    rows = scope_of(memory).read(lambda tx: tx.rows("SELECT * FROM keys WHERE tenant = :tenant"))
    (kept,) = [dict(r) for r in rows]
    assert secret not in json.dumps(kept, default=str)
    assert len(secret) >= 43
    assert secret.startswith(key.prefix)
    assert len(key.prefix) < 16


def test_unknown_revoked_and_expired_keys_are_closed(memory: Memory, clock: Clock) -> None:
    scope, keys = scope_of(memory), Keys(scope_of(memory))
    secret, key = keys.create("a", spaces=["*"], rights=["read"])
    short, _ = keys.create("b", spaces=["*"], rights=["read"], expires_at=clock.at + timedelta(hours=1))
    for wrong in ("", "rcl_", secret[:-1], secret + "x", secret.upper(), "rcl_%", "\ud800"):
        with pytest.raises(Unauthenticated):
            known(scope, wrong)
    assert known(scope, short).name == "b"
    clock.forward(hours=2)
    with pytest.raises(Unauthenticated, match="expired"):
        known(scope, short)
    keys.revoke(key.prefix)
    with pytest.raises(Unauthenticated):
        known(scope, secret)
    with pytest.raises(NotFound):
        keys.revoke(key.id)


def test_bad_keys_are_not_made(memory: Memory, clock: Clock) -> None:
    keys = Keys(scope_of(memory))
    bad = (("", ["*"], ["read"]), ("a", [], ["read"]), ("a", ["*"], []), ("a", ["*"], ["root"]))
    for name, spaces, rights in bad:
        with pytest.raises(InvalidInput):
            keys.create(name, spaces=spaces, rights=rights)
    with pytest.raises(InvalidInput):
        keys.create("a", spaces=["*"], rights=["read"], expires_at=clock.at - timedelta(days=1))
    assert keys.list() == []


def test_another_tenant_cannot_revoke(memory: Memory) -> None:
    scope = scope_of(memory)
    _, key = Keys(scope).create("a", spaces=["*"], rights=["read"])
    with pytest.raises(NotFound):
        Keys(scope.as_tenant("other")).revoke(key.id)
    assert Keys(scope.as_tenant("other")).list() == []


def test_the_audit_log_is_behind_the_wall(postgres_url: str) -> None:
    with Memory(postgres_url, tenant="a", background=False) as memory:
        Keys(scope_of(memory)).create("a", spaces=["*"], rights=["read"])
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM audit").fetchone() == (0,)


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = ["--db", f"{tmp_path}/m.db", "--json"]
    made = ["keys", "create", "laptop", "--space", "user:me", "--right", "read", "--expires", "30d", *place]
    assert run(made) == 0
    shown = json.loads(capsys.readouterr().out)
    assert run(["keys", "list", *place]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["prefix"] in shown["key"]
    assert "key" not in listed
    assert run(["keys", "revoke", listed["id"], *place]) == 0
    assert run(["keys", "revoke", listed["id"], *place]) == 3
    assert run(["keys", "create", "x", "--expires", "soon", *place]) == 2
    capsys.readouterr()
    assert run(["audit", *place]) == 0
    page = json.loads(capsys.readouterr().out)
    assert [e["operation"] for e in page["items"]] == ["keys.revoke", "keys.create"]
    files = b"".join(file.read_bytes() for file in tmp_path.glob("m.db*") if file.is_file())
    assert shown["key"].encode() not in files
    assert listed["prefix"].encode() in files
