# SPDX-License-Identifier: MIT
"""Every block of Python in the documents is run, each document's in a folder of its own and in one go."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = [path for path in [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
             if BLOCK.search(path.read_text())]  # fmt: skip


def write_ratings(path):
    """As MovieLens has them, of 60 users and 40 films."""
    rng = np.random.default_rng(0)
    lines = ["userId,movieId,rating,timestamp"]
    for user in range(1, 61):
        for film in rng.choice(40, 15, replace=False) + 1:
            lines.append(f"{user},{film},{rng.integers(1, 11) / 2},{964980000 + 100 * user + film}")
    path.write_text("\n".join(lines) + "\n")


def test_there_are_some():
    assert ROOT / "python" / "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_run(document, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    text = document.read_text()
    names = {"__name__": "document"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block.group(1), str(document), "exec"), names)
