# SPDX-License-Identifier: MIT
"""The examples, as notebooks made of the same files: each runs, holds what it asserts, and draws its figure."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import write_ratings

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.py"))


def test_there_are_seven():
    assert [path.stem for path in EXAMPLES] == ["climate", "gallery", "links", "photograph", "rank", "ratings", "sensors"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_notebook(example, tmp_path):
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    notebook = jupytext.read(example)
    assert sum(cell.cell_type == "code" for cell in notebook.cells) >= 3
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()  # fmt: skip
    figure = (tmp_path / f"{example.stem}.png").read_bytes()
    assert figure[:4] == b"\x89PNG" and len(figure) > 5000
    printed = "".join(out.get("text", "") for cell in notebook.cells for out in cell.get("outputs", []))
    assert printed.strip(), "an example says what it found"


def test_as_a_script_with_a_file(tmp_path):
    pytest.importorskip("matplotlib")
    write_ratings(tmp_path / "ratings.csv")
    script = next(path for path in EXAMPLES if path.stem == "ratings")
    done = subprocess.run([sys.executable, "-c", f"import matplotlib; matplotlib.use('agg'); import sys; sys.argv[1:] = "
                           f"['ratings.csv']; exec(open({str(script)!r}).read().split('assert')[0])"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 11
