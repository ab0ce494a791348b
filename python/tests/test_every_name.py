# SPDX-License-Identifier: MIT
"""Whatever is public is thrown odd things at: every name, every method of a completer, every keyword that their signatures
have. A new one is thrown at by itself, or this file says what it lacks."""

import copy
import importlib
import inspect
import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from test_odd import FEW, INDICES, METHODS, ODD_NUMBERS, arrays, clearly

import lacuna
from lacuna import _sources

QUICKLY = {"max_time": 1, "effort": "low"}
NAMES = ["a.npy", "a.npz", "a.mat", "a.tns", "a.csv", "a.png", "a.y4m", "a.xyz", "a", "", "no/such/a.csv", "noise", "model.lac", "."]


KINDS = ["array", "masked", "list", "triple", "tensor", "dlpack", "csr", "coo", "xarray", "wide", "series", "long"]


class Lent:
    """Memory of NumPy's, by DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def as_kind(draw, array):
    """The array as something else that data may be."""
    kind = draw(st.sampled_from(KINDS))
    if array.ndim < 1 or kind == "array":
        return array
    if kind == "masked":
        return np.ma.array(array, mask=np.random.default_rng(0).random(array.shape) < 0.3)
    if kind == "list":
        return array.tolist()
    at = np.nonzero(np.ones(array.shape, bool))
    if kind == "triple":
        return (at, array[at], array.shape)
    if kind == "tensor":
        axes = [lacuna.Axis(f"mode{k + 1}", size) for k, size in enumerate(array.shape)]
        return lacuna.Tensor(axes, at, array[at])
    if kind == "dlpack":
        return Lent(array)
    needs = {"csr": "scipy.sparse", "coo": "sparse", "xarray": "xarray"}.get(kind, "pandas")
    try:
        library = importlib.import_module(needs)
    except ImportError:  # not here
        return array
    if kind == "csr":
        return library.csr_array(array) if array.ndim == 2 and array.dtype.kind in "if" else array
    if kind == "coo":
        return library.COO.from_numpy(array) if array.dtype.kind in "if" else array
    if kind == "xarray":
        return library.DataArray(array)
    if kind == "wide":
        return library.DataFrame(array, index=[f"row {i}" for i in range(len(array))]) if array.ndim == 2 else array
    if array.ndim < 2:
        return library.Series(array)
    index = library.MultiIndex.from_arrays([np.asarray(along, object) for along in at])
    series = library.Series(array[at], index=index)
    return series if kind == "series" else series.rename("value").rename_axis([f"m{k}" for k in range(array.ndim)]).reset_index()


@st.composite
def data(draw):
    odd = st.one_of(st.sampled_from(NAMES), ODD_NUMBERS, st.tuples(st.lists(INDICES, max_size=3), st.lists(st.floats(), max_size=4)))
    if draw(st.integers(0, 3)) == 0:
        return draw(odd)
    if draw(st.booleans()):  # as the models were fitted on, so that something comes out
        whole = np.arange(60.0).reshape(5, 4, 3)
        return as_kind(draw, np.where(whole % draw(st.sampled_from([2, 7, 100])) == 1, np.nan, whole))
    return clearly(lambda: as_kind(draw, draw(arrays())))


ODD_LISTS = st.one_of(ODD_NUMBERS, st.lists(ODD_NUMBERS, max_size=2))
WORDS = st.one_of(ODD_NUMBERS, st.sampled_from(["mode1", "mode1,mode3", "mode9", "auto", "none", "mean", "last", "mode1|mode2"]),
                  st.lists(st.sampled_from(["mode1", "mode2", "mode3", "mode9"]), max_size=3))  # fmt: skip
MODES = st.sampled_from(["mode1", "mode2", "time", ""])
BY_MODE = st.one_of(ODD_NUMBERS, st.dictionaries(MODES, st.one_of(data(), st.just("7d")), max_size=2))
PATHS = st.one_of(st.sampled_from(NAMES), st.none(), st.integers(), st.just(b"bytes"))
# What parameters of these names take; all others are given odd numbers, words and lists.
KNOWN = {
    **dict.fromkeys(["X", "data", "test", "train", "exclude", "weight", "y"], data()),
    **dict.fromkeys(["path", "checkpoint", "resume"], PATHS),
    **dict.fromkeys(["side", "graph", "bins", "where", "coordinates", "candidates"], BY_MODE),
    **dict.fromkeys(["ranking", "modes", "same", "corrupt", "parts", "offsets", "across", "duplicates", "value", "columns"], WORDS),
    **dict.fromkeys(["methods"], st.one_of(WORDS, st.lists(st.sampled_from(METHODS), max_size=2))),
    "method": st.one_of(st.sampled_from(METHODS), ODD_NUMBERS), "filter": st.one_of(ODD_NUMBERS, st.lists(data(), max_size=2)),
    "init": st.one_of(PATHS, WORDS), "format": st.one_of(WORDS, st.sampled_from(["npy", "table", "tns", "netcdf"])),
    "callback": st.one_of(st.none(), st.just(3), st.just(lambda *given: None), st.just(lambda *given: True)),
    "found": st.one_of(st.none(), st.just("x"), st.just(lambda *given: True)),
    "n_jobs": st.sampled_from([None, 1, 2, -1, 0, -2, True, "x"]),  # threads that there are
    "folds": st.one_of(st.integers(-1, 4), ODD_NUMBERS), "progress": st.sampled_from([False, True, None, 3]),
}  # fmt: skip
HALF = settings(FEW, max_examples=max(1, FEW.max_examples // 2))  # there are many names
MAKES_FITS = ("complete", "tune", "TensorCompleter", "info")


def parameters_of(function):
    found = [one.name for one in inspect.signature(function).parameters.values()
             if one.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL) and one.name != "self"]  # fmt: skip
    if "reading" in inspect.signature(function).parameters:
        found += list(_sources.Reading.__dataclass_fields__)
    if function is lacuna.read:
        found += list(lacuna._tensor._OPTIONS)
    return found


def arguments(draw, function, given=()):
    """Some of what the function takes; what it cannot do without always."""
    signature = inspect.signature(function).parameters
    names = [name for name in parameters_of(function) if name not in given]
    needed = [name for name in names if name in signature and signature[name].default is inspect.Parameter.empty]
    others = [name for name in names if name not in needed]
    chosen = draw(st.lists(st.sampled_from(others), max_size=3, unique=True)) if others else []
    return {name: draw(KNOWN.get(name, ODD_LISTS)) for name in [*needed, *chosen]}


@pytest.fixture(scope="module")
def fitted():
    """A model of every method, and of whatever else changes what a model is asked and answers."""
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(5, 4, 3))
    holes = np.where(rng.random(whole.shape) < 0.3, np.nan, whole)
    made = {}
    for row in lacuna.methods():
        values = np.sign(holes) > 0 if row["name"] == "complex" else holes
        shown = np.where(np.isnan(holes), np.nan, values)
        made[row["name"]] = lacuna.TensorCompleter(method=row["name"], max_time=2).fit(shown[..., 0] if row["order"] == 2 else shown)
    half = rng.integers(2, 10, (5, 4, 3)) / 2
    made["halves"] = lacuna.TensorCompleter(method="als", rank=1).fit(np.where(np.isnan(holes), np.nan, half))
    made["chosen"] = lacuna.TensorCompleter(blend=3, **QUICKLY).fit(rng.normal(size=(9, 8, 7)))
    made["intervals"] = lacuna.TensorCompleter(method="als", rank=1, intervals=True).fit(rng.normal(size=(12, 9)))
    made["near"] = lacuna.TensorCompleter(method="tr-mm", parts="mode1|mode3~1", rank=1, lam=1).fit(holes)
    made["side"] = lacuna.TensorCompleter(method="als", rank=1).fit(holes, side={"mode1": rng.normal(size=(5, 2))})
    try:
        import pandas
    except ImportError:
        return made
    cells = np.argwhere(~np.isnan(holes))
    frame = pandas.DataFrame({"user": [f"u{i}" for i in cells[:, 0]], "film": [f"f{j}" for j in cells[:, 1]],
                              "time": pandas.Timestamp("2024-01-01") + pandas.to_timedelta(5 * cells[:, 2], "D"),
                              "stars": holes[tuple(cells.T)]})  # fmt: skip
    made["labels"] = lacuna.TensorCompleter(method="als", rank=1).fit(frame)
    made["bins"] = lacuna.TensorCompleter(method="als", rank=1, duplicates="mean").fit(frame, value="stars", bins={"time": "7d"})
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where relative paths lead; hypothesis uses it for all examples."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    lacuna.TensorCompleter(method="mean").fit(np.eye(3)).save("model.lac")
    return tmp_path


def one_of(draw, fitted):
    return copy.deepcopy(fitted[draw(st.sampled_from(sorted(fitted)))])


FUNCTIONS = sorted(name for name in lacuna.__all__ if inspect.isfunction(getattr(lacuna, name)))
MEMBERS = sorted(name for name in dir(lacuna.TensorCompleter) if not name.startswith("_") and not name.endswith("_"))
# What takes nothing that could be odd, or is thrown at below by itself.
OTHERS = {"__version__", "FormatError", "NotFittedError", "StoppedWarning", "Axis", "Tensor", "Report", "Tuned", "TensorCompleter"}


def test_nothing_public_is_forgotten(fitted):
    assert set(lacuna.__all__) == set(FUNCTIONS) | OTHERS
    assert set(METHODS) < set(fitted)
    assert all(callable(getattr(lacuna.TensorCompleter, name)) for name in MEMBERS)


@pytest.mark.parametrize("name", FUNCTIONS)
@HALF
@given(drawn=st.data())
def test_functions(fitted, folder, name, drawn):
    function = getattr(lacuna, name)
    given_one = "completer" in parameters_of(function)
    keywords = arguments(drawn.draw, function, ("completer",))
    if given_one:
        keywords["completer"] = one_of(drawn.draw, fitted) if drawn.draw(st.integers(0, 9)) else drawn.draw(ODD_NUMBERS)
    if name in MAKES_FITS:
        keywords = {**QUICKLY, **keywords}
    found = clearly(lambda: function(**keywords))
    if name == "complete" and isinstance(found, np.ndarray) and found.dtype.kind == "f":
        assert np.isfinite(np.asarray(found)).all()


@pytest.mark.parametrize("name", MEMBERS)
@HALF
@given(drawn=st.data())
def test_methods_of_a_completer(fitted, folder, name, drawn):
    completer = one_of(drawn.draw, fitted) if drawn.draw(st.integers(0, 9)) else lacuna.TensorCompleter(**QUICKLY)
    if name in ("fit", "fit_transform"):
        completer = lacuna.TensorCompleter(method=drawn.draw(st.sampled_from([None, *METHODS])), **QUICKLY)
    method = getattr(completer, name)
    if name == "set_params":
        keyword = drawn.draw(st.sampled_from([*completer.get_params(), "nothing", ""]))
        clearly(lambda: method(**{keyword: drawn.draw(KNOWN.get(keyword, ODD_LISTS))}))
    else:
        keywords = arguments(drawn.draw, method)
        clearly(lambda: method(**keywords))
    # Whatever happened, it is whole.
    completer.set_params(n_jobs=None)
    clearly(lambda: pickle.loads(pickle.dumps(completer)).predict())
    clearly(lambda: completer.clone().get_params())
    if hasattr(completer, "shape_") and np.prod([float(size) for size in completer.shape_]) < 1e6:
        assert np.isfinite(completer.predict()).all()
        clearly(lambda: [getattr(completer, name) for name in dir(completer) if name.endswith("_") and not name.startswith("_")])


@FEW
@given(st.data())
def test_a_fit_with_any_keyword(drawn):
    holes = np.where(np.arange(36).reshape(6, 6) % 5 == 0, np.nan, np.add.outer(np.arange(6.0), np.arange(6.0)))
    keywords = {**QUICKLY, **arguments(drawn.draw, lacuna.TensorCompleter, ("init",))}
    clearly(lambda: lacuna.TensorCompleter(**keywords).fit(holes).predict())


@FEW
@given(st.data())
def test_classes_of_data(folder, drawn):
    axis = clearly(lambda: lacuna.Axis(**arguments(drawn.draw, lacuna.Axis)))
    size = drawn.draw(st.integers(0, 4))
    axes = [drawn.draw(st.sampled_from([axis, lacuna.Axis("a", 5), lacuna.Axis("b", 5), 3])) for _ in range(drawn.draw(st.integers(0, 3)))]
    lists = st.lists(st.integers(-1, 6), min_size=size, max_size=size)
    coords = [drawn.draw(st.one_of(lists, ODD_LISTS)) for _ in range(drawn.draw(st.integers(0, 3)))]
    values = drawn.draw(st.one_of(st.lists(st.floats(), min_size=size, max_size=size), ODD_LISTS))
    others = [drawn.draw(ODD_LISTS), drawn.draw(st.booleans()), drawn.draw(st.booleans())]
    tensor = clearly(lambda: lacuna.Tensor(axes, tuple(coords), values, *others))
    if tensor is not None:
        for use in (lambda t: lacuna.complete(t, method="mean"), lambda t: t.to_numpy(), lambda t: t.to_pandas(), repr, len,
                    lambda t: (t.shape, t.modes, t.labels), lambda t: lacuna.write("a.csv", t), copy.deepcopy, lacuna.split):  # fmt: skip
            clearly(lambda: use(tensor))
    page = clearly(lambda: lacuna.Report(drawn.draw(st.text(max_size=9))))
    clearly(lambda: page.save(drawn.draw(st.sampled_from(["page.html", "no/such/page.html", ""]))))
    assert page._repr_html_() and repr(page)
    assert repr(lacuna.Tuned("rmse", [{"candidate": "x", "lam": None, "mean": 1.0, "standard_error": 0.0, "complete": True}], {}, None))


@FEW
@given(st.binary(max_size=300), st.data())
def test_checkpoints_of_noise(folder, noise, drawn):
    (folder / "state").write_bytes(noise if drawn.draw(st.booleans()) else damaged(folder, drawn))
    holes = np.where(np.eye(6) > 0, np.nan, np.add.outer(np.arange(6.0), np.arange(6.0)))
    for call in (lacuna.TensorCompleter(method="als", rank=1).fit, lambda *a, **k: lacuna.tune(*a, methods=["mean"], folds=2, **k)):
        clearly(lambda: call(holes, resume="state"))


def damaged(folder, drawn):
    """A checkpoint with one byte that is another."""
    if not os.path.exists(folder / "whole"):
        holes = np.where(np.eye(6) > 0, np.nan, np.add.outer(np.arange(6.0), np.arange(6.0)))
        lacuna.TensorCompleter(method="als", rank=1).fit(holes, checkpoint=folder / "whole", every=0)
    state = bytearray((folder / "whole").read_bytes())
    state[drawn.draw(st.integers(0, len(state) - 1))] ^= drawn.draw(st.integers(1, 255))
    return bytes(state)
