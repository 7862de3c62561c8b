"""Write the JSON Schema of results, from the records themselves, into the package."""

from __future__ import annotations

import json
from pathlib import Path

from eatlas.results.records import json_schema

TARGET = Path(__file__).parents[1] / "src/eatlas/results/data/result-1.schema.json"

if __name__ == "__main__":
    TARGET.write_text(json.dumps(json_schema(), indent=1) + "\n", encoding="utf-8")
    print(TARGET)
