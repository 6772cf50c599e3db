"""The words of recollect as frozen values. No I/O, no clock, nothing of ours above this package."""
