# SPDX-License-Identifier: MIT
"""Top lists, new entries without a new fit, facts, and side information."""

import copy
import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import low_rank, rmse, with_holes, write_ratings

import lacuna
from lacuna import _core

ALS = {"method": "als", "rank": 2}


def films(users, seed=0, week=False):
    """Two tastes: who likes the films of even number, and who likes the others."""
    rng = np.random.default_rng(seed)
    rows = []
    for user in users:
        for film in rng.choice(14, 9, replace=False):
            likes = 1.5 if (user + film) % 2 == 0 else -1.5
            row = {"user": f"u{user}", "film": f"film {film}", "week": int(rng.integers(0, 4)),
                   "stars": round(float(3 + likes + 0.2 * rng.normal()), 2)}  # fmt: skip
            rows.append(row if week else {key: value for key, value in row.items() if key != "week"})
    return pytest.importorskip("pandas").DataFrame(rows)


@pytest.fixture(scope="module")
def frame():
    return films(range(40))


@pytest.fixture(scope="module")
def ratings(frame):
    return lacuna.TensorCompleter(**ALS).fit(frame)


def naive_top(completer, fixed, mode, seen):
    """(label, prediction) of every position along the mode, best first; ties by position."""
    labels = completer.labels_[completer.modes_.index(mode)]
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({**{name: [label] * len(labels) for name, label in fixed.items()}, mode: labels})
    values = completer.predict(table).to_numpy()
    order = sorted(range(len(labels)), key=lambda p: (-values[p], p))
    return [(labels[p], values[p]) for p in order if labels[p] not in seen]


# Top lists.


def test_top_is_what_predictions_say(frame, ratings):
    for user in ("u0", "u7"):
        seen = set(frame[frame.user == user].film)
        expected = naive_top(ratings, {"user": user}, "film", seen)
        assert ratings.top(user=user, n=100) == expected
        assert ratings.top(user=user, n=3) == expected[:3]
        everything = naive_top(ratings, {"user": user}, "film", set())
        assert ratings.top(user=user, n=100, seen=True) == everything
        assert [value for _, value in ratings.top(user=user, n=3, seen=True, lowest=True)] == [v for _, v in everything[::-1][:3]]


def test_top_of_many_rows_is_a_list_for_each(ratings):
    users = ["u3", "u0", "u9"]
    assert ratings.top(user=users, n=4) == [ratings.top(user=user, n=4) for user in users]
    assert ratings.top(user=np.array(users), n=4) == ratings.top(user=users, n=4)
    assert ratings.top(user=[], n=4) == []


def test_top_chooses_among_candidates_and_leaves_out(frame, ratings):
    some = ["film 3", "film 8", "film 1"]
    found = [film for film, _ in ratings.top(user="u1", seen=True, candidates=some)]
    assert sorted(found) == sorted(some)
    assert ratings.top(user="u1", seen=True, candidates={"film": some}) == ratings.top(user="u1", seen=True, candidates=some)
    best = ratings.top(user="u1", seen=True, n=1)[0][0]
    left_out = frame.iloc[:1].assign(user="u1", film=best)
    assert best not in [film for film, _ in ratings.top(user="u1", seen=True, n=100, exclude=left_out)]


def test_top_of_several_open_modes_and_of_modes_that_do_not_matter():
    frame = films(range(30), week=True)
    completer = lacuna.TensorCompleter(method="als", rank=2, parts="user|film", offsets="user,film,week").fit(frame, value="stars")
    pairs = completer.top(user="u1", n=3)
    assert all(len(label) == 2 for label, _ in pairs)
    assert {film for (film, _), _ in pairs} <= set(completer.labels_[1])
    whatever = completer.top(user="u1", open="film", n=100, seen=True)
    assert whatever == completer.top(user="u1", week=None, n=100, seen=True)
    assert len(whatever) == 14
    # A film that was rated in any week counts as seen.
    unseen = completer.top(user="u1", open="film", n=100)
    assert {film for film, _ in unseen} == set(completer.labels_[1]) - set(frame[frame.user == "u1"].film)


def test_top_agrees_with_the_program(frame, ratings, program, tmp_path):
    ratings.save(tmp_path / "model.lac")
    done = subprocess.run([program, "top", "model.lac", "user=u5", "-k", "4", "--json"], cwd=tmp_path, capture_output=True, text=True)
    theirs = json.loads(done.stdout)["top"]
    assert [(row["film"], row["value"]) for row in theirs] == ratings.top(user="u5", n=4)


@pytest.mark.parametrize("question, sentence", [
    ({"user": "nobody"}, "where: found 'nobody', expected a label of mode 'user', such as 'u0'"),
    ({"user": "u1", "film": "film 2"}, "where: found every mode given"),
    ({"usr": "u1"}, "did you mean user"),
    ({"user": "u1", "n": 0}, "n: found 0, expected a whole number > 0"),
    ({"user": "u1", "open": "user"}, "open: found 'user', which is given"),
    ({"user": "u1", "candidates": ["film 99"]}, "candidates: found 'film 99', expected a label"),
    ({"user": "u1", "candidates": []}, "candidates: found none"),
    ({"user": [["u1"]]}, "found an array of 2 axes"),
])  # fmt: skip
def test_top_refuses_clearly(ratings, question, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence.replace("(", r"\(")):
        ratings.top(**question)


def test_top_of_plain_indices_names_the_range(cube):
    completer = lacuna.TensorCompleter(method="offsets", offsets="modes").fit(cube[1])
    with pytest.raises(ValueError, match="found 12, expected an index of mode 'mode1', 0 to 11"):
        completer.top(mode1=12, mode2=0)


def test_five_lines_from_a_table_to_ten_recommendations(tmp_path, monkeypatch):
    """Those of python/README.md, on pandas and on polars."""
    pytest.importorskip("pandas"), pytest.importorskip("polars")
    write_ratings(tmp_path / "ratings.csv")
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```", readme, re.M | re.S) if "read_csv" in block]
    assert len(blocks) == 2
    printed = []
    for block in blocks:
        lines = [line for line in block.splitlines() if line.strip()]
        assert len(lines) == 5
        exec(block.replace("print(", "printed.append("), {"printed": (out := [])})
        assert len(out) == 10
        printed.append(out)
    assert printed[0] == printed[1]


# New entries.


def test_partial_fit_takes_up_new_users(frame, ratings):
    new = films(range(40, 60), seed=5)
    known, unseen = lacuna.split(new, 0.6, value="stars")
    updated = copy.deepcopy(ratings)
    before = updated.predict(frame)
    assert updated.partial_fit(known) is updated
    assert updated.update_["added"] == {"user": 20, "film": 0}
    assert updated.update_["entries"] == len(known)
    assert updated.shape_[0] == 60 and updated.labels_[0][-20:].tolist() == sorted(set(new.user), key=lambda u: int(u[1:]))
    spread = float(unseen.stars.std())
    assert rmse(updated.predict(unseen), unseen.stars) < 0.6 * spread
    assert rmse(ratings.predict(unseen), unseen.stars) > 0.8 * spread, "who is not known gets the mean"
    assert updated.top(user="u45", n=3) and len(updated.top(user="u45", n=100)) == 14 - (known.user == "u45").sum()
    # What has no new entries stays, bit for bit.
    untouched = ~frame.film.isin(known.film)
    assert (np.asarray(updated.predict(frame))[untouched] == np.asarray(before)[untouched]).all()


def test_partial_fit_agrees_with_the_program(frame, ratings, program, tmp_path):
    new = films(range(40, 46), seed=5)
    new.to_csv(tmp_path / "new.csv", index=False)
    ratings.save(tmp_path / "model.lac")
    subprocess.run([program, "update", "model.lac", "new.csv", "-o", "newer.lac"], cwd=tmp_path, check=True, capture_output=True)
    theirs = lacuna.load(tmp_path / "newer.lac")
    ours = lacuna.load(tmp_path / "model.lac").partial_fit(new)
    both = films(range(46))
    assert (np.asarray(theirs.predict(both)) == np.asarray(ours.predict(both))).all()
    ours.save(tmp_path / "ours.lac")
    again = lacuna.load(tmp_path / "ours.lac")
    assert again.shape_ == ours.shape_ and (np.asarray(again.predict(both)) == np.asarray(ours.predict(both))).all()


@pytest.mark.parametrize("method", ["als", "ffw"])
def test_a_refit_agrees_with_the_program(frame, program, tmp_path, method):
    new = films(range(40, 46), seed=5)
    new.to_csv(tmp_path / "new.csv", index=False)
    ours = lacuna.TensorCompleter(method=method, offsets="modes", max_iterations=10).fit(frame)
    ours.save(tmp_path / "model.lac")
    subprocess.run([program, "update", "model.lac", "new.csv", "-o", "newer.lac", "--refit"], cwd=tmp_path, check=True,
                   capture_output=True)  # fmt: skip
    if method == "ffw":
        with pytest.raises(ValueError, match="refit=True does that, from the entries the model keeps"):
            ours.partial_fit(new)
    ours.partial_fit(new, refit=True)
    both = films(range(46))
    assert (np.asarray(lacuna.load(tmp_path / "newer.lac").predict(both)) == np.asarray(ours.predict(both))).all()
    assert ours.update_["entries"] == len(new) and ours.update_["added"] == {"user": 6, "film": 0}
    with pytest.raises(ValueError, match="X: the model was fitted on cell .*duplicates='last'"):
        ours.partial_fit(new.iloc[:1], refit=True)


def test_a_refit_goes_along_the_path_of_its_fit(frame):
    settings = {"method": "tr-mm", "rank": 1, "lam": 100, "offsets": "mean", "parts": "user|film", "path": 2}
    completer = lacuna.TensorCompleter(**settings).fit(frame)
    assert completer.settings_["path"] == [0.01, 0.1, 1]
    completer.partial_fit(films([90]), refit=True)
    assert completer.settings_["path"] == [0.01, 0.1, 1] and completer.shape_[0] == 41


def test_partial_fit_without_a_model_fits(frame):
    twice = lacuna.TensorCompleter(method="offsets", offsets="modes")
    with pytest.raises(ValueError, match="are of the same cell"):
        twice.partial_fit(frame.iloc[[0, 0, 20]])
    twice.partial_fit(frame.iloc[[0, 0, 20]], duplicates="mean")
    assert lacuna.info(twice)["observed"] == 2
    with pytest.raises(ValueError, match="held_out: found 2"):
        lacuna.TensorCompleter(**ALS).partial_fit(frame, held_out=2)
    completer = lacuna.TensorCompleter(**ALS).partial_fit(frame)
    assert completer.shape_ == (40, 14)
    with pytest.raises(lacuna.NotFittedError, match="not been updated"):
        completer.update_


def test_partial_fit_grows_plain_indices():
    whole = low_rank((34, 20), 1)
    holes = with_holes(whole, 0.3)
    settings = {"method": "tr-mm", "rank": 1, "lam": 100, "offsets": "none", "parts": "full"}
    completer = lacuna.TensorCompleter(**settings).fit(holes[:30])
    rows, columns = np.nonzero(~np.isnan(holes[30:]))
    completer.partial_fit(((rows + 30, columns), holes[30:][rows, columns]))
    assert completer.shape_ == (34, 20)
    assert rmse(completer.predict()[30:], whole[30:]) < 0.5 * whole[30:].std()
    # The same from an array with more rows, of which the first are empty.
    other = lacuna.TensorCompleter(**settings).fit(holes[:30])
    fresh = holes.copy()
    fresh[:30] = np.nan
    assert (other.partial_fit(fresh).predict() == completer.predict()).all()


def test_partial_fit_of_times(frame):
    pd = pytest.importorskip("pandas")
    frame = frame.assign(time=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(frame)) % 28, "D"))
    completer = lacuna.TensorCompleter(method="als", rank=1, parts="user|film").fit(
        frame, modes=["user", "film", "time"], value="stars", bins={"time": "7d"})  # fmt: skip
    later = films(range(40, 43), seed=1).assign(time=pd.Timestamp("2024-02-20"))
    completer.partial_fit(later)
    assert completer.shape_[2] == 8
    with pytest.raises(ValueError, match="before its first bin"):
        completer.partial_fit(later.assign(time=pd.Timestamp("2023-02-20")))
    assert completer.shape_ == (43, 14, 8), "what is refused changes nothing"


def test_partial_fit_refuses_clearly(frame, ratings):
    other = copy.deepcopy(ratings)
    with pytest.raises(ValueError, match="X: the model was fitted on cell .*duplicates='last'"):
        other.partial_fit(frame.iloc[:1])
    assert other.partial_fit(frame.iloc[:1], duplicates="last").update_["entries"] <= 1
    with pytest.raises(ValueError, match="entries 0 and 1 .*are of the same cell"):
        other.partial_fit(films([90]).iloc[[0, 0]])
    with pytest.raises(ValueError, match="found no entry with a value"):
        other.partial_fit(films([90]).iloc[:0])
    with pytest.raises(ValueError, match="held_out: found 2"):
        other.partial_fit(films([90]), held_out=2)
    tucker = lacuna.TensorCompleter(method="geomcg", rank=1).fit(low_rank((5, 4, 3)))
    with pytest.raises(ValueError, match="a model of geomcg cannot be updated without fitting again"):
        tucker.partial_fit(low_rank((5, 4, 3)))


def test_a_table_tells_a_loaded_model_its_values(frame, ratings, tmp_path):
    ratings.save(tmp_path / "model.lac")
    loaded = lacuna.load(tmp_path / "model.lac")
    assert lacuna.evaluate(loaded, frame) == lacuna.evaluate(ratings, frame)
    assert loaded.converged_ == ratings.converged_


# Facts.


@pytest.fixture(scope="module")
def triples():
    """Everybody knows the two next in a circle of 24, and likes the one across."""
    pd = pytest.importorskip("pandas")
    people = [f"p{n:02}" for n in range(24)]
    rows = [(people[a], "knows", people[(a + d) % 24]) for a in range(24) for d in (1, 2)]
    rows += [(people[a], "likes", people[(a + 12) % 24]) for a in range(24)]
    return pd.DataFrame(rows, columns=["head", "relation", "tail"])


def test_facts_are_ranked_and_heads_are_tails(triples):
    train = triples.drop(index=[3, 30])
    completer = lacuna.TensorCompleter(method="complex", rank=12, penalty=0.01, max_iterations=60).fit(train)
    assert completer.modes_ == ["head", "relation", "tail"]
    assert completer.labels_[0].tolist() == completer.labels_[2].tolist()
    values = completer.predict(triples)
    assert ((0 <= values) & (values <= 1)).all(), "probabilities"
    found = lacuna.evaluate(completer, train, ranking="head,tail", filter=[train])
    assert found["mrr"] > 0.5


def test_facts_give_the_program_s_model(triples, program, tmp_path):
    triples.to_csv(tmp_path / "facts.csv", index=False, header=False)
    subprocess.run([program, "fit", "facts.csv", "-o", "model.lac", "--effort", "low", "--max-iterations", "5"], cwd=tmp_path,
                   check=True, capture_output=True)  # fmt: skip
    theirs = lacuna.load(tmp_path / "model.lac")
    settings = {"effort": "low", "max_iterations": 5}
    for data in (triples, tmp_path / "facts.csv"):
        ours = lacuna.TensorCompleter(**settings).fit(data)
        assert ours.method_ == theirs.method_ and ours.shape_ == theirs.shape_
        assert (np.asarray(ours.predict(triples)) == np.asarray(theirs.predict(triples))).all()
        assert ours.held_out_mrr_ is not None and theirs.held_out_mrr_ == pytest.approx(ours.held_out_mrr_)


def test_negatives_are_drawn_for_methods_of_values(triples):
    none = lacuna.TensorCompleter(method="als", rank=2, negatives=0).fit(triples)
    some = lacuna.TensorCompleter(method="als", rank=2).fit(triples)
    assert np.ptp(none.predict()) < 0.01 < np.ptp(some.predict()), "without any, everything is 1"
    with pytest.raises(ValueError, match="negatives: found -1"):
        lacuna.TensorCompleter(negatives=-1).fit(triples)
    with pytest.raises(ValueError, match="corrupt: "):
        lacuna.TensorCompleter(corrupt="nothing").fit(triples)


def test_same_says_which_modes_are_one_set(triples):
    apart = lacuna.TensorCompleter(method="offsets", offsets="mean").fit(triples, same="none")
    assert _core.Model.modes.__get__(apart._model)[2].same_as == -1
    said = lacuna.TensorCompleter(method="offsets", offsets="mean").fit(
        ([[0, 1], [2, 5], [1, 1]], [1.0, 0.0], (3, 6, 2)), modes=["a", "b", "c"], same=["a", "b"])  # fmt: skip
    assert said.shape_ == (6, 6, 2)
    for wrong in (["head"], ["head", "relatoin"], ["head", "head"]):
        with pytest.raises((ValueError, TypeError), match="same"):
            lacuna.TensorCompleter().fit(triples, same=wrong)


# Side information.


def cold_frames():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    taste = rng.choice(["a", "b"], 60)
    kind = rng.choice(["a", "b"], 20)
    rows = [(f"u{u}", f"i{i}", 4.0 + rng.normal() * 0.1 if taste[u] == kind[i] else 2.0 + rng.normal() * 0.1)
            for u in range(50) for i in rng.choice(20, 12, replace=False)]  # fmt: skip
    ratings = pd.DataFrame(rows, columns=["user", "item", "rating"])
    users = pd.DataFrame({"user": [f"u{u}" for u in range(60)], "taste": taste, "age": rng.integers(20, 60, 60)})
    cold = pd.DataFrame([(f"u{u}", f"i{i}", 4.0 if taste[u] == kind[i] else 2.0) for u in range(50, 60) for i in range(20)],
                        columns=["user", "item", "rating"])  # fmt: skip
    return ratings, users, cold


def test_side_information_predicts_who_has_no_entries(program, tmp_path):
    ratings, users, cold = cold_frames()
    settings = {"parts": "user|item side=1", "rank": 3, "lam": 1.0, "offsets": "mean", "method": "tr-mm"}
    knows = lacuna.TensorCompleter(**settings).fit(ratings, side={"user": users})
    plain = lacuna.TensorCompleter(**{**settings, "parts": "user|item"}).fit(ratings)
    assert knows.shape_[0] == 60
    assert rmse(knows.predict(cold), cold.rating) < 0.6 * rmse(plain.predict(cold), cold.rating)
    # As the program reads it from files; and from other kinds of tables.
    for name, table in (("ratings", ratings), ("users", users)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    subprocess.run([program, "fit", "ratings.csv", "-o", "model.lac", "--side", "user=users.csv", "--method", "tr-mm", "--parts",
                    "user|item side=1", "--rank", "3", "--lambda", "1", "--offsets", "mean"], cwd=tmp_path, check=True,
                   capture_output=True)  # fmt: skip
    theirs = lacuna.load(tmp_path / "model.lac")
    expected = np.asarray(knows.predict(cold))
    assert (np.asarray(theirs.predict(cold)) == expected).all()
    polars = pytest.importorskip("polars")
    for other in (users.set_index("user"), polars.DataFrame({name: users[name].to_list() for name in users}), tmp_path / "users.csv"):
        again = lacuna.TensorCompleter(**settings).fit(ratings, side={"user": other})
        assert (np.asarray(again.predict(cold)) == expected).all()
    knows.save(tmp_path / "ours.lac")
    assert (np.asarray(lacuna.load(tmp_path / "ours.lac").predict(cold)) == expected).all()


def test_graphs_and_arrays_of_features():
    rng = np.random.default_rng(0)
    level = np.repeat([1.0, -1.0, 2.0], 6)
    whole = np.multiply.outer(level, rng.normal(size=9))
    holes = with_holes(whole, 0.6)
    holes[5] = np.nan
    edges = [(a, b) for a in range(18) for b in range(a) if level[a] == level[b]]
    settings = {"parts": "mode1|mode2 side=0.9", "rank": 2, "lam": 10.0, "offsets": "none", "method": "tr-mm"}
    scipy_sparse = pytest.importorskip("scipy.sparse")
    matrix = scipy_sparse.coo_matrix((np.ones(len(edges)), tuple(np.array(edges).T)), shape=(18, 18))
    as_list = lacuna.TensorCompleter(**settings).fit(holes, graph={"mode1": tuple(np.array(edges).T)}).predict()
    as_matrix = lacuna.TensorCompleter(**settings).fit(holes, graph={"mode1": matrix}).predict()
    as_features = lacuna.TensorCompleter(**settings).fit(holes, side={"mode1": np.eye(3)[np.repeat([0, 1, 2], 6)]}).predict()
    assert (as_list == as_matrix).all()
    for found in (as_list, as_features):
        assert rmse(found[5], whole[5]) < 0.5 * rmse(0, whole[5]), "a row without entries"
    with pytest.raises(ValueError, match=r"side: found an array of shape \(3, 3\) for mode 'mode1', expected \(18, features\)"):
        lacuna.TensorCompleter(**settings).fit(holes, side={"mode1": np.eye(3)})
    with pytest.raises(ValueError, match=r"graph\['mode1'\]"):
        lacuna.TensorCompleter(**settings).fit(holes, graph={"mode1": ([0, 1], [2, 99])})
    with pytest.raises(TypeError, match="did you mean mode1"):
        lacuna.TensorCompleter(**settings).fit(holes, graph={"mode11": ([0], [1])})
    with pytest.raises(ValueError, match="side: found list, expected a dict"):
        lacuna.TensorCompleter(**settings).fit(holes, side=[1])
