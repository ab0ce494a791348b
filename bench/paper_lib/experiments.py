# SPDX-License-Identifier: MIT
"""The tables and figures: which jobs each needs, and what it makes of their answers."""
import statistics
from dataclasses import dataclass, field
from typing import Callable

from . import published
from .runs import Job
from .settings import VARIANTS, Budget, rank_of
from .splits import Split

OUTLIERS = (0.05, 0.10)
SHARES = (0.2, 0.4, 0.6, 0.8)
MIXING = ("latent", "tr-mm")
NAMES = {"rmse": "test RMSE", "auc": "test AUC"}


@dataclass
class Plan:
    """What was asked for and is there."""

    found: dict  # of FoundSet, by name
    chosen: bool  # the sets were named by the user, or by --quick
    who: dict  # of Contender, by name
    seeds: int
    budget: Budget

    def sets(self, usual, fits=lambda data: True):
        """Of an experiment: those chosen, or its usual ones, as far as they are there."""
        return [f for n, f in self.found.items() if (self.chosen or n in usual) and fits(f.data)]

    def rows(self, *variants):
        """The methods, and the variants that are named."""
        return [w for w in self.who.values() if w.name not in VARIANTS or w.name in variants]

    def job(self, found, who, seed=0, share=None, outliers=0.0):
        return Job(Split(found, seed, share, outliers), who, self.budget)


@dataclass
class Table:
    title: str
    header: list
    rows: list


@dataclass
class Plot:
    kind: str  # lines or bars
    options: dict


@dataclass
class Section:
    """What an experiment has to show. Records are the same numbers in full, for the CSV file."""

    name: str
    title: str
    tables: list = field(default_factory=list)
    plots: list = field(default_factory=list)
    records: list = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    title: str
    jobs: Callable  # (plan) -> [Job]
    report: Callable  # (plan, answer) -> tables, plots, records; answer(job) is the run's answer or None


# ---- Numbers and what they look like -------------------------------------------------------------------------------


@dataclass
class Figure:
    """One number over several seeds."""

    answers: list

    @property
    def values(self):
        return [a["value"] for a in self.answers if a and a.get("value") is not None]

    @property
    def mean(self):
        return statistics.fmean(self.values) if self.values else None

    @property
    def spread(self):
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def text(self):
        """'0.1197 ± 0.0004'; * where the time limit ended a fit; '-' when too large, '...' when not run yet."""
        if not self.values:
            return "failed" if any(a and "failed" in a for a in self.answers) else "-" if any(self.answers) else "..."
        late = any(a and a.get("stop_reason") == "time limit reached" for a in self.answers)
        spread = f" ± {self.spread:.4f}" if self.spread is not None else ""
        return f"{self.mean:.4f}{spread}{'*' if late else ''}"

    def record(self, **what):
        return {**what, "mean": self.mean, "spread": self.spread, "seeds": len(self.values), "shown": self.text}


def column(figures, metric):
    """Their texts, the best in bold."""
    better = max if metric == "auc" else min
    best = better((f.mean for f in figures if f.values), default=None)
    return [f"**{f.text}**" if f.values and f.mean == best else f.text for f in figures]


def who_is(found):
    return {"set": found.data.name, "stand_in": found.source.stand_in}


# ---- Tables of test RMSE and AUC -----------------------------------------------------------------------------------


def comparison(metric, usual):
    def sets(plan):
        return plan.sets(usual, lambda data: data.metric == metric)

    def rows(plan):
        return plan.rows("tr-mm-auto")

    def jobs(plan):
        return [plan.job(f, w, seed) for seed in range(plan.seeds) for f in sets(plan) for w in rows(plan)]

    def report(plan, answer):
        header, columns, records = ["method"], [[w.title for w in rows(plan)]], []
        for found in sets(plan):
            name = found.data.name
            figures = [Figure([answer(plan.job(found, w, s)) for s in range(plan.seeds)]) for w in rows(plan)]
            header.append(found.title)
            columns.append(column(figures, metric))
            if name in published.MEANS:
                header.append("paper")
                columns.append([published.mean_text(name, w.name) for w in rows(plan)])
            records += [f.record(**who_is(found), method=w.name, metric=metric, paper=published.mean_text(name, w.name))
                        for f, w in zip(figures, rows(plan))]
        tables = [Table(f"Mean {NAMES[metric]}", header, list(zip(*columns)))] if records else []
        return tables, [], records

    return jobs, report


# ---- Outliers ------------------------------------------------------------------------------------------------------


def robust_sets(plan):
    return plan.sets(("ribeira", "fb15k-237"))


def robust_jobs(plan):
    return [plan.job(f, w, seed, outliers=x) for seed in range(plan.seeds) for f in robust_sets(plan)
            for x in (0.0, *OUTLIERS) for w in plan.rows("tr-mm-huber")]


def robust_report(plan, answer):
    tables, records = [], []
    for found in robust_sets(plan):
        name, metric, rows = found.data.name, found.data.metric, plan.rows("tr-mm-huber")
        header, columns = ["method"], [[w.title for w in rows]]
        for x in (0.0, *OUTLIERS):
            figures = [Figure([answer(plan.job(found, w, s, outliers=x)) for s in range(plan.seeds)]) for w in rows]
            header.append(f"outliers {x:g}" if x else "no outliers")
            columns.append(column(figures, metric))
            if (name, x) in published.ROBUST:
                header.append("paper")
                columns.append([published.robust_text(name, x, w.name) for w in rows])
            records += [f.record(**who_is(found), method=w.name, metric=metric, outliers=x,
                                 paper=published.robust_text(name, x, w.name)) for f, w in zip(figures, rows)]
        tables.append(Table(f"{found.title}: {NAMES[metric]} with outliers", header, list(zip(*columns))))
    return tables, [], records


# ---- Figure 1: what the mixture is made of -------------------------------------------------------------------------


def mixture_jobs(plan):
    return [plan.job(f, plan.who[m]) for f in mixture_sets(plan) for m in MIXING if m in plan.who]


def mixture_sets(plan):
    return plan.sets(("ribeira", "baboon"), lambda data: data.dense)


def mixture_report(plan, answer):
    tables, plots, records = [], [], []
    for found in mixture_sets(plan):
        answers = {plan.who[m].title: answer(plan.job(found, plan.who[m])) for m in MIXING if m in plan.who}
        answers = {title: a for title, a in answers.items() if a and a.get("mixture")}
        if not answers:
            continue
        parts = [f"W({k + 1})" for k in range(max(len(a["mixture"]) for a in answers.values()))]
        plots += [bars(f"{found.title}: share of each part", "share of the norm", parts,
                       [{"name": title, "y": a["mixture"]} for title, a in answers.items()]),
                  bars(f"{found.title}: error", NAMES["rmse"], list(answers),
                       [{"name": "", "y": [a["value"] for a in answers.values()]}])]
        rows = [[title, *(f"{m:.3f}" for m in a["mixture"]), f"{a['value']:.4f}"] for title, a in answers.items()]
        tables.append(Table(f"{found.title}: the mixture", ["method", *parts, NAMES["rmse"]], rows))
        records += [{**who_is(found), "method": title, "part": part, "share": share, "rmse": a["value"]}
                    for title, a in answers.items() for part, share in zip(parts, a["mixture"])]
    return tables, plots, records


def bars(title, y_label, categories, series):
    return Plot("bars", {"title": title, "yLabel": y_label, "categories": categories, "series": series})


# ---- Error against time, and against the share for training --------------------------------------------------------


def time_sets(plan):
    return plan.sets(("baboon", "ribeira", "fb15k-237", "youtube-full", "youtube-subset"))


def time_rows(plan):
    """Offsets alone take no steps."""
    return [w for w in plan.rows() if w.model != "offsets"]


def time_jobs(plan):
    return [plan.job(f, w) for f in time_sets(plan) for w in time_rows(plan)]


def time_report(plan, answer):
    plots, records = [], []
    for found in time_sets(plan):
        histories = {w: (answer(plan.job(found, w)) or {}).get("history") for w in time_rows(plan)}
        histories = {w: h for w, h in histories.items() if h and h["test"]}
        metric = found.data.metric
        series = [{"name": w.title, "x": h["seconds"], "y": h["test"]} for w, h in histories.items()]
        if series:
            plots.append(lines(f"{found.title}: {NAMES[metric]} against time", "seconds", NAMES[metric], series,
                               xLog=True, yLog=metric == "rmse"))
        records += [{**who_is(found), "method": w.name, "metric": metric, "seconds": seconds, "test": value}
                    for w, h in histories.items() for seconds, value in zip(h["seconds"], h["test"])]
    return [], plots, records


def fraction_sets(plan):
    return plan.sets(("fb15k-237",), lambda data: data.metric == "auc" and data.name != "youtube-full")


def fraction_job(plan, found, who, seed, share):
    """80 % is the paper's split itself, so its run serves both."""
    return plan.job(found, who, seed, share=None if share == SHARES[-1] else share)


def fraction_jobs(plan):
    return [fraction_job(plan, f, w, seed, x)
            for seed in range(plan.seeds) for f in fraction_sets(plan) for x in SHARES for w in plan.rows()]


def fraction_report(plan, answer):
    tables, plots, records = [], [], []
    for found in fraction_sets(plan):
        rows, series = [], []
        for who in plan.rows():
            figures = [Figure([answer(fraction_job(plan, found, who, s, x)) for s in range(plan.seeds)])
                       for x in SHARES]
            rows.append([who.title, *(f.text for f in figures)])
            series.append({"name": who.title, "x": [100 * x for x in SHARES], "y": [f.mean for f in figures]})
            records += [f.record(**who_is(found), method=who.name, train_share=x)
                        for f, x in zip(figures, SHARES)]
        title = f"{found.title}: mean test AUC by training part"
        tables.append(Table(title, ["method", *(f"{x:.0%}" for x in SHARES)], rows))
        series = [s for s in series if any(y is not None for y in s["y"])]
        if series:
            plots.append(lines(title, "training part, % of the entries", "test AUC", series))
    return tables, plots, records


def lines(title, x_label, y_label, series, **more):
    return Plot("lines", {"title": title, "xLabel": x_label, "yLabel": y_label, "series": series, **more})


# ---- All of them ---------------------------------------------------------------------------------------------------

EXPERIMENTS = {
    "table-rmse": Experiment("Pictures, video, recommendation",
                             *comparison("rmse", ("baboon", "ribeira", "tomato", "movielens"))),
    "table-auc": Experiment("Link prediction", *comparison("auc", ("youtube-subset", "youtube-full", "fb15k-237"))),
    "table-robust": Experiment("Outliers in the training part", robust_jobs, robust_report),
    "figure-mixture": Experiment("The mixture: latent trace norm and TR-MM (figure 1)", mixture_jobs, mixture_report),
    "figure-time": Experiment("Test error against time", time_jobs, time_report),
    "figure-fraction": Experiment("Less training data", fraction_jobs, fraction_report),
}


def settings_section(jobs, answer):
    """Ranks and settings as they were used, beside the paper's ranks (Table 8)."""
    rows = []
    for job in jobs:
        done = answer(job)
        if job.split.seed or job.split.share or job.split.outliers or not done or "command" not in done:
            continue
        rank = ",".join(map(str, done["rank"] or []))
        rows.append([job.split.found.title, job.who.title, rank, rank_of(job.name, job.who),
                     done["command"].split("TEST ")[1], done["iterations"], f"{done['seconds']:.1f}",
                     done["stop_reason"]])
    header = ["data set", "method", "rank", "rank in the paper", "flags", "steps", "seconds", "ended by"]
    tables = [Table("As they were run", header, rows)] if rows else []
    return Section("settings", "Ranks and settings (seed 0)", tables, [], [dict(zip(header, row)) for row in rows])
