"""What tests of attacks share with those of the rooms that were attacked."""

from tests.apps.annotation.conftest import contexts, items  # noqa: F401
from tests.cli.conftest import eatlas_cli, evil, listener  # noqa: F401
