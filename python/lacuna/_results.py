# SPDX-License-Identifier: MIT
"""What a fit leaves: a model, how it came to be, and files of it."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings
from ._axes import Axis
from ._sources import Array

if TYPE_CHECKING:
    from typing_extensions import Self


class NotFittedError(ValueError, AttributeError):
    """Something was asked of a completer that has not been fitted."""


# What a record says of how its fit was chosen, which is no setting of one fit.
_CHOOSING = ("effort", "max_time", "blend", "early_stop", "gap")


class Fitted:
    """Holds a model, once there is one. Names that end in _ are there from then on."""

    _params: dict[str, Any]
    _model: _core.Model
    _axes: list[Axis]
    _outcome: dict[str, Any]
    _history: list[dict[str, Any]]
    _update: dict[str, Any]

    def _fitted(self) -> _core.Model:
        if "_model" not in self.__dict__:
            raise NotFittedError("this TensorCompleter is not fitted; call fit first")
        return self._model

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to one file, which the command line reads as well."""
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A model that was saved, by Python or by the command line. Cells are counted from 0, whatever files do."""
        name = os.fspath(path)
        if not os.path.exists(name):
            raise FileNotFoundError(f"{name}: there is no such file")
        made = cls()
        made._take(_core.load(name))
        made._take_params()
        return made

    def _take(self, model: _core.Model) -> None:
        self._model = model
        self._axes = [Axis.of_mode(mode) for mode in model.modes]
        run = json.loads(model.record()).get("run") or {}
        columns = run.get("history") or {}
        self._history = [dict(zip(columns, row)) for row in zip(*columns.values())]
        last = self._history[-1] if self._history else {}
        self._outcome = {
            "iterations": run.get("iterations"), "seconds": run.get("seconds"), "stop_reason": run.get("stop_reason"),
            "converged": _core.converged(run["stop_reason"]) if run.get("stop_reason") else None,
            "choosing_seconds": run.get("choosing_seconds"), "objective": last.get("objective"),
            "train_rmse": last.get("train_rmse"), "test_rmse": last.get("test_rmse"), "test_auc": last.get("test_auc"),
            "held_out_rmse": run.get("held_out_rmse"), "held_out_auc": run.get("held_out_auc"),
            "held_out_mrr": run.get("held_out_mrr"), "gap": last.get("gap"),
        }  # fmt: skip

    def _take_params(self) -> None:
        """Keywords that fit such a model again: those that its fit settled on. What chose a blend is not kept."""
        if self.members_:
            return
        said = self.settings_
        chosen = {name: said[name] for name in _settings.FIELDS if said.get(name) not in (None, "", []) and name not in _CHOOSING}
        if "lam" in chosen:
            chosen.pop("lambdas", None)  # they follow from it
        if isinstance(chosen.get("path"), list):  # of lambdas, the last one the fit's own
            chosen["path"] = len(chosen["path"]) - 1
        if "negatives" in said:  # of facts; None would draw as many as are usual
            chosen["negatives"] = int(said["negatives"])
        self._params.update(chosen, intervals=self._fitted().has_intervals)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if (model := state.pop("_model", None)) is not None:
            # What is known beside the entries is in the model's file.
            state["_axes"] = [replace(axis, side=None) for axis in self._axes]
            with tempfile.TemporaryDirectory() as folder:
                model.save(os.path.join(folder, "model"))
                with open(os.path.join(folder, "model"), "rb") as file:
                    state["_saved"] = file.read()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_saved", None)
        self.__dict__.update(state)
        if saved is not None:
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "model"), "wb") as file:
                    file.write(saved)
                self._model = _core.load(os.path.join(folder, "model"))
            for axis, mode in zip(self._axes, self._model.modes):
                axis.side = mode.side

    # What a fit leaves.

    @property
    def method_(self) -> str:
        return self._fitted().method

    @property
    def settings_(self) -> dict[str, Any]:
        """What the fit was told and what it settled on."""
        record = json.loads(self._fitted().record())
        record.pop("run", None)
        return {"method": self.method_, **{_settings.keyword_of(name): value for name, value in record.items()}}

    # Of a blend, the six from rank_ to spectra_ are lists with what each of members_ has under that name.

    @property
    def members_(self) -> list[Self]:
        """Of a blend, the models that it is a weighted mean of, each with attributes of its own; else none."""
        return [self._member(model) for model, _ in self._fitted().members()]

    @property
    def weights_(self) -> Array:
        """Of the members of a blend; they add up to 1."""
        return np.asarray([weight for _, weight in self._fitted().members()])

    def _member(self, model: _core.Model) -> Self:
        made = type(self)()
        made._take(model)
        made._axes = self._axes
        return made

    def _each(self, name: str) -> list[Any]:
        return [getattr(member, name) for member in self.members_]

    @property
    def rank_(self) -> list[Any]:
        return list(self._fitted().ranks()) or self._each("rank_")

    @property
    def parts_(self) -> list[Any]:
        return list(self._fitted().parts()) or self._each("parts_")

    @property
    def factors_(self) -> list[Any]:
        """A matrix with a row for each position: of each part, of each mode, or none for other models."""
        return [np.asarray(factor) for factor in self._fitted().factors()] or self._each("factors_")

    @property
    def core_(self) -> Any:
        """Of a Tucker model; else None."""
        core = np.asarray(self._fitted().core())
        return core.reshape(self.rank_, order="F") if core.size else self._each("core_") or None

    @property
    def mixture_(self) -> Any:
        """How much each part has to say about the observed entries; shares of one."""
        return self._each("mixture_") or np.asarray(self._fitted().mixture())

    @property
    def tensor_mixture_(self) -> Any:
        """The same shares over the whole tensor."""
        return self._each("tensor_mixture_") or np.asarray(self._fitted().tensor_mixture())

    @property
    def offset_(self) -> float:
        """The mean that the model begins with."""
        return self._fitted().offset

    @property
    def clip_(self) -> tuple[float, float] | None:
        """Where predictions are kept; None: anywhere."""
        return self._fitted().clip

    @property
    def observed_range_(self) -> tuple[float, float]:
        """The smallest and the largest value that it was fitted on."""
        return self._fitted().observed

    @property
    def spectra_(self) -> list[Any]:
        return self._each("spectra_") or [np.asarray(values) for values in self._fitted().spectra()]

    @property
    def shape_(self) -> tuple[int, ...]:
        self._fitted()
        return tuple(axis.size for axis in self._axes)

    @property
    def modes_(self) -> list[str]:
        self._fitted()
        return [axis.name for axis in self._axes]

    @property
    def labels_(self) -> list[Array | None]:
        self._fitted()
        return [axis.labels for axis in self._axes]

    @property
    def history_(self) -> list[dict[str, Any]]:
        """A dict for each step."""
        self._fitted()
        return list(self._history)

    @property
    def update_(self) -> dict[str, Any]:
        """What the last partial_fit did: entries, added (new positions by mode), solved, moved, held_out_rmse."""
        self._fitted()
        if "_update" not in self.__dict__:
            raise NotFittedError("this TensorCompleter has not been updated; call partial_fit first")
        return dict(self._update)

    def _ending(self, name: str) -> Any:
        self._fitted()
        return self._outcome[name]

    n_iter_ = property(lambda self: self._ending("iterations"))
    stop_reason_ = property(lambda self: self._ending("stop_reason"))
    converged_ = property(lambda self: self._ending("converged"))
    seconds_ = property(lambda self: self._ending("seconds"))
    choosing_seconds_ = property(lambda self: self._ending("choosing_seconds"))
    objective_ = property(lambda self: self._ending("objective"))
    train_rmse_ = property(lambda self: self._ending("train_rmse"))
    test_rmse_ = property(lambda self: self._ending("test_rmse"))
    test_auc_ = property(lambda self: self._ending("test_auc"))
    held_out_rmse_ = property(lambda self: self._ending("held_out_rmse"))
    held_out_auc_ = property(lambda self: self._ending("held_out_auc"))
    held_out_mrr_ = property(lambda self: self._ending("held_out_mrr"))
    gap_ = property(lambda self: self._ending("gap"))
