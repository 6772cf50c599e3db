"""FolderReading: what reading a folder of documents did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderReading:
    """Files by what became of them; passages stored and set aside; and the files that cannot be read."""

    path: str
    space: str
    read: int = 0
    unchanged: int = 0
    vanished: int = 0
    passages: int = 0
    forgotten: int = 0
    quarantined: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder that is kept as memories: where it is, in which space, and how many files it has."""

    path: str
    space: str
    files: int
    bytes: int
