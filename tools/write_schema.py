"""Write the JSON Schemas of results and scans, from the records themselves, into the package."""

from __future__ import annotations

import json
from pathlib import Path

from eatlas.results import records, scan

DATA = Path(__file__).parents[1] / "src/eatlas/results/data"

if __name__ == "__main__":
    for name, schema in (("result-1", records.json_schema()), ("scan-1", scan.json_schema())):
        target = DATA / f"{name}.schema.json"
        target.write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")
        print(target)
