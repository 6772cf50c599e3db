"""A person's file on disk: what is refused, what stays, and that no save is ever overwritten."""

import threading
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, TooLarge
from recollect.files import disk


def saved(path: Path, text: str) -> None:
    """Save as editors do: beside, then rename."""
    draft = path.with_name(path.name + "~")
    draft.write_text(text)
    draft.replace(path)


def test_a_file_is_replaced_whole_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    path.write_text("old")
    path.chmod(0o640)
    digest = disk.replace(disk.read(path), "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert disk.read(path).digest == digest
    assert [p.name for p in tmp_path.iterdir()] == ["memory.md"]


def test_a_file_that_is_not_there_is_made_unless_somebody_was_faster(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    nothing = disk.read(path)
    assert (nothing.text, nothing.exists) == ("", False)
    path.write_text("somebody's")
    with pytest.raises(disk.Changed):
        disk.replace(nothing, "ours")
    assert path.read_text() == "somebody's"
    path.unlink()
    disk.replace(nothing, "ours")
    assert path.read_text() == "ours"
    assert [p.name for p in tmp_path.iterdir()] == ["memory.md"]


@pytest.mark.parametrize(
    "save", [saved, lambda path, text: path.write_text(text)], ids=["rename", "in place"]
)
def test_a_save_after_the_reading_is_seen(tmp_path: Path, save: Any) -> None:
    path = tmp_path / "memory.md"
    path.write_text("old")
    before = disk.read(path)
    save(path, "a person's")
    with pytest.raises(disk.Changed):
        disk.replace(before, "ours")
    assert path.read_text() == "a person's"
    assert [p.name for p in tmp_path.iterdir()] == ["memory.md"]


def test_a_save_in_the_last_moment_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editor saves between our last look at the file and the exchange: the first thing after it."""
    path = tmp_path / "memory.md"
    path.write_text("old")
    before = disk.read(path)
    exchange = disk._exchange()
    if exchange is None:
        pytest.skip("this system cannot swap two files")
    saves = iter(["a person's", "and once more"])

    def late(*args: object) -> int:
        for text in saves:
            saved(path, text)
            break
        return int(exchange(*args))

    monkeypatch.setattr(disk, "_exchange", lambda: late)
    with pytest.raises(disk.Changed):
        disk.replace(before, "ours")
    assert path.read_text() == "and once more"
    assert [p.name for p in tmp_path.iterdir()] == ["memory.md"]


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    """Each adds its lines by read, change and replace, beginning again when it was too late."""
    path = tmp_path / "memory.md"
    path.write_text("")

    def add(name: str) -> None:
        for i in range(25):
            while True:
                before = disk.read(path)
                try:
                    disk.replace(before, before.text + f"{name}{i}\n")
                except disk.Changed:
                    continue
                break

    writers = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(path.read_text().split()) == sorted(f"{name}{i}" for name in "ab" for i in range(25))


def test_bytes_that_are_no_utf8_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    path.write_bytes(b"caf\xe9 \xff\xfe\r\n")
    found = disk.read(path)
    disk.replace(found, found.text + "more\n")
    assert path.read_bytes() == b"caf\xe9 \xff\xfe\r\nmore\n"


def test_what_is_no_text_or_too_big_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    path.write_bytes(b"# M\0")
    with pytest.raises(InvalidInput, match="NUL"):
        disk.read(path)
    path.write_bytes(b"x" * (disk.MAX_BYTES + 1))
    with pytest.raises(TooLarge, match="1,000,001 bytes"):
        disk.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidInput, match="not a file"):
        disk.read(path)


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.md"
    path.write_text("mine")
    path.chmod(0o444)
    with pytest.raises(disk.Unwritable, match="read-only"):
        disk.replace(disk.read(path), "ours")
    assert path.read_text() == "mine"


def test_links_may_not_lead_out_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / "docs").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret").write_text("x")
    monkeypatch.chdir(project)
    (project / "memory.md").symlink_to(outside / "secret")
    (project / "linked").symlink_to(outside)
    (project / "docs" / "real.md").write_text("y")
    (project / "inner.md").symlink_to("docs/real.md")
    (project / "round.md").symlink_to("round.md")
    for bad in ("memory.md", "linked/memory.md", str(project / "memory.md")):
        with pytest.raises(InvalidInput, match="out of the project"):
            disk.project_path(bad)
    with pytest.raises(InvalidInput, match="cannot be followed|does not exist|not a file|out of"):
        disk.read(disk.project_path("round.md"))
    assert disk.project_path("inner.md") == (project / "docs" / "real.md").resolve()
    with pytest.raises(InvalidInput, match="folder .* does not exist"):
        disk.project_path("missing/memory.md")
    assert (outside / "secret").read_text() == "x"
    assert (project / "memory.md").is_symlink()
