# SPDX-License-Identifier: MIT
# %% [markdown]
# # Sensors that fail for hours
# A wide frame with a time index and a column for each sensor comes back without holes, the index as it was. As a long
# table with the day and the hour as modes, what days have in common is seen as well.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas

import lacuna

rng = np.random.default_rng(3)
index = pandas.date_range("2024-03-01", periods=21 * 24, freq="h", name="time")
hour = np.asarray(index.hour)
busy = np.exp(-((hour - 8) ** 2) / 6.0) + 0.8 * np.exp(-((hour - 18) ** 2) / 8.0)
weekend = np.where(np.asarray(index.day_of_week) >= 5, 0.4, 1.0)
size = rng.uniform(20, 100, 12)
whole = pandas.DataFrame(np.outer(busy * weekend, size) + rng.normal(0, 1, (len(index), 12)), index,
                         [f"sensor {k}" for k in range(12)])  # fmt: skip
holes = whole.copy()
for sensor in holes.columns:
    for start in rng.integers(0, len(index) - 12, 8):
        holes.iloc[start : start + 12, holes.columns.get_loc(sensor)] = np.nan

# %% As it is: time x sensor
filled = lacuna.complete(holes, method="als", rank=3)
assert filled.index.equals(holes.index) and not filled.isna().any().any()

# %% By day and hour
long = holes.reset_index().melt("time", var_name="sensor", value_name="value")
long["day"], long["hour"] = long.time.dt.strftime("%Y-%m-%d"), long.time.dt.hour
by_day = lacuna.complete(long[["day", "hour", "sensor", "value"]], method="als", rank=3)

# %%
missing = holes.isna().to_numpy()
errors = {"time x sensor": (filled - whole).to_numpy()[missing],
          "day x hour x sensor": (by_day.value.to_numpy().reshape(12, -1).T - whole.to_numpy())[missing]}  # fmt: skip
for name, error in errors.items():
    print(f"{name}: rmse {np.sqrt(np.mean(error**2)):.2f} where values reach {whole.to_numpy().max():.0f}")
figure, axis = plt.subplots(figsize=(9, 3))
whole.iloc[:120, 0].plot(ax=axis, color="lightgrey", linewidth=5, label="the truth")
filled.iloc[:120, 0].plot(ax=axis, label="filled in")
holes.iloc[:120, 0].plot(ax=axis, color="black", label="given")
axis.legend()
figure.savefig("sensors.png", bbox_inches="tight")
assert min(np.sqrt(np.mean(error**2)) for error in errors.values()) < 5
