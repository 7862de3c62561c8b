"""Build all packages for an index, and prove the files before anybody uploads them.

``make release`` runs it: nothing is a placeholder; the same bytes come twice; twine finds nothing;
each file has what the repository has and no more; each wheel installs without a compiler in a bare
environment of each Python at hand; there the README's commands run, and results of earlier
versions are verified; and a conda recipe has the SHA-256 of the source archives. ``make rehearsal``
does the same with placeholders.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import publication
import write_conda_recipe

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT, *sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml")))
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
MEGABYTES = {"eatlas": 8.5}
"""Largest file of a package; of the others 1."""
BEFORE = sorted((ROOT / "tests" / "whole").glob("results-*.jsonl"))
"""Results of earlier versions, which every later version verifies."""
NOBODY = "nobody"
"""Who installs, where a root user makes the release."""


def build(folder: Path, packages: Sequence[Path] = PACKAGES) -> list[Path]:
    """Source archive of each package, and from it the wheel, with the time of the last commit."""
    time = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)
    pinned = {"SOURCE_DATE_EPOCH": time.strip(), "EATLAS_PIN": f"=={publication.version()}"}
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(folder.resolve())]
    for package in packages:
        _run([*hatchling, "-t", "sdist"], pinned, package)
        name = "eatlas" if package == ROOT else package.name.replace("-", "_")
        with tempfile.TemporaryDirectory() as unpacked:
            with tarfile.open(folder / f"{name}-{publication.version()}.tar.gz") as archive:
                archive.extractall(unpacked, filter="data")
            (source,) = Path(unpacked).iterdir()
            _run([*hatchling, "-t", "wheel"], pinned, source)
    return sorted(folder.iterdir())


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names_in(path: Path) -> list[str]:
    """Names of the files in a wheel or a source archive, without the archive's own folder."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    with tarfile.open(path) as archive:
        return [entry.name.partition("/")[2] for entry in archive if entry.isfile()]


def faults(path: Path) -> Iterator[str]:
    """What a file for an index lacks, and has too much."""
    name = path.name.partition("-")[0].replace("_", "-")
    package = ROOT if name == "eatlas" else ROOT / "packages" / name
    listed = subprocess.check_output(["git", "ls-files", "."], cwd=package, text=True).split("\n")
    tracked = {line for line in listed if line and not line.startswith("packages/")}
    found = set(names_in(path))
    if path.suffix == ".whl":
        source = {line.removeprefix("src/") for line in tracked if line.startswith("src/")}
        about = {line for line in found if ".dist-info/" in line}
        licences = [line for line in tracked if "LICENSE" in Path(line).name]
        for line in licences:
            if (package != ROOT or "/" not in line or line.startswith("src/")) and not any(
                each.endswith(f"licenses/{line}") for each in about
            ):
                yield f"{path.name} lacks the licence {line}"
        files = found - about
    else:
        source = {line for line in tracked if line.startswith(("src/", "tests/"))}
        files = {line for line in found if line.startswith(("src/", "tests/"))}
    yield from (f"{path.name} lacks {line}" for line in sorted(source - files))
    yield from (
        f"{path.name} has {line}, which git does not know" for line in sorted(files - source)
    )
    if (size := path.stat().st_size / 1e6) > (allowed := MEGABYTES.get(name, 1.0)):
        yield f"{path.name} has {size:.1f} MB; allowed: {allowed}"


def pythons() -> Iterator[tuple[str, str | None]]:
    """Each supported Python that runs here, and who runs it: not root, where another user can."""
    users = (None,) if os.geteuid() else (NOBODY, None)
    folders = [folder for paths in (os.environ["PATH"], os.defpath) for folder in paths.split(":")]
    for name in PYTHONS:
        found = [path for folder in folders if (path := shutil.which(name, path=folder))]
        yield from [(path, user) for user in users for path in found if _runs(path, user)][:1]


def _runs(python: str, user: str | None) -> bool:
    """Whether a user can run that Python: a file in a closed folder, or a shim, may not run."""
    try:
        done = subprocess.run([python, "--version"], user=user, capture_output=True, check=False)
    except PermissionError:
        return False
    return done.returncode == 0


def write_recipe(folder: Path, files: Sequence[Path]) -> None:
    """Write the conda recipe of the source archives; stop unless it yields every package."""
    import rattler_build  # noqa: PLC0415  (only the environment of releases has it)

    path = folder / write_conda_recipe.TARGET.name
    digests = {file.name: digest(file) for file in files}
    text = write_conda_recipe.recipe(publication.publication(), digests)
    path.write_text(text, encoding="utf-8", newline="\n")
    outputs = rattler_build.Stage0Recipe.from_file(path).render(rattler_build.VariantConfig())
    found = [output.recipe.package.name for output in outputs]
    print(f"{path.name} yields {', '.join(found)}")
    if len(found) != len(PACKAGES) or write_conda_recipe.UNKNOWN in text:
        sys.exit(f"{path} lacks a package or the SHA-256 of its archive")


def try_out(python: str, user: str | None, files: Sequence[Path]) -> None:
    """Install the wheels in a bare environment, and do what the README says first."""
    print(f"{python} installs as {user or getpass.getuser()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if user:
            shutil.chown(folder, user)
        wheels = [shutil.copy(path, folder) for path in files if path.suffix == ".whl"]
        before = [shutil.copy(path, folder) for path in BEFORE]
        environment = {"PATH": f"{folder}/bare/bin:{_without_compilers(folder)}", "HOME": name}
        _run([python, "-m", "venv", "bare"], environment, folder, user)
        install = ["bare/bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        core = next(path for path in wheels if Path(path).name.startswith("eatlas-"))
        for part in ([core], wheels):
            _run([*install, *part], environment, folder, user)
            _run(["bare/bin/eatlas", "run"], environment, folder, user)
            for results in ("out/results.jsonl", *before):
                _run(["bare/bin/eatlas", "verify", str(results)], environment, folder, user)
        _run(["bare/bin/python", "-m", "pip", "check"], environment, folder, user)


def _without_compilers(folder: Path) -> str:
    """A folder of the few programs that an installation may need, none of which compiles."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("env", "sh", "uname"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    return str(programs)


def _run(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path = ROOT,
    user: str | None = None,
) -> None:
    print("$", *command, flush=True)
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        user=user,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\n{command[0]} ended with {done.returncode}")


def main(arguments: list[str]) -> int:
    if "--rehearse" not in arguments and publication.main(["--ready"]):
        return 1
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    files = build(target)
    with tempfile.TemporaryDirectory() as again:
        differ = [
            first.name
            for first, second in zip(files, build(Path(again)), strict=True)
            if digest(first) != digest(second)
        ]
    wrong = [f"{name} has other bytes when it is built again" for name in differ]
    wrong += [fault for path in files for fault in faults(path)]
    print(*wrong, sep="\n")
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], {})
    write_recipe(target, files)
    for python, user in pythons():
        try_out(python, user, files)
    for path in files:
        print(f"{digest(path)}  {path.name}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
