# SPDX-License-Identifier: MIT
"""A page about a model."""

from __future__ import annotations

import html
import os


class Report:
    """A page that needs nothing but a browser. `html` is its text; a notebook shows it."""

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # In a frame of its own, whose scripts and styles do not meet the notebook's.
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="800" style="border:1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        return f"<lacuna.Report of {len(self.html)} characters; save(path) writes it>"
