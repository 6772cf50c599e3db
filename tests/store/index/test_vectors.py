"""Packed vectors and their codes."""

import numpy as np
import pytest

from recollect.store.index import vectors


@pytest.mark.parametrize("dim", [1, 7, 64, 100, 256, 384])
def test_the_rotation_keeps_lengths_and_angles(dim: int) -> None:
    turned = vectors._rotation(dim)
    np.testing.assert_allclose(turned @ turned.T, np.eye(dim), atol=1e-5)


@pytest.mark.parametrize("dim", [64, 100, 256, 384])
def test_codes_find_what_is_near(dim: int) -> None:
    chance = np.random.default_rng(1)
    centres = chance.standard_normal((50, dim))
    rows = (centres[np.arange(5_000) % 50] + 0.4 * chance.standard_normal((5_000, dim))).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    planes, mean = vectors.code(*vectors.pack(rows))
    for query in rows[:20]:
        near = vectors.nearest_codes(planes, mean, query, 320, None)
        assert len(near) < 1_000
        best = np.argsort(-(rows @ query))[:20]
        assert len(np.intersect1d(near, best)) >= 18
