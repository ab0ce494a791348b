# SPDX-License-Identifier: MIT
"""The wheel in an environment with nothing but NumPy: the one-liner, a file, and which libraries were imported."""

import os
import sys
import tempfile

import numpy as np

import lacuna

whole = np.add.outer(np.arange(8.0), np.arange(6.0))
holes = whole.copy()
holes[::3, ::2] = np.nan
filled = lacuna.complete(holes, method="offsets", offsets="modes")
assert np.abs(filled - whole).max() < 1e-6, np.abs(filled - whole).max()

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.lac")
    completer = lacuna.TensorCompleter(method="tr-mm", rank=2, max_iterations=5).fit(holes)
    completer.save(path)
    assert (lacuna.load(path).predict() == completer.predict()).all()

others = {"pandas", "scipy", "polars", "pyarrow", "xarray", "torch"} & set(sys.modules)
assert not others, f"import lacuna also imported {others}"
print(f"lacuna {lacuna.__version__} for Python {sys.version.split()[0]} works beside NumPy {np.__version__} alone")
