"""Write the JSON Schemas of results, scans and other records into the package."""

from __future__ import annotations

import json
from pathlib import Path

from eatlas.results import diagnosis, evidence, json_lines, residual, scan

DATA = Path(__file__).parents[1] / "src/eatlas/results/data"

if __name__ == "__main__":
    for name, module in (
        ("result-1", json_lines),
        ("scan-1", scan),
        ("diagnosis-1", diagnosis),
        ("residual-1", residual),
        ("card-1", evidence),
    ):
        target = DATA / f"{name}.schema.json"
        target.write_text(json.dumps(module.json_schema(), indent=1) + "\n", encoding="utf-8")
        print(target)
