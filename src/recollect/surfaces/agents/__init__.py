"""Putting recollect into coding agents and taking it out again: their configuration, edited with care."""
