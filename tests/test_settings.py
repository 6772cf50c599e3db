"""Settings: where they come from, and what a wrong one says."""

from pathlib import Path

import pytest

from recollect import Memory, SettingsError
from recollect.settings import load


def test_code_wins_over_environment_over_file_over_default(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('tenant = "from-file"\nview = "user:file"\nmodel_timeout = 5\n')
    env = {"RECOLLECT_CONFIG": str(file), "RECOLLECT_VIEW": "user:env"}
    found = load(env, db="x.db")
    assert (found.db, found.view, found.tenant, found.embedder) == ("x.db", "user:env", "from-file", "auto")
    assert found.model_timeout == 5.0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("tenant = ", "not valid TOML"),
        ("colour = 'red'", "unknown setting 'colour'"),
        ("model_timeout = 'soon'", "must be a float"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(content)
    with pytest.raises(SettingsError, match=says):
        load({"RECOLLECT_CONFIG": str(file)})


def test_a_named_file_must_exist() -> None:
    with pytest.raises(SettingsError, match="not a file"):
        load({"RECOLLECT_CONFIG": "/nowhere/config.toml"})


def test_a_key_is_never_shown() -> None:
    assert "s3cret" not in repr(load({"RECOLLECT_API_KEY": "s3cret"}))


def test_the_environment_reaches_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "env.db"))
    monkeypatch.setenv("RECOLLECT_VIEW", "project:phoenix, user:alex")
    with Memory(background=False) as memory:
        memory.remember("from the environment")
        assert [s.path for s in memory.spaces.list()] == ["project:phoenix"]
    assert (tmp_path / "env.db").exists()


def test_without_settings_the_data_folder_is_used(tmp_path: Path) -> None:
    with Memory(background=False) as memory:
        memory.remember("at home")
    assert (tmp_path / "data" / "recollect" / "memory.db").exists()
