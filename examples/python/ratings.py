# SPDX-License-Identifier: MIT
# %% [markdown]
# # From a table of ratings to recommendations
# Any table with a row for each rating does: pandas, polars, pyarrow. The MovieLens file of ratings:
# `python ratings.py ratings.csv`.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas

import lacuna

if len(sys.argv) > 1 and sys.argv[1].endswith(".csv"):
    ratings = pandas.read_csv(sys.argv[1])
else:  # users who like one of three genres
    rng = np.random.default_rng(0)
    users, films = np.repeat(np.arange(200), 25), rng.integers(0, 90, 200 * 25)
    likes = np.where(users % 3 == films % 3, 4.3, 2.4) + 0.4 * rng.normal(size=len(users))
    ratings = pandas.DataFrame({"user": users, "film": [f"film {f} of genre {f % 3}" for f in films],
                                "rating": np.clip(likes.round(1), 0.5, 5)})  # fmt: skip
    ratings = ratings.drop_duplicates(["user", "film"])

# %% Five lines from a DataFrame to ten recommendations
train, test = lacuna.split(ratings, 0.9)
completer = lacuna.TensorCompleter(method="als", rank=3).fit(train)
quality = lacuna.evaluate(completer, test)
user = ratings.iloc[0, 0]
best = completer.top({completer.modes_[0]: user}, n=10)

# %%
print(f"rmse on ratings that were held out: {quality['rmse']:.3f}, r2 {quality['r2']:.2f}")
for film, score in best:
    print(f"{score:6.2f}  {film}")
figure, axis = plt.subplots(figsize=(6, 3.5))
axis.barh([str(film) for film, _ in best][::-1], [score for _, score in best][::-1])
axis.set_xlabel("predicted rating")
axis.set_title(f"for user {user}")
figure.savefig("ratings.png", bbox_inches="tight")
assert len(best) == 10 and quality["r2"] > 0.3
