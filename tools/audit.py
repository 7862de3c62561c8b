"""Look locked versions up among known vulnerabilities; fail where one is known, or not looked up.

``python tools/audit.py PIP-AUDIT`` has pip-audit look up all pins of constraints.txt and of
tests/models.txt, whatever machine they are for. An index without advisories answers nothing; then
nothing was audited.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LOCKED = (ROOT / "constraints.txt", ROOT / "tests" / "models.txt")
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)

Pin = tuple[str, str]
"""Name and version."""


def pins(paths: Iterable[Path] = LOCKED) -> list[Pin]:
    """All pins, those of other machines and versions of Python too."""
    found = (PIN.findall(path.read_text(encoding="utf-8")) for path in paths)
    return list(dict.fromkeys(pin for each in found for pin in each))


def lists_of(locked: Sequence[Pin]) -> list[list[Pin]]:
    """The pins in lists that have each name once, as pip-audit takes them."""
    lists: list[list[Pin]] = []
    for pin in locked:
        free = (each for each in lists if pin[0] not in dict(each))
        if (into := next(free, None)) is None:
            lists.append(into := [])
        into.append(pin)
    return lists


def looked_up(pip_audit: str, locked: Sequence[Pin]) -> list[dict[str, Any]]:
    """What pip-audit says of each of some pins."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pins.txt"
        path.write_text("".join(f"{name}=={version}\n" for name, version in locked))
        options = ["--no-deps", "--disable-pip", "--format", "json", "--requirement", path]
        done = subprocess.run([pip_audit, *options], capture_output=True, text=True, check=False)
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        raise SystemExit(f"pip-audit gave no answer:\n{done.stderr}") from None


def faults(locked: Sequence[Pin], said: Sequence[dict[str, Any]]) -> Iterator[tuple[Pin, str]]:
    """Each vulnerability of a pin, and why a pin was not looked up."""
    audited = {(one["name"], one.get("version")): one.get("vulns") for one in said}
    why = {one["name"]: one["skip_reason"] for one in said if "skip_reason" in one}
    for pin in locked:
        known = audited.get(pin)
        if known is None:
            yield pin, f"not audited; {why.get(pin[0], 'pip-audit does not name it')}"
        for one in known or ():
            yield pin, f"{one['id']}, mended in {', '.join(one['fix_versions']) or 'no version'}"


def main(pip_audit: str) -> int:
    """Print what is known, and how many pins were looked up; 0 where all were and nothing is."""
    locked = pins()
    found = [
        fault for part in lists_of(locked) for fault in faults(part, looked_up(pip_audit, part))
    ]
    for (name, version), what in found:
        print(f"{name} {version}: {what}")
    missed = sum(what.startswith("not audited") for _, what in found)
    print(
        f"{len(locked) - missed} of {len(locked)} locked versions were audited; "
        f"{len(found) - missed} vulnerabilities are known"
    )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
