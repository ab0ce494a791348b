# SPDX-License-Identifier: MIT
"""Files that pages of reference speak of, made up: small, and the same every time. Needs nothing but the standard library."""

import math
import random
import struct
import zlib
from pathlib import Path

FILMS = ("Alien", "Brazil", "Charade", "Diva", "Eraserhead", "Fargo", "Gilda", "Heat", "Ikiru", "Jaws", "Kes", "Laura")


def stars(user, film, week):
    """How user number u likes film number f: a level for each, and two tastes that take turns."""
    taste = (1 if user % 2 else -1) * (1 if film % 3 else -1)
    return min(5, max(1, round(3 + 0.5 * math.sin(user) + 0.6 * math.cos(film) + 0.9 * taste + 0.05 * week)))


def ratings(users, noise):
    for user in users:
        for film in noise.sample(range(len(FILMS)), 7):
            week = noise.randrange(4)
            yield user, film, week, stars(user, film, week)


def film_ratings(path):
    lines = [f"u{u},{FILMS[f]},{w + 1},{s}" for u, f, w, s in ratings(range(1, 61), random.Random(3))]
    path.write_text("\n".join(["user,film,week,stars", *lines]) + "\n")


def film_news(path):
    noise = random.Random(3)
    list(ratings(range(1, 61), noise))
    lines = [f"u{u},{FILMS[f]},{w + 1},{s}" for u, f, w, s in ratings(range(61, 71), noise)]
    path.write_text("\n".join(["user,film,week,stars", *lines]) + "\n")


def item_ratings(path):
    """As docs/cli.md speaks of them: user, item, week."""
    lines = [f"u{u},{FILMS[f]},{w + 1},{s}" for u, f, w, s in ratings(range(1, 61), random.Random(3))]
    path.write_text("\n".join(["user,item,week,rating", *lines]) + "\n")


def users(path):
    noise = random.Random(5)
    lines = [f"u{u},{noise.randrange(18, 70)},{'student teacher nurse'.split()[u % 3]}" for u in range(1, 91)]
    path.write_text("\n".join(["user,age,occupation", *lines]) + "\n")


def items(path):
    lines = [f"{film},{1940 + 5 * k},{'drama|crime' if k % 2 else 'comedy'}" for k, film in enumerate(FILMS)]
    path.write_text("\n".join(["item,year,genres", *lines]) + "\n")


def friends(path):
    path.write_text("".join(f"u{u},u{u + 2}\n" for u in range(1, 58)))


def cells(path):
    path.write_text("user,item,week\nu90,Heat,2\nu3,Kes,1\n")


def wanted(path):
    path.write_text("userId,movieId\n1,3\n42,7\n")


def movielens(path):
    """As MovieLens has them, of 60 users and 40 films."""
    noise = random.Random(0)
    lines = []
    for user in range(1, 61):
        for film in noise.sample(range(1, 41), 15):
            taste = 0.8 * math.cos(film * (1 + user % 2))
            value = min(5.0, max(0.5, round(2 * (3.2 + 0.6 * math.sin(user) + taste + noise.gauss(0, 0.8))) / 2))
            lines.append(f"{user},{film},{value},{964980000 + 100 * user + film}")
    path.write_text("\n".join(["userId,movieId,rating,timestamp", *lines]) + "\n")


def movielens_news(path):
    path.write_text("userId,movieId,rating,timestamp\n" + "".join(f"99,{film},{film % 5 + 1},980000000\n" for film in range(1, 9)))


def split_facts(name):
    """Who is whose neighbour, and who is across the street: three files of triples."""
    people = [f"p{n:02}" for n in range(30)]
    facts = [(people[a], "beside", people[(a + d) % 30]) for a in range(30) for d in (1, 2)]
    facts += [(people[a], "across", people[(a + 15) % 30]) for a in range(30)]
    random.Random(1).shuffle(facts)
    part = {"train.txt": facts[:70], "valid.txt": facts[70:80], "test.txt": facts[80:], "questions.txt": facts[:5]}[name]
    return "".join("\t".join(fact) + "\n" for fact in part)


def png(path, shape=(48, 64), lost=0.5):
    """Hills of colour; lost pixels are transparent."""
    noise, rows = random.Random(2), b""
    for r in range(shape[0]):
        rows += b"\0"
        for c in range(shape[1]):
            level = [math.sin(r / 9 + k) * math.cos(c / (7 + k)) for k in range(3)]
            rows += bytes(int(127 + 100 * one) for one in level) + (b"\0" if noise.random() < lost else b"\xff")
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", shape[1], shape[0], 8, 6, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def npy(path, shape):
    """A sum of two products of waves, a third of it lost."""
    noise, values = random.Random(4), []
    def fill(position):
        if len(position) == len(shape):
            lost = noise.random() < 0.33
            value = sum(math.prod(math.sin((k + 1) * (p + 1) / (3 + s)) for k, p in enumerate(position)) for s in range(2))
            values.append(math.nan if lost else value)
        else:
            for p in range(shape[len(position)]):
                fill((*position, p))
    fill(())
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}d", *values))


def hourly(path):
    lines = []
    for station in range(6):
        for hour in range(72):
            lost = (station * 7 + hour * 5) % 9 == 0
            level = 10 + 3 * station + 5 * math.sin(hour / 24 * 2 * math.pi) * (1 + station / 6)
            lines.append(f"s{station},2024-03-{1 + hour // 24:02} {hour % 24:02}:00:00,{'' if lost else round(level, 2)}")
    path.write_text("\n".join(["station,time,value", *lines]) + "\n")


def readings(path):
    lines, noise = [], random.Random(6)
    for station in range(5):
        for day in range(10):
            for depth in (0, 5, 12, 30):
                if (station + day + depth) % 4:
                    level = 12 + station - 0.2 * depth + 2 * math.sin(day / 3) + noise.gauss(0, 0.3)
                    lines.append(f"s{station},2024-03-{1 + day:02},{depth},{round(level, 2)}")
    path.write_text("\n".join(["station,time,depth,value", *lines]) + "\n")


MADE = {
    "films/ratings.csv": film_ratings, "films/new.csv": film_news, "items/ratings.csv": item_ratings,
    "movielens/ratings.csv": movielens, "movielens/new.csv": movielens_news, "users.csv": users, "items.csv": items,
    "friends.csv": friends, "cells.csv": cells, "wanted.csv": wanted, "holes.png": png, "hourly.csv": hourly,
    "readings.csv": readings, "in.npy": lambda path: npy(path, (18, 20)), "cube.npy": lambda path: npy(path, (16, 18, 8)),
    "wavelengths.txt": lambda path: path.write_text("".join(f"{400 + 20 * k}\n" for k in range(8))),
    **{name: (lambda path, name=name: path.write_text(split_facts(name))) for name in ("train.txt", "valid.txt", "test.txt", "questions.txt")},
}  # fmt: skip


def make(name, folder):
    """Makes the file of this name; of several that are called alike, as in films/ratings.csv, the page has one."""
    if name not in MADE:
        raise KeyError(f"files.py makes no {name}, expected one of {', '.join(MADE)}")
    MADE[name](Path(folder) / Path(name).name)
