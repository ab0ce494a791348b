# SPDX-License-Identifier: MIT
"""One training and one test part of a data set, as files that lacuna reads."""
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

from .data import FoundSet


@dataclass(frozen=True)
class Split:
    """Seed 0 deals as the common splits are dealt; other seeds deal anew."""

    found: FoundSet
    seed: int = 0
    share: Optional[float] = None  # of what is known, for training; None: the paper's
    outliers: float = 0.0  # share of the training entries that get noise, or are flipped

    @property
    def name(self):
        share = f"-train{self.share:g}" if self.share else ""
        outliers = f"-outliers{self.outliers:g}" if self.outliers else ""
        return f"{self.found.data.name}-seed{self.seed}{share}{outliers}"

    @property
    def recipe(self):
        """All that the entries depend on."""
        return {"set": self.found.data.name, "reader": self.found.source.read.__name__, "files": self.found.digest,
                "seed": self.seed, "share": self.share, "outliers": self.outliers}

    def deal(self):
        subs, vals, test_subs, test_vals = self.found.known.deal(self.seed, self.share)
        if self.outliers:
            vals = self.spoil(vals)
        return subs, vals, test_subs, test_vals

    def spoil(self, vals):
        """N(0,1) added to some values; links turned into their opposite."""
        rng = np.random.default_rng([self.seed, 1])
        spoilt, vals = rng.permutation(len(vals))[: int(round(self.outliers * len(vals)))], vals.copy()
        if self.found.data.metric == "auc":
            vals[spoilt] = 1 - vals[spoilt]
        else:
            vals[spoilt] += rng.standard_normal(len(spoilt))
        return vals


class SplitFiles:
    """The files of one split at a time: all of them together would fill a disk."""

    def __init__(self, folder: Path):
        self.folder, self.current = folder, None

    def of(self, split: Split):
        """Paths of the training and the test file, written on first use."""
        paths = self.folder / "train.npz", self.folder / "test.npz"
        if self.current != split:
            self.clear()
            self.folder.mkdir(parents=True)
            subs, vals, test_subs, test_vals = split.deal()
            shape = np.array(split.found.known.shape)
            np.savez(paths[0], coords=subs.T.astype(np.int64), data=vals, shape=shape)
            np.savez(paths[1], coords=test_subs.T.astype(np.int64), data=test_vals, shape=shape)
            self.current = split
        return paths

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.current = None
