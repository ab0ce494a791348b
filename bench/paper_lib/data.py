# SPDX-License-Identifier: MIT
"""The data sets of the paper: which files hold them, how those are read, how entries are dealt.

A data set has one or more sources. The first whose files are all there is used: the published file where the user has
it, otherwise a set of the same kind that stands in for it, and is named so wherever its numbers are shown.
"""
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Callable, Optional, Tuple

import numpy as np


class DataError(Exception):
    """A file is there but does not hold what it should."""


# ---- What is known, and how it is dealt ----------------------------------------------------------------------------
# deal(seed, share) gives indices and values for training, then for testing. share is the training part, of what is
# known; None: the paper's. The test part is the same at every share.


class Cells:
    """Every cell is known: a picture or video. A tenth of the cells is for training, another tenth for testing."""

    def __init__(self, array, share=0.1):
        self.array, self.shape, self.share = array, array.shape, share

    def deal(self, seed, share=None):
        order = np.random.default_rng(seed).permutation(self.array.size)
        test_from, train_to = (int(round(s * self.array.size)) for s in (self.share, share or self.share))
        return [part for ids in (order[: min(train_to, test_from)], order[test_from : 2 * test_from])
                for part in (np.array(np.unravel_index(ids, self.shape)).T, self.array.ravel()[ids])]


class Entries:
    """Some cells are listed: ratings, or facts with negatives. 80 % for training, the others for testing."""

    def __init__(self, subs, vals, shape=None, share=0.8):
        self.subs, self.vals, self.share = subs, vals, share
        self.shape = tuple(shape or (int(n) + 1 for n in subs.max(axis=0)))

    def deal(self, seed, share=None):
        order = np.random.default_rng(seed).permutation(len(self.vals))
        train_to, test_from = (int(s * len(order)) for s in (share or self.share, self.share))
        train, test = order[: min(train_to, test_from)], order[test_from:]
        return self.subs[train], self.vals[train], self.subs[test], self.vals[test]


class Links:
    """All links of a graph are listed, so every other cell is a known 0. Shares are of all cells."""

    def __init__(self, subs, shape, share):
        self.links = np.unique(np.ravel_multi_index(subs.T, shape))
        self.shape, self.share = tuple(shape), share

    def deal(self, seed, share=None):
        rng, size = np.random.default_rng(seed), int(np.prod(self.shape, dtype=np.int64))
        count = int(round(self.share * size))
        cells = np.empty(0, np.int64)
        while len(cells) < 2 * count:  # a permutation of a billion cells would not fit
            cells = np.unique(np.r_[cells, rng.integers(size, size=2 * count - len(cells))])
        cells = rng.permutation(cells)
        train = cells[: int(round(min(share or self.share, self.share) * size))]
        return [part for ids in (train, cells[count:])
                for part in (np.array(np.unravel_index(ids, self.shape)).T, np.isin(ids, self.links).astype(float))]


# ---- Readers: paths to what is known -------------------------------------------------------------------------------


def only_array(path, ways):
    """The one array of a .mat or .npy file with this many axes."""
    if path.suffix == ".npy":
        arrays = {path.stem: np.load(path, allow_pickle=False)}
    else:
        import scipy.io

        try:
            arrays = scipy.io.loadmat(path)
        except (NotImplementedError, ValueError) as error:
            raise DataError(f"{path}: {error}; expected a .mat file of version 7 or before") from error
    fitting = {k: v for k, v in arrays.items() if getattr(v, "ndim", 0) in ways and np.issubdtype(v.dtype, np.number)}
    if len(fitting) != 1:
        raise DataError(f"{path}: found arrays {sorted(k for k in arrays if k[0] != '_')}, expected one with "
                        f"{' or '.join(map(str, ways))} axes")
    return fitting.popitem()[1]


def scaled(array):
    """Integers become 0..1 by the most their type holds; real numbers stay as they are."""
    return array / np.iinfo(array.dtype).max if np.issubdtype(array.dtype, np.integer) else array.astype(float)


def read_baboon(path):
    from PIL import Image

    return Cells(np.asarray(Image.open(path).convert("RGB")) / 255.0)


def read_ribeira(path, size=(203, 268)):
    """Reflectances of 33 bands, made 203x268 by bicubic averaging unless they are."""
    from PIL import Image

    cube = scaled(only_array(path, (3,)))
    if cube.shape[:2] != size:
        bands = (Image.fromarray(np.ascontiguousarray(band, np.float32)) for band in np.moveaxis(cube, 2, 0))
        cube = np.stack([np.asarray(b.resize(size[::-1], Image.BICUBIC), float) for b in bands], axis=2)
    return Cells(cube)


def read_msi(path):
    cube = only_array(path, (3,)).astype(float)
    return Cells(cube / cube.max())


def read_video(path):
    """Rows x columns x frames; of colours the mean."""
    video = scaled(only_array(path, (3, 4)))
    if video.ndim == 4:
        video = video.mean(axis=video.shape.index(3))
    return Cells(video)


def read_movielens_tensor(path):
    import scipy.io

    rows = scipy.io.loadmat(path)["data"][0, 0]["Y"].astype(np.int64)
    return Entries(rows[:, :3] - 1, rows[:, 3].astype(float))


def read_ratings(path):
    """user::movie::rating::seconds; users and movies numbered as they come, time in weeks."""
    rows = np.fromstring(path.read_text().replace("::", " "), sep=" ")
    if rows.size == 0 or rows.size % 4:
        raise DataError(f"{path}: found {rows.size} numbers, expected lines of user::movie::rating::seconds")
    rows = rows.reshape(-1, 4)
    user, movie = (np.unique(rows[:, k], return_inverse=True)[1] for k in (0, 1))
    week = ((rows[:, 3] - rows[:, 3].min()) // (7 * 86400)).astype(np.int64)
    return Entries(np.stack([user, movie, week], axis=1), rows[:, 2])


def read_labelled_pairs(*paths):
    """relation, user, user, 0 or 1; of a cell listed twice the first counts."""
    relation, u, v, label = np.concatenate([np.loadtxt(path, dtype=np.int64) for path in paths]).T
    users, renumbered = np.unique(np.r_[u, v], return_inverse=True)
    subs = np.stack([renumbered[: len(u)], renumbered[len(u) :], relation - relation.min()], axis=1)
    subs, first = np.unique(subs, axis=0, return_index=True)
    return Entries(subs, label[first].astype(float))


def read_layers(*paths):
    """One file for each relation: user,user,intensity from 1, a pair listed once; or one .mat or .npy list of links."""
    if len(paths) == 1:
        subs = only_array(paths[0], (2,)).astype(np.int64)[:, :3] - 1
    else:
        layers = [np.loadtxt(path, delimiter=",", dtype=np.int64, ndmin=2)[:, :2] - 1 for path in paths]
        subs = np.concatenate([np.c_[edges, np.full(len(edges), k)] for k, edges in enumerate(layers)])
    if subs.size == 0 or subs.min() < 0:
        raise DataError(f"{paths[0]}: expected users numbered from 1")
    return np.concatenate([subs, subs[:, [1, 0, 2]]])  # who is linked is linked both ways


def read_youtube(*paths):
    subs = read_layers(*paths)
    users = subs[:, 0].max() + 1
    return Links(subs, (users, users, subs[:, 2].max() + 1), share=0.008)


def read_youtube_subset(*paths, users=1509):
    """The users with most links."""
    subs = read_layers(*paths)
    chosen = np.sort(np.argsort(-np.bincount(subs[:, 0]), kind="stable")[:users])
    place = np.full(subs[:, :2].max() + 1, -1)
    place[chosen] = np.arange(len(chosen))
    subs = np.c_[place[subs[:, 0]], place[subs[:, 1]], subs[:, 2]]
    return Links(subs[(subs >= 0).all(axis=1)], (len(chosen), len(chosen), subs[:, 2].max() + 1), share=0.05)


def read_facts(*paths, negatives_per_fact=516606 / 310116):
    """Facts, and negatives as the paper has many: head or tail of a fact replaced by any entity, never a known fact."""
    entities, relations, facts = {}, {}, []
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            words = line.split("\t")
            if len(words) != 3:
                raise DataError(f"{path}:{number}: found {len(words)} columns, expected head, relation, tail")
            head, relation, tail = words
            facts.append((entities.setdefault(head, len(entities)), entities.setdefault(tail, len(entities)),
                          relations.setdefault(relation, len(relations))))
    rng, known, negatives = np.random.default_rng(0), set(facts), set()
    wanted = min(round(negatives_per_fact * len(facts)), len(entities) ** 2 * len(relations) // 2 - len(known))
    while len(negatives) < wanted:
        head, tail, relation = facts[rng.integers(len(facts))]
        replace_tail = rng.random() >= 0.5
        other = int(rng.integers(len(entities)))
        cell = (head, other, relation) if replace_tail else (other, tail, relation)
        if cell not in known:
            negatives.add(cell)
    subs = np.array(facts + sorted(negatives))
    return Entries(subs, np.r_[np.ones(len(facts)), np.zeros(len(negatives))],
                   (len(entities), len(entities), len(relations)))


# ---- The sets ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    files: Tuple[str, ...]  # patterns below the data folder; the first file that fits each is read, all must be there
    read: Callable
    stand_in: str = ""  # what it is, when it is not what the paper used

    def paths(self, folder: Path):
        found = [next(iter(sorted(folder.glob(pattern))), None) for pattern in self.files]
        return found if all(found) else None


@dataclass(frozen=True)
class DataSet:
    name: str
    title: str
    metric: str  # rmse or auc
    sources: Tuple[Source, ...]
    dense: bool = False  # every cell is known, so that a mixture over the whole tensor means something


FACTS = ("train.txt", "valid.txt", "test.txt")
LAYERS = (tuple(f"youtube-full/{k}-edges.csv" for k in range(1, 6)), ("youtube-full/*.mat",), ("youtube-full/*.npy",))

SETS = {s.name: s for s in (
    DataSet("baboon", "Baboon", "rmse", (Source(("baboon/baboon.bmp",), read_baboon),), dense=True),
    DataSet("ribeira", "Ribeira", "rmse",
            (Source(("ribeira/*.mat",), read_ribeira),
             Source(("msi-cave/testMSI_2.mat",), read_msi, "msi-cave")), dense=True),
    DataSet("youtube-subset", "YouTube (subset)", "auc",
            (*(Source(files, read_youtube_subset) for files in LAYERS),
             Source(("youtube/gatne-2000-valid.txt", "youtube/gatne-2000-test.txt"), read_labelled_pairs,
                    "youtube, labelled pairs of 2000 users"))),
    DataSet("kinship", "Kinship", "auc", (Source(tuple(f"kinship/{f}" for f in FACTS), read_facts),)),
    DataSet("movielens", "MovieLens10M", "rmse",
            (Source(("movielens-10m/ratings.dat",), read_ratings),
             Source(("movielens-1m/movielens-1m-tensor.mat",), read_movielens_tensor, "movielens-1m"))),
    DataSet("fb15k-237", "FB15k-237", "auc", (Source(tuple(f"fb15k-237/{f}" for f in FACTS), read_facts),)),
    DataSet("tomato", "Tomato", "rmse",
            (Source(("tomato/*.npy",), read_video), Source(("tomato/*.mat",), read_video),
             Source(("video-highway/highway_240x320x167_uint8.npy",), read_video, "video-highway")), dense=True),
    DataSet("youtube-full", "YouTube (full)", "auc", tuple(Source(files, read_youtube) for files in LAYERS)),
)}


class FoundSet:
    """A data set and the files that hold it here. Nothing is read before it is needed."""

    def __init__(self, data: DataSet, source: Source, paths):
        self.data, self.source, self.paths = data, source, paths

    @property
    def title(self):
        return f"{self.source.stand_in} for {self.data.title}" if self.source.stand_in else self.data.title

    @cached_property
    def known(self):
        return self.source.read(*self.paths)

    @cached_property
    def digest(self):
        """Of the files, so that a run knows what it was about."""
        total = hashlib.sha256()
        for path in self.paths:
            total.update(path.read_bytes())
        return total.hexdigest()


def find(name, folder: Path) -> Optional[FoundSet]:
    for source in SETS[name].sources:
        paths = source.paths(folder)
        if paths:
            return FoundSet(SETS[name], source, paths)
    return None


def wanted_files(name):
    return ", or ".join(" + ".join(source.files) for source in SETS[name].sources)
