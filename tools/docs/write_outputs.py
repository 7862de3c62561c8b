"""Write into the pages what their examples print now.

Use it as: python tools/docs/write_outputs.py [PAGE...]

Look at the difference before you keep it; tests/whole/docs fails while a page shows something else.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.docs.examples import with_outputs  # noqa: E402

COLUMNS = "100"


def main(names: list[str]) -> None:
    os.environ |= {"COLUMNS": COLUMNS, "NO_COLOR": "1", "EATLAS_DATA": "data"}
    pages = [Path(name).resolve() for name in names] or sorted((ROOT / "docs").rglob("*.md"))
    for path in pages:
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            os.environ["EATLAS_CACHE"] = str(Path(directory, "cache"))  # pages begin without one
            sys.path.insert(0, directory)
            now = with_outputs(page)
            sys.path.remove(directory)
            os.chdir(ROOT)
        if now != page:
            path.write_text(now, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
