"""Public evaluation protocols: how well recollect finds what it was told, beside plain baselines."""
