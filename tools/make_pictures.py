"""Takes the pictures of the command line in docs/pictures: real commands, on a terminal, on a new store."""

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PROGRAM = Path(sys.executable).with_name("recollect")
WIDTH = 120
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture fetches nothing: it is drawn with the reader's own font."""
TOLD = (
    ("add", "We moved the launch of Phoenix to Friday, because the audit is late.", "--speaker", "Alex"),
    ("add", "Noted: Phoenix launches on Friday.", "--role", "assistant"),
    ("add", "I live in Lisbon and I prefer short answers.", "--speaker", "Alex"),
)
SHOWN = {"recall": ("recall", "When do we launch Phoenix?", "--explain", "--limit", "3")}


def main() -> None:
    """Tell a new store a few things, and picture what it answers."""
    with tempfile.TemporaryDirectory() as folder:
        database = ("--db", str(Path(folder) / "assistant.db"))
        for words in TOLD:
            subprocess.run([PROGRAM, *words, *database], check=True, capture_output=True)
        for name, words in SHOWN.items():
            typed = " ".join(f'"{word}"' if " " in word else word for word in words)
            console = Console(record=True, width=WIDTH, file=io.StringIO())
            console.print(Text(f"$ recollect {typed}", style="bold"))
            console.print(Text.from_ansi(on_a_terminal([str(PROGRAM), *words, *database])))
            drawn = console.export_svg(title="recollect", unique_id=name)
            (PICTURES / f"{name}.svg").write_text(_FONT.sub("", drawn), "utf-8")


def on_a_terminal(command: list[str]) -> str:
    """What a command prints where it sees a terminal."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdout=theirs, stdin=theirs, env=environment) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        if running.wait():
            raise SystemExit(f"failed: {' '.join(command)}")
    os.close(ours)
    return shown.decode().replace("\r\n", "\n").rstrip()


if __name__ == "__main__":
    main()
