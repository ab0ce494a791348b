# SPDX-License-Identifier: MIT
"""How a fit is watched: a bar by rich or tqdm when they are there, a plain line otherwise; notices go to the log."""

from __future__ import annotations

import html
import logging
import math
import sys
import time
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
    """Shows a share between 0 and 1, or None where nobody knows how far along it is, and a line of text."""

    def show(self, share: float | None, text: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class _NotebookBar(_Bar):
    """By what browsers draw: others need widgets, which a notebook may lack."""

    def __init__(self) -> None:
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if getattr(shell, "kernel", None) is None:
            raise ImportError("this is no notebook")
        from IPython.display import display

        self.share: float | None = None
        self.text = ""
        self.drawn = 0.0
        self.handle = display(self._shown(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def _shown(self) -> dict[str, str]:
        value = "" if self.share is None else f' value="{self.share:.3f}"'
        said = html.escape(self.text)
        return {"text/plain": self.text, "text/html": f'<progress max="1"{value} style="width:16em"></progress> <code>{said}</code>'}

    def show(self, share: float | None, text: str) -> None:
        self.share, self.text = share, text
        if time.monotonic() - self.drawn > 0.1:
            self._draw()

    def _draw(self) -> None:
        self.drawn = time.monotonic()
        self.handle.update(self._shown(), raw=True)

    def close(self) -> None:
        self._draw()


class _RichBar(_Bar):
    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.bar = Progress(BarColumn(), TextColumn("{task.description}"))
        self.bar.start()
        self.task = self.bar.add_task("", total=None)

    def show(self, share: float | None, text: str) -> None:
        self.bar.update(self.task, total=None if share is None else 1.0, completed=share or 0.0, description=text)

    def close(self) -> None:
        self.bar.stop()


class _TqdmBar(_Bar):
    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self.bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {desc}", leave=True)

    def show(self, share: float | None, text: str) -> None:
        self.bar.set_description_str(text, refresh=False)
        self.bar.update(max(0.0, (share or 0.0) - self.bar.n))
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class _PlainBar(_Bar):
    """One line, rewritten on a terminal; elsewhere only the last one is written."""

    def __init__(self) -> None:
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.line = ""

    def show(self, share: float | None, text: str) -> None:
        filled = round(24 * (share or 0.0))
        self.line = f"[{'#' * filled}{('.' if share is not None else '~') * (24 - filled)}] {text}"
        if self.live:
            print(f"\r\x1b[K{self.line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("" if self.live else self.line, file=sys.stderr)


def _make_bar() -> _Bar:
    for kind in (_NotebookBar, _RichBar, _TqdmBar):
        try:
            return kind()
        except ImportError:
            continue
    return _PlainBar()


class Progress:
    """A bar for one fit, as a callback. How far along: while settings are chosen the share of max_time, if there is one;
    then the gradient's way to the tolerance on a log scale, or the limits on steps and time where those are nearer."""

    def __init__(self, settings: dict[str, Any]) -> None:
        said = {name: None if isinstance(value, str) and value == "auto" else value for name, value in settings.items()}
        most, tolerance = _limits(said.get("method"))
        self.most = int(said.get("max_iterations") or most)
        self.tolerance = float(said.get("tolerance") or tolerance)
        self.seconds = float(said.get("max_time") or 0.0)
        self.first = 0.0
        self.share = 0.0
        self.steps = False
        self.began = time.monotonic()
        self.bar = _make_bar()
        self.meanwhile()

    def meanwhile(self) -> None:
        """Shows that time passes while there are no steps to tell of."""
        if self.steps:
            return
        passed = time.monotonic() - self.began
        self.share = min(1.0, passed / self.seconds) if self.seconds else 0.0
        self.bar.show(self.share if self.seconds else None, f"choosing  {passed:.1f} s")

    def __call__(self, step: Step) -> None:
        self.steps = True
        share = step["iteration"] / self.most if self.most > 0 else 1.0
        if self.seconds:
            share = max(share, step["seconds"] / self.seconds)
        gradient = step["gradient_norm"] / step["objective"] if step["objective"] > 0 else 0.0
        self.first = self.first or gradient
        if gradient > 0 and 0 < self.tolerance < self.first:
            share = max(share, math.log(self.first / gradient) / math.log(self.first / self.tolerance))
        self.share = min(1.0, max(self.share, share))
        text = f"step {step['iteration']}  {step['seconds']:.1f} s  objective {step['objective']:.6g}  train {step['train_rmse']:.4g}"
        for name, label in (("test_rmse", "test"), ("test_auc", "auc"), ("test_mrr", "mrr")):
            if step.get(name) is not None:
                text += f"  {label} {step[name]:.4f}"
        self.bar.show(self.share, text)

    def notice(self, sentence: str) -> None:
        log.info(sentence)
        self.bar.show(self.share if self.steps or self.seconds else None, sentence)

    def close(self) -> None:
        self.bar.close()


class FoldProgress:
    """A bar for cross-validation, and who else wants to hear of its folds."""

    def __init__(self, shown: bool, found: Callback | None) -> None:
        self.bar = _make_bar() if shown else None
        self.found = found
        # None where nobody listens.
        self.told = self._told if shown or found is not None else None
        if self.bar is not None:
            self.bar.show(0.0, "folds")

    def _told(self, fold: Step) -> Any:
        if self.bar is not None:
            lam = "" if not fold["lam"] else f"  lam {fold['lam']:.4g}"
            self.bar.show(fold["done"] / fold["of"], f"fold {fold['done']} of {fold['of']}  {fold['candidate']}{lam}  {fold['error']:.5g}")
        return self.found(fold) if self.found is not None else None

    def __enter__(self) -> FoldProgress:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.bar is not None:
            self.bar.close()
