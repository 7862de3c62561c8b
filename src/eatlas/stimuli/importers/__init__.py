"""Tests of other software as tests of ours, one file for each format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from eatlas.errors import StimulusError
from eatlas.nearest import did_you_mean
from eatlas.stimuli.importers import mind_your_bias, sent_bias, wefe
from eatlas.stimuli.importers.building import Draft, make_test
from eatlas.stimuli.importers.reading import read_object
from eatlas.stimuli.model import AssociationTest

FORMATS: dict[str, Callable[..., Draft]] = {
    "sent-bias": sent_bias.draft,
    "mind-your-bias": mind_your_bias.draft,
    "wefe": wefe.draft,
}

__all__ = ["FORMATS", "import_test"]


def import_test(
    path: str | Path, form: str, *, test_id: str | None = None, plurals: bool = False
) -> AssociationTest:
    """Read one test from a file of other software.

    Exact duplicates within a group are taken once, and ``notes`` say so, as they do of anything
    else in the file that was not taken.

    Parameters
    ----------
    path : str or path
        A JSON file (UTF-8).
    form : {"sent-bias", "mind-your-bias", "wefe"}
        ``sent-bias`` recognises the word sets of Mind Your Bias too.
    test_id : str, optional
        The test's id; the file's name without its ending if not given.
    plurals : bool
        Take the plural forms in word sets of Mind Your Bias, after the singulars.

    Raises
    ------
    StimulusError
        If the file cannot be read, is not of that format, is no test of two targets and two
        attributes, or has a term on both sides.

    Examples
    --------
    >>> import json, tempfile
    >>> groups = {"targ1": ["rose"], "targ2": ["ant"], "attr1": ["love"], "attr2": ["war"]}
    >>> content = {k: {"category": k, "examples": terms} for k, terms in groups.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.jsonl"
    ...     _ = path.write_text(json.dumps(content))
    ...     import_test(path, "sent-bias").label
    'targ1/targ2, attr1/attr2'
    """
    if form not in FORMATS:
        raise StimulusError(
            f"there is no format {form!r} to import{did_you_mean(form, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    path = Path(path)
    content = read_object(path)
    return make_test(FORMATS[form](content, str(path), plurals=plurals), path, test_id)
