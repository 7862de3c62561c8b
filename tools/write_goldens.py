"""Write what the sessions of ``tests/contracts/golden_cases.py`` print into ``goldens/``.

Run it only where an output is meant to change, and look at the difference: ``git diff`` shows
transcripts; ``python -m pytest tests/whole/test_goldens.py`` before it shows changed numbers by
name. Without names, all sessions are written.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.contracts.golden_cases import GOLDENS, SCENARIOS, keep, perform  # noqa: E402
from tests.contracts.sessions import in_folder  # noqa: E402

if __name__ == "__main__":
    GOLDENS.mkdir(exist_ok=True)
    for scenario in SCENARIOS:
        if sys.argv[1:] and scenario.name not in sys.argv[1:]:
            continue
        begun = time.process_time()
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "session"
            folder.mkdir()
            with in_folder(folder):
                found = perform(scenario)
        keep(scenario, found)
        took = time.process_time() - begun
        print(f"{scenario.name}: {len(found.transcript)} lines, {len(found.lines)} results", end="")
        print(f", {took:.1f} s")
