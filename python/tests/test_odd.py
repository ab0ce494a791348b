# SPDX-License-Identifier: MIT
"""Odd shapes, types, orders, sizes, indices and ranks at every public function: an answer or a clear exception, never a
crash. The time is bounded: examples are few and small, and drawn alike on every run."""

import copy
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import lacuna

CLEAR = (ValueError, TypeError, MemoryError, OSError)
FEW = settings(max_examples=int(os.environ.get("LACUNA_ODD", "80")), deadline=None, derandomize=True, database=None,
               suppress_health_check=list(HealthCheck))  # fmt: skip
METHODS = [row["name"] for row in lacuna.methods()]
ODD_TYPES = st.sampled_from(["f8", "f4", "f2", ">f8", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "?", "c16", "O", "U3", "M8[D]"])
ODD_NUMBERS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.integers(), st.floats(), st.text(max_size=6),
    st.lists(st.integers(-2, 9), max_size=4), st.just("auto"), st.just(np.float32(2.5)), st.just(object()),
)  # fmt: skip


@st.composite
def arrays(draw):
    """Of any type, with up to four axes, some of them empty, in any order, maybe only to be read."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6))
    kind = draw(ODD_TYPES)
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    array = rng.integers(0, 5, shape).astype(kind) if kind not in ("f8", "f4") else rng.normal(size=shape).astype(kind)
    if array.dtype.kind == "f" and array.size:
        array = np.where(rng.random(shape) < draw(st.sampled_from([0.0, 0.3, 0.9, 1.0])), np.nan, array).astype(kind)
        if draw(st.integers(0, 9)) == 0:
            array[(0,) * array.ndim] = draw(st.sampled_from([np.inf, -np.inf, 1e300]))
    order = draw(st.sampled_from(["C", "F", "reversed", "strided"]))
    if order == "F":
        array = np.asfortranarray(array)
    elif order == "reversed" and array.ndim:
        array = array[::-1]
    elif order == "strided" and array.ndim:
        array = np.repeat(array, 2, axis=-1)[..., ::2]
    if draw(st.booleans()):
        array.flags.writeable = False
    return array


def clearly(call):
    """What the call returns; None when it refused with a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except CLEAR as problem:
            assert str(problem), f"{type(problem)} without a sentence"
            return None


@FEW
@given(arrays())
def test_complete(array):
    before = array.copy()
    filled = clearly(lambda: lacuna.complete(array, method="offsets", offsets="mean"))
    if filled is not None:
        assert filled.shape == array.shape
        assert np.isfinite(np.asarray(filled, float)).all()
    assert np.array_equal(before, array, equal_nan=array.dtype.kind == "f")


@FEW
@given(st.sampled_from(METHODS), hnp.array_shapes(min_dims=2, max_dims=4, min_side=1, max_side=5),
       st.sampled_from([None, 1, 2, 7, [1, 2], [9, 9, 9]]), st.integers(0, 3))  # fmt: skip
def test_every_method_on_small_things(method, shape, rank, seed):
    rng = np.random.default_rng(seed)
    array = np.where(rng.random(shape) < 0.3, np.nan, rng.normal(size=shape))
    given_rank = {} if rank is None else {"rank": rank}
    filled = clearly(lambda: lacuna.complete(array, method=method, max_time=2, effort="low", max_iterations=None, **given_rank))
    if filled is not None:
        assert np.isfinite(filled).all()


@FEW
@given(st.sampled_from(sorted(lacuna.TensorCompleter().get_params())), ODD_NUMBERS)
def test_settings(name, value):
    if name == "callback" and callable(value):
        return
    array = np.where(np.eye(6) > 0, np.nan, np.add.outer(np.arange(6.0), np.arange(6.0)))
    quick = {} if name in ("method", "max_time", "effort") else {"max_time": 1, "effort": "low"}
    clearly(lambda: lacuna.TensorCompleter(**{**quick, name: value}).fit(array))


INDICES = st.lists(st.one_of(st.integers(-2, 8), st.integers(-(2**63), 2**63 - 1)), max_size=6)


@FEW
@given(st.lists(INDICES, max_size=4), st.lists(st.floats(allow_nan=True), max_size=6),
       st.one_of(st.none(), st.lists(st.integers(-1, 9), max_size=4)))  # fmt: skip
def test_lists_of_cells(coords, values, shape):
    triple = (coords, values) if shape is None else (coords, values, shape)
    clearly(lambda: lacuna.complete(triple, method="offsets", offsets="mean"))
    clearly(lambda: lacuna.split(triple))


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    array = np.where(rng.random((5, 4, 3)) < 0.3, np.nan, rng.normal(size=(5, 4, 3)))
    return {
        method: lacuna.TensorCompleter(method=method, max_time=5).fit(array)
        for method in ("tr-mm", "als", "geomcg", "bayescp", "halrtc", "offsets")
        if method in METHODS
    }


@FEW
@given(st.data())
def test_predict_and_others(fitted, data):
    completer = fitted[data.draw(st.sampled_from(sorted(fitted)))]
    few = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)
    cells = data.draw(st.one_of(
        arrays(),
        hnp.arrays(np.int64, few, elements=st.integers(-1, 2**33)),
        hnp.arrays(np.uint16, st.tuples(st.integers(0, 5), st.just(3)), elements=st.integers(0, 6)),
        st.just(np.where(np.arange(60).reshape(5, 4, 3) % 7 == 0, np.nan, 1.5)),
    ))  # fmt: skip
    values = clearly(lambda: completer.predict(cells))
    if values is not None:
        assert len(values) == len(cells) and np.isfinite(values).all()
    interval = data.draw(ODD_NUMBERS)
    clearly(lambda: completer.predict(interval=interval))
    clearly(lambda: completer.transform(cells))
    clearly(lambda: completer.score(cells))
    clearly(lambda: lacuna.evaluate(completer, cells, interval=interval))
    clearly(lambda: lacuna.certify(completer, cells))
    clearly(lambda: lacuna.report(completer, train=cells))
    clearly(lambda: completer.top({"mode1": interval, "mode2": 1}))
    clearly(lambda: completer.top(mode1=cells, n=2, open="mode3"))
    clearly(lambda: completer.top(mode1=1, n=interval, candidates={"mode2": cells.tolist()}))
    clearly(lambda: completer.top(mode2=1, exclude=cells, lowest=True))


@FEW
@given(st.data())
def test_partial_fit(fitted, data):
    completer = copy.deepcopy(fitted[data.draw(st.sampled_from(["als", "tr-mm"]))])
    coords = data.draw(st.lists(st.lists(st.one_of(st.integers(0, 9), st.integers(-2, 2**34)), max_size=5), min_size=1, max_size=4))
    values = data.draw(st.lists(st.floats(-1e3, 1e3), max_size=5))
    new = data.draw(st.one_of(arrays(), st.just((coords, values))))
    shape = completer.shape_
    taken = clearly(lambda: completer.partial_fit(new, held_out=data.draw(st.sampled_from([0, 0.2, 0.9, -1, None])),
                                                  duplicates=data.draw(st.sampled_from([None, "last", "mean", "odd"]))))  # fmt: skip
    assert taken is not None or completer.shape_ == shape, "what is refused changes nothing"
    if taken is not None:
        assert all(after >= before for after, before in zip(completer.shape_, shape))
        assert float(np.prod([float(n) for n in completer.shape_])) > 1e6 or np.isfinite(completer.predict()).all()


POSITIONS = st.one_of(st.integers(0, 4), st.lists(st.integers(0, 4), max_size=3), arrays(), ODD_NUMBERS)


@FEW
@given(st.data())
def test_top(fitted, data):
    completer = fitted[data.draw(st.sampled_from(sorted(fitted)))]
    where = data.draw(st.dictionaries(st.sampled_from(["mode1", "mode2", "mode3", "mode4", ""]), POSITIONS, max_size=4))
    how = data.draw(st.fixed_dictionaries({}, optional={
        "n": st.one_of(st.integers(1, 99), ODD_NUMBERS), "open": st.one_of(st.sampled_from(["mode1", "mode3", "mode9"]), ODD_NUMBERS),
        "seen": ODD_NUMBERS, "lowest": ODD_NUMBERS, "exclude": POSITIONS,
        "candidates": st.one_of(POSITIONS, st.dictionaries(st.sampled_from(["mode1", "mode2"]), POSITIONS, max_size=2)),
    }))  # fmt: skip
    found = clearly(lambda: completer.top(where, **how))
    if found is None:
        return
    several = any(np.ndim(value) > 0 for value in where.values())
    for one in found if several else [found]:
        values = [value for _, value in one]
        assert len(one) <= how.get("n", 10) and np.isfinite(values).all()
        assert values == sorted(values, reverse=not how.get("lowest", False))


@FEW
@given(st.data())
def test_explain(fitted, data):
    completer = fitted[data.draw(st.sampled_from(sorted(fitted)))]
    where = {name: data.draw(POSITIONS) for name in data.draw(st.sampled_from(
        [["mode1", "mode2", "mode3"], ["mode1", "mode2"], ["mode1", "mode2", "mode3", "mode4"]]))}  # fmt: skip
    how = data.draw(st.fixed_dictionaries({}, optional={
        "by": st.one_of(st.sampled_from(["fibers", "rows", "components"]), ODD_NUMBERS),
        "count": st.one_of(st.integers(0, 9), ODD_NUMBERS), "interval": ODD_NUMBERS,
    }))  # fmt: skip
    found = clearly(lambda: lacuna.explain(completer, where, **how))
    if found is None:
        return
    several = any(np.ndim(value) > 0 for value in where.values())
    for one in found if several else [found]:
        assert one["sum"] + one["clip"] == pytest.approx(one["value"])
        assert sum(term["adds"] for term in one["terms"]) == pytest.approx(one["sum"])


@FEW
@given(st.data())
def test_what_an_update_leaves_can_be_asked(fitted, data):
    completer = copy.deepcopy(fitted[data.draw(st.sampled_from(["als", "tr-mm"]))])
    for _ in range(2):
        size = data.draw(st.integers(1, 6))
        coords = [data.draw(st.lists(st.integers(0, 7), min_size=size, max_size=size)) for _ in range(3)]
        values = data.draw(st.lists(st.floats(-1e3, 1e3), min_size=size, max_size=size))
        clearly(lambda: completer.partial_fit((coords, values), held_out=data.draw(st.sampled_from([0, 0.5])),
                                              duplicates="last"))  # fmt: skip
    last = completer.shape_[0] - 1
    assert np.isfinite([value for _, value in completer.top(mode1=last, n=5)]).all()
    account = lacuna.explain(completer, mode1=last, mode2=0, mode3=0)
    assert account["sum"] + account["clip"] == pytest.approx(account["value"])


@FEW
@given(st.one_of(arrays(), ODD_NUMBERS), st.one_of(arrays(), ODD_NUMBERS), ODD_NUMBERS)
def test_side_information(side, graph, same):
    array = np.where(np.eye(6) > 0, np.nan, np.add.outer(np.arange(6.0), np.arange(6.0)))
    completer = lacuna.TensorCompleter(method="offsets", offsets="modes")
    clearly(lambda: completer.fit(array, side={"mode1": side}))
    clearly(lambda: completer.fit(array, graph={"mode2": graph}))
    clearly(lambda: completer.fit(array, side=side, graph=graph))
    clearly(lambda: completer.fit(array, same=same))


@FEW
@given(arrays(), ODD_NUMBERS, ODD_NUMBERS)
def test_split(array, fraction, seed):
    parts = clearly(lambda: lacuna.split(array, fraction, random_state=seed))
    if parts is not None:
        assert not (~np.isnan(parts[0]) & ~np.isnan(parts[1])).any()


@FEW
@given(arrays(), st.sampled_from(["a.npy", "a.npz", "a.mat", "a.tns", "a.csv", "a.png", "a.xyz"]))
def test_files(tmp_path_factory, array, name):
    path = tmp_path_factory.mktemp("odd") / name
    clearly(lambda: lacuna.write(path, array))
    if path.exists():
        back = clearly(lambda: lacuna.read(path))
        if back is not None and name == "a.npy":
            np.testing.assert_array_equal(back.to_numpy(), array.astype(float))


@FEW
@given(st.binary(max_size=200), st.sampled_from(["a.npy", "a.npz", "a.mat", "a.tns", "a.csv", "a.png", "a.lac"]))
def test_files_of_noise(tmp_path_factory, noise, name):
    path = tmp_path_factory.mktemp("noise") / name
    path.write_bytes(noise)
    clearly(lambda: lacuna.load(path) if name == "a.lac" else lacuna.read(path))


@FEW
@given(st.data())
def test_tables(data):
    pandas = pytest.importorskip("pandas")
    rows = data.draw(st.integers(0, 6))
    cell = st.one_of(st.none(), st.integers(-5, 5), st.floats(), st.text(max_size=3), st.booleans(), st.dates())
    names = data.draw(st.lists(st.sampled_from(["a", "b", "value", "time", ""]), max_size=4))
    frame = pandas.DataFrame({name: data.draw(st.lists(cell, min_size=rows, max_size=rows)) for name in names})
    clearly(lambda: lacuna.complete(frame, method="offsets", offsets="mean", duplicates="mean"))
    try:
        table = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    except Exception:  # mixed types are not for Arrow
        return
    clearly(lambda: lacuna.complete(table, method="offsets", offsets="mean", duplicates="mean"))


@FEW
@given(st.integers(1, 3), st.lists(st.sampled_from(METHODS), max_size=2), st.lists(st.one_of(st.integers(1, 3), ODD_NUMBERS), max_size=2),
       st.one_of(st.just(1.0), ODD_NUMBERS))  # fmt: skip
def test_tune(folds, methods, ranks, lam):
    array = np.where(np.eye(5) > 0, np.nan, np.add.outer(np.arange(5.0), np.arange(5.0)))
    clearly(lambda: lacuna.tune(array, methods=methods or ["mean"], ranks=ranks or None, lambdas=[lam], folds=folds, refine=0,
                                max_time=1, effort="low"))  # fmt: skip
