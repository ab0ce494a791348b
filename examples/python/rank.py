# SPDX-License-Identifier: MIT
# %% [markdown]
# # Which rank?
# Nobody has to know: `complete` chooses on entries it holds out. Here is the choice in the open, by cross-validation.

# %%
import matplotlib.pyplot as plt
import numpy as np

import lacuna

rng = np.random.default_rng(5)
factors = [rng.normal(size=(n, 3)) for n in (30, 25, 12)]
whole = np.einsum("ir,jr,kr->ijk", *factors)
noisy = whole + 0.3 * rng.normal(size=whole.shape)
holes = np.where(rng.random(whole.shape) < 0.6, np.nan, noisy)

# %%
ranks = [1, 2, 3, 4, 6]
tuned = lacuna.tune(holes, methods=["geomcg"], ranks=ranks, lambdas=[1.0], folds=3, refine=0, abandon=9)
print(tuned)

# %%
mean = {row["candidate"].split()[2]: row["mean"] for row in tuned.rows}
filled = tuned.completer.transform(holes)
error = np.sqrt(np.mean((filled - whole)[np.isnan(holes)] ** 2))
print(f"the best: {tuned.best['candidate']}; its error in the holes {error:.3f}, of the noise 0.3")
figure, axis = plt.subplots(figsize=(5, 3))
axis.plot([int(rank) for rank in mean], list(mean.values()), "o-")
axis.set_xlabel("rank")
axis.set_ylabel(tuned.metric + " held out")
figure.savefig("rank.png", bbox_inches="tight")
assert error < 0.4
