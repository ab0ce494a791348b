# SPDX-License-Identifier: MIT
# %% [markdown]
# # Which links are missing?
# Who knows whom at work, at home, in the club: a tensor of person x person x kind with ones where a link is known.
# Pairs that are known not to be linked are zeros.

# %%
import matplotlib.pyplot as plt
import numpy as np

import lacuna

rng = np.random.default_rng(2)
people, kinds = 60, ["work", "home", "club"]
group = rng.integers(0, 4, (people, 3))
truth = np.stack([(group[:, None, k] == group[None, :, k]) for k in range(3)], axis=-1).astype(float)
known = rng.random(truth.shape) < 0.3
coords = np.nonzero(known)
links = (coords, truth[coords], truth.shape)

# %%
completer = lacuna.TensorCompleter(effort="low").fit(links, modes=["person", "other", "kind"])
unknown = np.nonzero(~known)
quality = lacuna.evaluate(completer, (unknown, truth[unknown], truth.shape))
print(f"auc on pairs that nobody told us about: {quality['auc']:.3f}")
print("most likely to know person 0 from work:", completer.top(person=0, kind=0, n=5))

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 4))
order = np.argsort(group[:, 0])
shown = np.where(known, truth, np.nan)[..., 0]
for axis, matrix, title in ((axes[0], shown, "known"), (axes[1], completer.predict()[..., 0], "predicted")):
    axis.imshow(matrix[np.ix_(order, order)], vmin=0, vmax=1)
    axis.set_title(f"{title}: {kinds[0]}")
figure.savefig("links.png", bbox_inches="tight")
assert quality["auc"] > 0.9
