"""The command line: `recollect`."""

import sys
import time


def main() -> None:
    """The entry point. `--version` answers before anything else is imported."""
    if sys.argv[1:] == ["--version"]:
        from recollect import __version__

        print(f"recollect {__version__}")
        return
    begun = time.monotonic()
    from recollect.surfaces.cli.app import run

    if sys.argv[1:2] == ["hook"]:
        from recollect.surfaces.cli.hook import data_folder
        from recollect.surfaces.hooks.run import quietly

        sys.exit(quietly(lambda: run(sys.argv[1:], begun), data_folder))
    sys.exit(run(sys.argv[1:]))
