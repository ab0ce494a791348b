# SPDX-License-Identifier: MIT
"""How a fit is watched: a bar by rich or tqdm when they are there, a plain line otherwise; notices go to the log."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable
from typing import Any

from . import _core

log = logging.getLogger("lacuna")

Step = dict[str, Any]
Callback = Callable[[Step], Any]


def _limits(method: str | None) -> tuple[int, float]:
    """Steps at most and tolerance of a method, when nothing else is said."""
    for row in _core.methods():
        if row["name"] == (method or "tr-mm"):
            return int(row["max_iterations"]), float(row["tolerance"])
    return 0, 0.0


class _Bar:
    """Shows a share between 0 and 1 and a line of text."""

    def show(self, share: float, text: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class _RichBar(_Bar):
    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.bar = Progress(BarColumn(), TextColumn("{task.description}"))
        self.bar.start()
        self.task = self.bar.add_task("choosing", total=1.0)

    def show(self, share: float, text: str) -> None:
        self.bar.update(self.task, completed=share, description=text)

    def close(self) -> None:
        self.bar.stop()


class _TqdmBar(_Bar):
    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self.bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {desc}", leave=True)

    def show(self, share: float, text: str) -> None:
        self.bar.set_description_str(text, refresh=False)
        self.bar.update(max(0.0, share - self.bar.n))
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class _PlainBar(_Bar):
    """One line, rewritten on a terminal; elsewhere only the last one is written."""

    def __init__(self) -> None:
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.line = ""

    def show(self, share: float, text: str) -> None:
        filled = round(24 * share)
        self.line = f"[{'#' * filled}{'.' * (24 - filled)}] {text}"
        if self.live:
            print(f"\r\x1b[K{self.line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("" if self.live else self.line, file=sys.stderr)


def _make_bar() -> _Bar:
    for kind in (_RichBar, _TqdmBar):
        try:
            return kind()
        except ImportError:
            continue
    return _PlainBar()


class Progress:
    """A bar for one fit, as a callback. How far along: the gradient's way to the tolerance on a log scale, or the
    limits on steps and time where those are nearer."""

    def __init__(self, settings: dict[str, Any]) -> None:
        said = {name: None if isinstance(value, str) and value == "auto" else value for name, value in settings.items()}
        most, tolerance = _limits(said.get("method"))
        self.most = int(said.get("max_iterations") or most)
        self.tolerance = float(said.get("tolerance") or tolerance)
        self.seconds = said.get("max_time")
        self.first = 0.0
        self.share = 0.0
        self.bar = _make_bar()

    def __call__(self, step: Step) -> None:
        share = step["iteration"] / self.most if self.most > 0 else 1.0
        if self.seconds:
            share = max(share, step["seconds"] / float(self.seconds))
        gradient = step["gradient_norm"] / step["objective"] if step["objective"] > 0 else 0.0
        self.first = self.first or gradient
        if gradient > 0 and 0 < self.tolerance < self.first:
            share = max(share, math.log(self.first / gradient) / math.log(self.first / self.tolerance))
        self.share = min(1.0, max(self.share, share))
        text = f"step {step['iteration']}  {step['seconds']:.1f} s  objective {step['objective']:.6g}  train {step['train_rmse']:.4g}"
        for name, label in (("test_rmse", "test"), ("test_auc", "auc")):
            if step[name] is not None:
                text += f"  {label} {step[name]:.4f}"
        self.bar.show(self.share, text)

    def notice(self, sentence: str) -> None:
        log.info(sentence)
        self.bar.show(self.share, sentence)

    def close(self) -> None:
        self.bar.close()
