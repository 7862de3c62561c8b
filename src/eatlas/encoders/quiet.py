"""Transformers keeps silent while it works for us."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back the library's log, progress bars and warnings.

    What a user must know is said by ourselves: as an error, or in the notes of the source.
    """
    from transformers.utils import logging  # noqa: PLC0415  (seconds; only where it is used)

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        # the bar of the GGUF reader heeds no setting and writes to stderr
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
