"""What users get is compared."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def _as_users_do(all_resamples: None) -> None:
    pass
