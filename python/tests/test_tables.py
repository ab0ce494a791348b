# SPDX-License-Identifier: MIT
"""Long tables: labels in, labels out."""

import pickle

import numpy as np
import pytest
from conftest import EXACT, QUICK, low_rank, rmse, with_holes

import lacuna

pd = pytest.importorskip("pandas")


@pytest.fixture
def ratings():
    """(the whole, a long frame of some of it): users are texts, items numbers with gaps."""
    whole = low_rank((12, 10, 6))
    i, j, k = np.nonzero(np.random.default_rng(0).random(whole.shape) < 0.5)
    order = np.random.default_rng(1).permutation(len(i))
    i, j, k = i[order], j[order], k[order]
    frame = pd.DataFrame({"user": [f"user {n}" for n in i], "item": 10 * j + 5, "week": k, "rating": whole[i, j, k]})
    return whole, frame


def as_kind(frame, kind):
    if kind == "pandas":
        return frame
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(frame)
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


KINDS = ["pandas", "polars", "pyarrow"]


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_kept(ratings, kind):
    whole, frame = ratings
    table = as_kind(frame, kind)
    completer = lacuna.TensorCompleter(**EXACT).fit(table)
    assert completer.modes_ == ["user", "item", "week"]
    assert completer.shape_ == (12, 10, 6)
    assert completer.labels_[0][10] == "user 10", "texts with numbers in them come in the order of the numbers"
    assert completer.labels_[1].tolist() == [10 * j + 5 for j in range(10)]
    assert rmse(completer.predict(), whole) < 1e-3
    assert completer.score(table) == pytest.approx(1.0)
    label, value = completer.top(user="user 3", week=2, n=1, seen=True)[0]
    assert label == 10 * int(whole[3, :, 2].argmax()) + 5
    assert value == pytest.approx(whole[3, :, 2].max(), abs=1e-3)


def test_every_kind_gives_the_same_bits(ratings):
    _, frame = ratings
    answers = [lacuna.TensorCompleter(**EXACT).fit(as_kind(frame, kind)).predict() for kind in KINDS]
    assert (answers[0] == answers[1]).all() and (answers[0] == answers[2]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_predict_gives_a_column(ratings, kind):
    whole, frame = ratings
    completer = lacuna.TensorCompleter(**EXACT).fit(frame)
    wanted = pd.DataFrame({"week": [0, 5], "user": ["user 1", "user 11"], "item": [5, 95]}, index=[7, 3])
    column = completer.predict(as_kind(wanted, kind))
    assert np.asarray(column) == pytest.approx([whole[1, 0, 0], whole[11, 9, 5]], abs=1e-3)
    if kind == "pandas":
        assert column.index.tolist() == [7, 3] and column.name == "rating"


@pytest.mark.parametrize("kind", KINDS)
def test_complete_fills_what_has_no_value(ratings, kind):
    whole, frame = ratings
    holes = frame.copy()
    holes.loc[::7, "rating"] = np.nan
    filled = lacuna.complete(as_kind(holes, kind), **EXACT)
    assert type(filled) is type(as_kind(frame, kind))
    values = np.asarray(filled["rating"])
    assert rmse(values, frame["rating"]) < 1e-3
    assert list(np.asarray(filled["user"])) == list(frame["user"])


@pytest.mark.parametrize("kind", KINDS)
def test_complete_lists_all_cells_where_none_is_without_a_value(ratings, kind):
    whole, frame = ratings
    filled = lacuna.complete(as_kind(frame, kind), **EXACT)
    assert type(filled) is type(as_kind(frame, kind))
    assert len(filled["rating"]) == whole.size


@pytest.mark.parametrize("kind", KINDS)
def test_split_deals_rows(ratings, kind):
    _, frame = ratings
    train, test = lacuna.split(as_kind(frame, kind), 0.75)
    assert len(train["user"]) + len(test["user"]) == len(frame)
    assert type(train) is type(as_kind(frame, kind))


def test_what_the_model_never_saw_gets_the_offset(ratings):
    _, frame = ratings
    completer = lacuna.TensorCompleter(method="offsets", offsets="mean").fit(frame)
    strange = pd.DataFrame({"user": ["nobody"], "item": [99999], "week": [1], "rating": [0.0]})
    assert completer.predict(strange)[0] == pytest.approx(frame["rating"].mean())
    assert lacuna.evaluate(completer, strange)["cold"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_missing_numbers_and_categories(kind):
    frame = pd.DataFrame({
        "who": pd.Categorical(["b", "a", "b", "a", "c", "c"], categories=["c", "b", "a"]),
        "what": ["x", "x", "y", "y", "x", "y"],
        "value": pd.array([1, 2, 3, 4, None, 6], dtype="Int64"),
    })  # fmt: skip
    completer = lacuna.TensorCompleter(**QUICK).fit(as_kind(frame, kind))
    assert completer._model.entries == 5
    assert completer.labels_[0].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_times_are_positions_and_can_be_binned(kind):
    stamps = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-09", "2024-01-30"])
    frame = pd.DataFrame({"sensor": ["a", "b"] * 4, "time": np.repeat(stamps, 2), "value": np.arange(8.0)})
    table = as_kind(frame, kind)
    completer = lacuna.TensorCompleter(**QUICK).fit(table)
    assert completer.shape_ == (2, 4)
    assert completer._axes[1].positions == pytest.approx(np.array([0, 1, 8, 29]) / 7)
    binned = lacuna.TensorCompleter(duplicates="mean", **QUICK).fit(table, bins={"time": "7d"})
    assert binned.shape_ == (2, 5)
    assert np.asarray(binned.predict(table)).shape == (8,)
    assert binned.top(sensor="a", n=5, seen=True)[0][0] == np.datetime64("2024-01-29"), "the beginning of the last bin"


def dated(days):
    """Sales of two sites on every fifth day from a Wednesday on, as a frame."""
    stamps = pd.Timestamp("2024-01-03") + pd.to_timedelta(5 * np.arange(days // 5), "D")
    site, time = np.meshgrid(["a", "b", "c"], stamps, indexing="ij")
    return pd.DataFrame({"site": site.ravel(), "time": time.ravel(), "value": np.sqrt(np.arange(float(site.size)))})


@pytest.mark.parametrize("width", ["7d", "1w", "2w", "1M", "1Q", "1y"])
@pytest.mark.parametrize("kind", KINDS)
def test_bins_are_those_of_the_command_line(width, kind, tmp_path):
    frame = dated(500)
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_file = lacuna.read(tmp_path / "t.csv", bins={"time": width}, columns=["site", "time"])
    settings = {"method": "offsets", "offsets": "modes", "duplicates": "mean"}
    ours = lacuna.TensorCompleter(**settings).fit(as_kind(frame, kind), modes=["site", "time"], bins={"time": width})
    theirs = lacuna.TensorCompleter(**settings).fit(from_file)
    assert ours._axes[1].bins == theirs._axes[1].bins
    assert ours.shape_ == theirs.shape_
    labels = [axis.labels for axis in (ours._axes[1], theirs._axes[1])]
    assert [None if of is None else of.tolist() for of in labels[:1]] == [None if of is None else of.tolist() for of in labels[1:]]
    assert np.array_equal(ours.predict(as_kind(frame, kind)), theirs.predict(frame))
    begin = ours.top(site="a", n=1, lowest=True, seen=True)[0][0]
    assert isinstance(begin, np.datetime64)
    if width == "1w":
        assert ours._axes[1].label_at(0) == np.datetime64("2024-01-01"), "a Monday"
    copied = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(copied.predict(frame), ours.predict(frame))


def test_a_model_of_calendar_bins_puts_times_into_them(tmp_path):
    frame = dated(400)
    settings = {"method": "offsets", "offsets": "modes", "duplicates": "mean"}
    model = lacuna.TensorCompleter(**settings).fit(frame, modes=["site", "time"], bins={"time": "1M"})
    model.save(tmp_path / "m.lac")
    model = lacuna.load(tmp_path / "m.lac")
    asked = pd.DataFrame({"site": ["a"] * 4, "time": pd.to_datetime(["2024-07-01", "2024-07-31", "2024-07-15", "2030-01-01"])})
    predicted = np.asarray(model.predict(asked))
    assert predicted[0] == predicted[1] == predicted[2]
    assert np.array_equal(model.predict(asked.astype({"time": str})), predicted), "texts are read as files' are"
    with pytest.raises(ValueError, match=r"found .*2030-01-01.*, expected a time of mode 'time': from 2024-01-01 on, 14 steps of 1 month"):
        model.top(time=np.datetime64("2030-01-01"))


@pytest.mark.parametrize("kind", KINDS)
def test_times_without_an_offset_are_what_the_clock_of_a_model_shows(kind, tmp_path):
    dated(400).to_csv(tmp_path / "t.csv", index=False)
    tensor = lacuna.read(tmp_path / "t.csv", bins={"time": "1M"}, columns=["site", "time"], time_zone="Europe/Berlin")
    model = lacuna.TensorCompleter(method="offsets", offsets="modes", duplicates="mean").fit(tensor)

    def at(stamps):
        frame = pd.DataFrame({"site": ["a"] * len(stamps), "time": stamps})
        return np.asarray(model.predict(as_kind(frame, kind))).tolist()

    clock = pd.to_datetime(["2024-07-31 10:00", "2024-07-31 22:30", "2024-08-01 00:30"])
    july, late, august = at(clock)
    assert late == july != august
    assert at(clock.tz_localize("UTC")) == [july, august, august]
    assert at(clock.tz_localize("Europe/Berlin")) == [july, july, august]


def test_bins_of_numbers_are_called_by_numbers():
    frame = pd.DataFrame({"site": ["a", "b", "a", "b"], "time": [100, 100, 90100, 90100], "value": [1.0, 2.0, 3.0, 4.0]})
    model = lacuna.TensorCompleter(method="offsets", offsets="modes").fit(frame, modes=["site", "time"], bins={"time": "1d"})
    assert model.top(site="a", n=2, seen=True)[0][0] == 86500
    with pytest.raises(ValueError, match="bins: found '1x', expected a width > 0 such as 7d.* or of the calendar 1w, 1M, 1Q or 1y"):
        lacuna.TensorCompleter().fit(frame, bins={"time": "1x"})
    with pytest.raises(ValueError, match="mode 'time': found 'soon', expected a time stamp"):
        lacuna.TensorCompleter().fit(frame.assign(time="soon"), bins={"time": "1d"})


def test_columns_are_called_what_they_were():
    """Numbers, as a frame calls them by itself, or whatever else."""
    rows = [[i, j, i + j if (i + 2 * j) % 5 else np.nan] for i in range(8) for j in range(6)]
    for columns in (None, [5, "b", 2.5], pd.MultiIndex.from_tuples([("at", "i"), ("at", "j"), ("is", "v")])):
        frame = pd.DataFrame(rows, columns=columns)
        filled = lacuna.complete(frame, **QUICK)
        assert filled.columns.equals(frame.columns) and not filled.isna().any().any()
        assert rmse(filled.iloc[:, 2], filled.iloc[:, 0] + filled.iloc[:, 1]) < 1e-6
        assert frame.isna().any().any(), "the data is as it was"
        completer = lacuna.TensorCompleter(**QUICK).fit(frame)
        assert completer.predict(frame).name == frame.columns[2]
        listed = lacuna.complete(frame.dropna(), **QUICK)  # the cells that are not listed
        assert listed.columns.equals(frame.columns) and len(listed) == len(frame)


def test_columns_are_found_as_the_command_line_finds_them():
    facts = pd.DataFrame({"head": ["a", "b"], "relation": ["r", "r"], "tail": ["b", "c"]})
    completer = lacuna.TensorCompleter(method="mean", negatives=0).fit(facts)
    assert completer.modes_ == ["head", "relation", "tail"]
    assert completer.predict(facts).tolist() == [1.0, 1.0]
    movielens = pd.DataFrame({"userId": [1, 1, 2], "movieId": [7, 8, 7], "rating": [4.0, 3.0, 5.0], "timestamp": [1, 2, 3]})
    assert lacuna.TensorCompleter(**QUICK).fit(movielens).modes_ == ["userId", "movieId"]
    named = lacuna.TensorCompleter(**QUICK).fit(movielens, modes=["movieId", "userId"], value="timestamp")
    assert named.modes_ == ["movieId", "userId"]
    last = pd.DataFrame({"a": [1, 2, 1], "b": [1, 1, 2], "grade": [1.0, 2.0, 3.0]})
    assert lacuna.TensorCompleter(**QUICK).fit(last).modes_ == ["a", "b"]


def test_weights_count(ratings):
    _, frame = ratings
    twice = pd.concat([frame, frame.iloc[:20]])
    weighted = frame.assign(times=[2.0] * 20 + [1.0] * (len(frame) - 20))
    one = lacuna.TensorCompleter(duplicates="mean", **QUICK).fit(twice.assign(times=1.0), weight="times")
    two = lacuna.TensorCompleter(**QUICK).fit(weighted, weight="times")
    assert rmse(one.predict(), two.predict()) < 1e-12


def test_a_frame_with_an_index_of_its_own_is_a_matrix():
    times = pd.date_range("2024-01-01", periods=30, freq="h", name="time")
    whole = low_rank((30, 6), 1)
    frame = pd.DataFrame(with_holes(whole, 0.4), index=times, columns=list("abcdef"))
    filled = lacuna.complete(frame, **EXACT | {"rank": 1})
    assert filled.index.equals(frame.index) and filled.columns.equals(frame.columns)
    assert rmse(filled, whole) < 1e-4


def test_a_series_with_levels_is_a_tensor(ratings):
    whole, frame = ratings
    series = frame.set_index(["user", "item", "week"])["rating"]
    series.iloc[::5] = np.nan
    filled = lacuna.complete(series, **EXACT)
    assert filled.index.equals(series.index)
    assert rmse(filled, frame["rating"]) < 1e-3


def test_labels_survive_a_file(ratings, tmp_path):
    _, frame = ratings
    completer = lacuna.TensorCompleter(**EXACT).fit(frame)
    completer.save(tmp_path / "ratings.lac")
    loaded = lacuna.load(tmp_path / "ratings.lac")
    assert loaded.modes_ == completer.modes_
    assert loaded.labels_[1].tolist() == completer.labels_[1].tolist()
    assert (loaded.predict(frame) == completer.predict(frame)).all()
    assert loaded.top(user="user 3", week=2) == completer.top(user="user 3", week=2)


class Stream:
    """Something with an Arrow stream and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("text", ["string", "large_string", "string_view", "dictionary"])
def test_arrow_texts_of_every_layout(text):
    pa = pytest.importorskip("pyarrow")
    words = ["a", "a rather long label that no view keeps inside", "", "ä", "a"]
    others = ["x", "x", "x", "x", "y"]
    kind = {"dictionary": pa.dictionary(pa.int8(), pa.string())}.get(text) or getattr(pa, text)()
    column = pa.array(words).cast(kind) if text != "dictionary" else pa.array(words).dictionary_encode().cast(kind)
    table = pa.table({"word": column, "other": pa.array(others), "value": pa.array([1.0, 2, 3, 4, 5])})
    chunked = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    completer = lacuna.TensorCompleter(**QUICK).fit(Stream(chunked))
    assert sorted(completer.labels_[0].tolist()) == sorted(set(words))
    assert completer._model.entries == 5


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                                  "float32", "float64", "bool_"])  # fmt: skip
def test_arrow_numbers_of_every_type(kind):
    pa = pytest.importorskip("pyarrow")
    numbers = np.array([0, 1, 1, 0, 1, 0])
    values = pa.array(numbers.astype("f2") if kind == "float16" else numbers.astype(bool) if kind == "bool_" else numbers,
                      type=getattr(pa, kind)(), mask=np.array([False] * 5 + [True]))  # fmt: skip
    table = pa.table({"a": [0, 0, 0, 1, 1, 1], "b": [0, 1, 2, 0, 1, 2], "value": values})
    completer = lacuna.TensorCompleter(method="mean").fit(Stream(table))
    assert completer._model.entries == 5
    assert completer.predict(np.array([[0, 0]]))[0] == pytest.approx(0.6)


def test_arrow_types_of_no_use_are_named():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": pa.array([[1], [2]]), "b": [1, 2], "c": [1, 2], "value": [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'a' is of a type"):
        lacuna.TensorCompleter(**QUICK).fit(table)
    assert lacuna.TensorCompleter(**QUICK).fit(table, modes=["b", "c"]).shape_ == (2, 2)


def test_errors_name_the_column(ratings):
    _, frame = ratings
    completer = lacuna.TensorCompleter(**QUICK)
    with pytest.raises(ValueError, match="value: there is no column 'ratng'; did you mean rating?"):
        completer.fit(frame, value="ratng")
    with pytest.raises(ValueError, match="modes: there is no column 'users'; did you mean user?"):
        completer.fit(frame, modes=["users", "item"])
    with pytest.raises(ValueError, match="row 4 has no 'user'"):
        completer.fit(frame.assign(user=[*frame["user"][:4], None, *frame["user"][5:]]))
    with pytest.raises(ValueError, match="holds no numbers"):
        completer.fit(frame, value="user", modes=["item", "week"])
    with pytest.raises(ValueError, match="there is no column 'week'"):
        completer.fit(frame).predict(frame.drop(columns="week"))


def test_a_frame_whose_index_says_what_rows_are_is_a_matrix():
    whole = np.add.outer(np.arange(8.0), np.arange(5.0))
    holes = with_holes(whole, 0.3)
    times = pd.date_range("2024-01-01", periods=8, freq="h", name="time")
    for index in (times, pd.Index(list("abcdefgh")), pd.RangeIndex(10, 18, name="station")):
        frame = pd.DataFrame(holes, index, [f"sensor {k}" for k in range(5)])
        filled = lacuna.complete(frame, clip="none", **QUICK)
        assert filled.index.equals(index) and list(filled.columns) == list(frame.columns)
        assert rmse(filled, whole) < 1e-6


def test_rows_picked_from_a_long_table_are_still_one():
    rng = np.random.default_rng(0)
    cells = np.argwhere(rng.random((12, 9)) < 0.8)
    long = pd.DataFrame({"user": cells[:, 0], "film": cells[:, 1], "rating": cells.sum(axis=1) + 0.0})
    picked = long[long.user != 3]  # its index is 0, 1, 2, ... no more
    completer = lacuna.TensorCompleter(**QUICK).fit(picked)
    assert completer.modes_ == ["user", "film"] and completer.shape_ == (11, 9)
    train, test = lacuna.split(long, 0.9)
    assert lacuna.evaluate(lacuna.TensorCompleter(**QUICK).fit(train), test)["rmse"] < 1e-6
    named = long.rename_axis("line")
    assert lacuna.TensorCompleter(**QUICK).fit(named).modes_ == ["user", "film"]
