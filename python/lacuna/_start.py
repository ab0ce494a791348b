# SPDX-License-Identifier: MIT
"""Loads the compiled part.

OpenMP's threads spin while they wait for work, by default for milliseconds; on a machine that has other things to do
that costs many times the work itself. The runtime reads how long from the environment when it is loaded, which is
here; what the user has set stays.
"""

import os


_NAME = "GOMP_SPINCOUNT"
_ours = _NAME not in os.environ and "OMP_WAIT_POLICY" not in os.environ
if _ours:
    os.environ[_NAME] = "20000"
try:
    from . import _core as _core  # noqa: E402
finally:
    if _ours:
        del os.environ[_NAME]
