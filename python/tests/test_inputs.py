# SPDX-License-Identifier: MIT
"""Arrays of every kind in, the same kind out."""

import sys
import types

import numpy as np
import pytest
from conftest import EXACT, QUICK, low_rank, rmse, with_holes

import lacuna


@pytest.fixture
def reference(cube):
    return lacuna.complete(cube[1], **EXACT)


def test_memory_order_changes_nothing(cube, reference):
    _, holes = cube
    fortran = np.asfortranarray(holes)
    filled = lacuna.complete(fortran, **EXACT)
    assert filled.flags.f_contiguous and (filled == reference).all()
    padded = np.full((24, 11, 12), -7.0)
    padded[::2, :, 2:11] = holes
    assert (lacuna.complete(padded[::2, :, 2:11], **EXACT) == reference).all()
    backwards = holes[::-1, :, ::-1]
    flipped = np.ascontiguousarray(backwards)
    assert (lacuna.complete(backwards, **EXACT) == lacuna.complete(flipped, **EXACT)).all()


def test_read_only_memory_is_only_read(cube, reference):
    _, holes = cube
    holes.flags.writeable = False
    assert (lacuna.complete(holes, **EXACT) == reference).all()


def test_another_byte_order(cube, reference):
    swapped = cube[1].astype(">f8")
    assert (lacuna.complete(swapped, **EXACT) == reference).all()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
def test_floats_keep_their_type(cube, dtype):
    holes = cube[1].astype(dtype)
    filled = lacuna.complete(holes, **QUICK)
    expected = lacuna.complete(holes.astype(float), **QUICK)
    if dtype not in ("f2", "g"):
        assert filled.dtype == holes.dtype
    assert rmse(filled, expected) < 1e-2


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_whole_numbers_are_rounded(dtype):
    whole = np.add.outer(np.arange(1, 8), 2 * np.arange(6))
    holes = np.ma.masked_array(whole.astype(dtype), mask=np.random.default_rng(0).random(whole.shape) < 0.3)
    filled = lacuna.complete(holes, **QUICK)
    assert isinstance(filled, np.ma.MaskedArray) and filled.dtype == np.dtype(dtype)
    assert not np.ma.getmaskarray(filled).any()
    assert np.abs(filled.data.astype(int) - whole).max() <= 1


def test_bools_become_shares():
    yes = np.ma.masked_array(np.add.outer(np.arange(6), np.arange(6)) > 5, mask=np.eye(6, dtype=bool))
    filled = lacuna.complete(yes, **QUICK)
    assert filled.dtype == np.float64


def test_a_masked_array_hides_its_masked_values(cube, reference):
    whole, holes = cube
    masked = np.ma.masked_array(np.where(np.isnan(holes), 1e6, holes), mask=np.isnan(holes))
    assert (lacuna.complete(masked, **EXACT).data == reference).all()


def test_a_number_may_mean_missing(cube, reference):
    _, holes = cube
    assert (lacuna.complete(np.nan_to_num(holes, nan=-999.0), missing_value=-999, **EXACT) == reference).all()


def test_nested_lists():
    filled = lacuna.complete([[1.0, 2.0, None], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0]], **QUICK)
    assert filled[0, 2] == pytest.approx(3.0, abs=0.5)


def test_cells_and_values(cube, reference):
    _, holes = cube
    coords, values = np.nonzero(~np.isnan(holes)), holes[~np.isnan(holes)]
    for given in (coords, np.stack(coords), [along.astype(np.uint8) for along in coords], np.stack(coords)[:, ::1]):
        found, numbers, shape = lacuna.complete((given, values, holes.shape), **EXACT)
        assert shape == holes.shape and found.shape == (3, holes.size)
        whole = np.empty(shape)
        whole[tuple(found)] = numbers
        assert (whole == reference).all()


def test_a_listed_cell_without_a_value_is_what_is_wanted(cube, reference):
    _, holes = cube
    coords = np.indices(holes.shape).reshape(3, -1)
    wanted = np.isnan(holes).ravel() & (np.arange(holes.size) % 3 == 0)
    kept = wanted | ~np.isnan(holes).ravel()
    _, values, _ = lacuna.complete((coords[:, kept], holes.ravel()[kept], holes.shape), **EXACT)
    assert (values == reference.ravel()[kept]).all()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_scipy_sparse(form):
    sparse = pytest.importorskip("scipy.sparse")
    whole = low_rank((20, 15), 1)
    rows, columns = np.nonzero(np.random.default_rng(0).random(whole.shape) < 0.6)
    matrix = sparse.coo_array((whole[rows, columns], (rows, columns)), shape=whole.shape).asformat(form)
    filled = lacuna.complete(matrix, **EXACT | {"rank": 1})
    assert filled.format == form and filled.shape == whole.shape
    assert rmse(filled.toarray(), whole) < 1e-4
    train, test = lacuna.split(matrix)
    assert train.nnz + test.nnz == matrix.nnz


def test_a_stored_zero_is_observed():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_array((np.array([0.0, 0.0, 1.0, 1.0]), ([0, 1, 0, 1], [0, 0, 1, 1])), shape=(2, 3))
    completer = lacuna.TensorCompleter(**QUICK).fit(matrix)
    assert completer._model.entries == 4


def test_pydata_sparse(cube, reference):
    sparse = pytest.importorskip("sparse")
    _, holes = cube
    coo = sparse.COO(np.stack(np.nonzero(~np.isnan(holes))), holes[~np.isnan(holes)], shape=holes.shape)
    filled = lacuna.complete(coo, **EXACT)
    assert isinstance(filled, sparse.COO)
    assert (filled.todense() == reference).all()


class Foreign:
    """A tensor of another library that offers DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_comes_back_to_its_library(cube, reference, monkeypatch):
    library = types.ModuleType("foreign")
    library.from_dlpack = lambda array: Foreign(np.asarray(array))
    monkeypatch.setitem(sys.modules, "foreign", library)
    monkeypatch.setattr(Foreign, "__module__", "foreign")
    filled = lacuna.complete(Foreign(cube[1]), **EXACT)
    assert isinstance(filled, Foreign) and (filled.array == reference).all()


def test_torch(cube, reference):
    torch = pytest.importorskip("torch")
    filled = lacuna.complete(torch.from_numpy(cube[1]).requires_grad_(), **EXACT)
    assert isinstance(filled, torch.Tensor) and (filled.numpy() == reference).all()


def test_xarray_comes_back_with_dims_and_coords():
    xarray = pytest.importorskip("xarray")
    whole = low_rank((10, 9, 8))
    holes = with_holes(whole)
    times = np.datetime64("2024-01-01") + np.arange(8)
    data = xarray.DataArray(holes, dims=("lat", "lon", "time"), coords={"lat": np.linspace(-5, 4, 10), "time": times},
                            name="temperature", attrs={"units": "K"})  # fmt: skip
    completer = lacuna.TensorCompleter(**EXACT).fit(data)
    filled = completer.transform(data)
    assert filled.dims == data.dims and filled.name == "temperature" and filled.attrs == {"units": "K"}
    xarray.testing.assert_equal(filled.lat, data.lat)
    xarray.testing.assert_equal(filled.time, data.time)
    assert rmse(filled.values, whole) < 1e-4
    assert completer.modes_ == ["lat", "lon", "time"]
    assert completer._axes[0].positions == pytest.approx(np.arange(10))
    assert completer._axes[1].labels is None

    # Cells are found by their coordinates, in whatever order dims and positions come.
    part = data.isel(lat=slice(None, None, -2)).transpose("time", "lat", "lon")
    again = completer.transform(part)
    assert again.dims == ("time", "lat", "lon")
    xarray.testing.assert_allclose(again.transpose("lat", "lon", "time"), filled.isel(lat=slice(None, None, -2)))


def test_irregular_coordinates_are_positions():
    xarray = pytest.importorskip("xarray")
    depth = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0])
    data = xarray.DataArray(with_holes(low_rank((6, 7))), dims=("depth", "x"), coords={"depth": depth})
    completer = lacuna.TensorCompleter(**QUICK).fit(data)
    assert completer._axes[0].positions == pytest.approx(depth / 2)  # in units of the usual step
    assert completer._model.modes[0].positions == pytest.approx(depth / 2)


def test_near_parts_go_by_positions():
    """A smooth function of an irregular coordinate is followed better where it is said how far the points are."""
    xarray = pytest.importorskip("xarray")
    rng = np.random.default_rng(5)
    x = np.sort(np.concatenate([rng.uniform(0, 1, 40), rng.uniform(9, 10, 40)]))
    whole = np.sin(x)[:, None] * rng.normal(size=6)
    holes = with_holes(whole, 0.5)
    settings = {"method": "tr-mm", "parts": "y|x~4", "rank": 3, "lam": 100, "offsets": "none"}
    said = xarray.DataArray(holes, dims=("x", "y"), coords={"x": x})
    unsaid = xarray.DataArray(holes, dims=("x", "y"))
    answers = [lacuna.complete(data, **settings).values for data in (said, unsaid)]
    assert not np.array_equal(*answers)


def test_a_tensor_from_memory_goes_back_into_one(cube, tmp_path, reference):
    _, holes = cube
    lacuna.write(tmp_path / "holes.npy", holes)
    tensor = lacuna.read(tmp_path / "holes.npy")
    assert isinstance(tensor, lacuna.Tensor) and tensor.dense and tensor.shape == holes.shape
    filled = lacuna.complete(tensor, **EXACT)
    assert isinstance(filled, lacuna.Tensor) and (filled.to_numpy() == reference).all()
    by_name = lacuna.complete(str(tmp_path / "holes.npy"), **EXACT)
    assert (by_name.to_numpy() == reference).all()
