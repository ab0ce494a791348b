# SPDX-License-Identifier: MIT
# %% [markdown]
# # A climate cube
# Temperatures at latitudes, longitudes and months, seen where there were no clouds. A DataArray keeps its dimensions,
# coordinates and attributes; the coordinates say what is near what.

# %%
import matplotlib.pyplot as plt
import numpy as np
import xarray

import lacuna

lat, lon = np.linspace(-60, 60, 25), np.linspace(0, 345, 24)
month = np.arange("2022-01", "2024-01", dtype="datetime64[M]").astype("datetime64[ns]")
season = np.cos(2 * np.pi * (np.arange(len(month)) - 0.5) / 12)
mean = 28 * np.cos(np.radians(lat))[:, None, None] + 3 * np.sin(np.radians(2 * lon))[None, :, None]
swing = -0.2 * lat[:, None, None] * (1 + 0.5 * np.cos(np.radians(lon)))[None, :, None] * season
whole = xarray.DataArray(mean + swing, {"lat": lat, "lon": lon, "time": month}, ("lat", "lon", "time"),
                         name="temperature", attrs={"units": "degC"})  # fmt: skip

rng = np.random.default_rng(4)
clouds = rng.random((5, 4, len(month))).repeat(5, 0).repeat(6, 1) < 0.5
holes = whole.where(~clouds)

# %%
filled = lacuna.complete(holes, method="als", rank=3)
assert filled.dims == whole.dims and filled.attrs == whole.attrs and bool((filled.time == whole.time).all())

# %%
error = float(np.sqrt(((filled - whole).where(clouds) ** 2).mean()))
print(f"half of it under clouds, filled in with an error of {error:.2f} degrees")
figure, axes = plt.subplots(1, 3, figsize=(13, 3))
for axis, cube, title in zip(axes, (holes, filled, whole), ("seen", "filled in", "the truth")):
    cube.isel(time=6).plot(ax=axis, vmin=0, vmax=35)
    axis.set_title(title)
figure.savefig("climate.png", bbox_inches="tight")
assert error < 3
