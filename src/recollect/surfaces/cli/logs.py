"""What a program that runs for long tells of its work: lines on standard error, each with its time."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.surfaces.cli.command import argument

LEVELS = ("debug", "info", "warning", "error")
LOG = argument("--log", choices=LEVELS, default="info", help="tell this and worse on standard error (info)")


@contextmanager
def logged(level: str) -> Iterator[None]:
    """Tell what our own parts have to say, from a level on, as long as the block lasts."""
    form = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(form)
    ours = logging.getLogger("recollect")
    before = ours.level
    ours.addHandler(handler)
    ours.setLevel(level.upper())
    try:
        yield
    finally:
        ours.removeHandler(handler)
        ours.setLevel(before)
