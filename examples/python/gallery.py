# SPDX-License-Identifier: MIT
# %% [markdown]
# # Gallery
# A picture, a multispectral cube, metro passengers and a video, all made here, with holes of different kinds; every one is
# completed with no setting but a limit on how long choosing may take.

# %%
import matplotlib.pyplot as plt
import numpy as np

import lacuna

rng = np.random.default_rng(7)


def noise(shape, smooth):
    """Random waves whose strength falls with their frequency."""
    waves = np.fft.rfft2(rng.normal(size=shape))
    frequency = np.hypot(np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1])[None, :])
    field = np.fft.irfft2(waves / (frequency + 0.01) ** smooth, s=shape)
    return (field - field.mean()) / field.std()


def picture(rows=96, columns=128):
    """Hills before clouds."""
    row, column = np.mgrid[0:rows, 0:columns] / rows
    clouds = 0.5 + 0.12 * noise((rows, columns), 1.8)
    whole = np.stack([0.35 + 0.5 * clouds, 0.5 + 0.4 * clouds, 0.8 + 0.15 * clouds], axis=-1)
    for height, colour in ((0.55, (0.45, 0.45, 0.55)), (0.7, (0.35, 0.4, 0.3)), (0.85, (0.5, 0.42, 0.25))):
        ridge = height + 0.06 * noise((2, columns), 1.4)[0]
        ground = np.asarray(colour) * (1 + 0.2 * noise((rows, columns), 1.0))[..., None]
        whole = np.where((row > ridge)[..., None], ground, whole)
    return whole.clip(0, 1), rng.random((rows, columns, 1)) < 0.9


def cube(side=64, bands=24):
    """Four materials in patches, each with a spectrum of its own."""
    share = np.exp(3 * np.stack([noise((side, side), 1.5) for _ in range(4)], axis=-1))
    share /= share.sum(axis=-1, keepdims=True)
    wave = np.linspace(0, 1, bands)
    spectra = np.stack([0.2 + 0.6 * np.exp(-((wave - centre) ** 2) / 0.05) for centre in (0.1, 0.4, 0.6, 0.95)])
    return share @ spectra + 0.005 * rng.normal(size=(side, side, bands)), rng.random((side, side, bands)) < 0.9


def traffic(stations=40, days=21, intervals=72):
    """Passengers by station, day and time of day; whole hours are lost."""
    time = np.linspace(5, 23, intervals)
    morning, evening = np.exp(-((time - 8) ** 2) / 1.5), np.exp(-((time - 18) ** 2) / 2.5)
    home = rng.uniform(0, 1, stations)
    day = np.where(np.arange(days) % 7 >= 5, 0.4, 1.0) * (1 + 0.05 * rng.normal(size=days))
    profile = home[:, None] * morning + (1 - home[:, None]) * evening + 0.2
    whole = rng.lognormal(4, 0.6, stations)[:, None, None] * day[:, None] * profile[:, None, :]
    lost = np.repeat(rng.random((stations, days, intervals // 6)) < 0.5, 6, axis=-1)
    return rng.poisson(whole).astype(float), lost


def video(rows=48, columns=64, frames=30):
    """Two bright things cross a scene that stands still."""
    scene = 0.4 + 0.1 * noise((rows, columns), 1.3)
    row, column, frame = np.mgrid[0:rows, 0:columns, 0:frames]
    whole = np.repeat(scene[..., None], frames, axis=-1)
    for top, speed, start in ((14, 1.6, 5), (32, -1.2, 55)):
        away = np.maximum(abs(row - top) / 4, abs(column - start - speed * frame) / 6)
        whole = np.where(away < 1, 0.9 - 0.2 * away, whole)
    return whole.clip(0, 1), rng.random(whole.shape) < 0.85


# %%
figure, axes = plt.subplots(4, 4, figsize=(12, 11))
looks = {"picture": (picture, lambda x: x), "cube, one band": (cube, lambda x: x[..., 12]),
         "passengers, one station": (traffic, lambda x: x[3]), "video, one frame": (video, lambda x: x[..., 15])}  # fmt: skip
for line, (name, (make, look)) in zip(axes, looks.items()):
    whole, lost = make()
    holes = np.where(lost, np.nan, whole)
    filled = lacuna.complete(holes, effort="low")
    missing = np.isnan(holes)
    error = np.sqrt(np.mean((filled - whole)[missing] ** 2))
    print(f"{name}: {missing.mean():.0%} lost, error {error:.3g}, deviation of the truth {whole[missing].std():.3g}")
    assert error < 0.6 * whole[missing].std()
    wrong = np.abs(look(filled) - look(whole))
    wrong = wrong.mean(axis=-1) if name == "picture" else wrong
    for axis, shown, title in zip(line, (look(holes), look(filled), look(whole), wrong), ("given", "filled in", "the truth", "error")):
        limits = {} if title == "error" else {"vmin": look(whole).min(), "vmax": look(whole).max()}
        axis.imshow(np.nan_to_num(shown).clip(0, 1) if shown.ndim == 3 else shown, aspect="auto", cmap="magma" if title == "error" else "gray", **limits)
        axis.set_title(f"{name}: {title}" if title == "given" else title, fontsize=9)
        axis.axis("off")
figure.tight_layout()
figure.savefig("gallery.png", dpi=60)
