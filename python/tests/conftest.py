# SPDX-License-Identifier: MIT
"""What the tests share: small data of low rank with holes in it, and settings that fit it in no time."""

import os
from pathlib import Path

import numpy as np
import pytest

EXACT = {"method": "geomcg", "rank": 2, "offsets": "none"}  # recovers what low_rank() makes
QUICK = {"method": "offsets", "offsets": "modes"}  # solved without steps


def low_rank(shape, rank=2, seed=0):
    """A tensor of this multilinear rank."""
    rng = np.random.default_rng(seed)
    letters = "abcdef"[: len(shape)]
    factors = [rng.normal(size=(size, rank)) for size in shape]
    return np.einsum(",".join(f"{letter}z" for letter in letters) + "->" + letters, *factors)


def with_holes(array, share=0.6, seed=1):
    out = array.astype(float)
    out[np.random.default_rng(seed).random(array.shape) < share] = np.nan
    return out


def rmse(a, b):
    return float(np.sqrt(np.mean((np.asarray(a) - np.asarray(b)) ** 2)))


def write_ratings(path):
    """As MovieLens has them, of 60 users and 40 films."""
    rng = np.random.default_rng(0)
    lines = ["userId,movieId,rating,timestamp"]
    for user in range(1, 61):
        for film in rng.choice(40, 15, replace=False) + 1:
            lines.append(f"{user},{film},{rng.integers(1, 11) / 2},{964980000 + 100 * user + film}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def cube():
    """(the whole, with holes)"""
    whole = low_rank((12, 11, 9))
    return whole, with_holes(whole)


@pytest.fixture(scope="session")
def program():
    """The command line, where it was built."""
    path = os.environ.get("LACUNA")
    if not path or not Path(path).exists():
        pytest.skip("the program is not there: LACUNA does not name it")
    return path
