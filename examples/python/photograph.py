# SPDX-License-Identifier: MIT
# %% [markdown]
# # A photograph with holes
# Nine tenths of the pixels are lost. A picture is a tensor of row x column x channel, whose neighbours are alike.
# Another picture: `python photograph.py picture.png`.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np

import lacuna

if len(sys.argv) > 1 and sys.argv[1].endswith((".png", ".jpg", ".bmp")):
    whole = lacuna.read(sys.argv[1]).to_numpy()
else:  # hills under a sky
    row, column = np.mgrid[0:64, 0:96] / 64.0
    ridge = 0.5 + 0.15 * np.sin(4 * column) + 0.05 * np.cos(11 * column)
    shade = np.stack([0.4 + 0.5 * row, 0.6 + 0.3 * row, 0.95 - 0.2 * row], axis=-1)
    ground = np.stack([0.5 - 0.2 * column / 1.5, 0.6 - 0.3 * row, 0.3 + 0.1 * np.sin(9 * column)], axis=-1)
    whole = np.where((row > ridge)[..., None], ground, shade)

# %%
rng = np.random.default_rng(1)
holes = whole.copy()
holes[rng.random(whole.shape[:2]) < 0.9] = np.nan

filled = lacuna.complete(holes, effort="low")

# %%
missing = np.isnan(holes)
error = np.sqrt(np.mean((filled - whole)[missing] ** 2))
print(f"lost pixels: {missing.mean():.0%}, error {error:.3f} of a scale from 0 to 1")
figure, axes = plt.subplots(1, 3, figsize=(12, 3.2))
for axis, picture, title in zip(axes, (np.nan_to_num(holes), filled, whole), ("given", "filled in", "the truth")):
    axis.imshow(np.clip(picture, 0, 1))
    axis.set_title(title)
    axis.axis("off")
figure.savefig("photograph.png", bbox_inches="tight")
assert error < 0.1
