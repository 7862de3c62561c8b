"""The EAT-Map of an ML-EAT, as a picture. :mod:`eatlas.present.eat_map_svg` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eatlas.errors import ResultsError
from eatlas.present import eat_map_svg
from eatlas.present.eat_map_content import Content
from eatlas.results.files import atomic_file

Size = Literal["full", "mini"]
SUFFIX = ".svg"


@dataclass(frozen=True)
class EATMap(Content):
    """Four cells that show which target is associated with which attribute.

    Columns are the target groups X and Y, rows the attributes A and B; a cell is red where the
    target is associated with the attribute, else gray (Wolfe, Hiniker and Howe 2024, section
    "EAT-Maps"). A cell that is red is also darker and carries a mark, so that the map can be
    read without colours.

    Parameters
    ----------
    X, Y : Column
    A, B : str
        Names of the attributes.
    label, two_sided_label : str
        EAT pattern under the measure's rule and under the two-sided rule.
    rule : Rule
        Level and tail by which the level 2 p-values were read.
    test : str
        Id of the test.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="weat-6")
    >>> sorted(eatlas.plot(results[0]).associated)
    ['YB']
    """

    def svg(self, size: Size = "full") -> str:
        """Draw the map as SVG that stands alone or in a page.

        Parameters
        ----------
        size : {"full", "mini"}
            With names and numbers, or 44 pixels for the cell of a table.

        Raises
        ------
        ResultsError
            If there is no such size.
        """
        if size == "full":
            return eat_map_svg.full(self)
        if size == "mini":
            return eat_map_svg.mini(self)
        raise ResultsError(
            "an EAT-Map has no such size", got=repr(size), allowed="'full' or 'mini'"
        )

    def save(self, path: str | Path) -> None:
        """Write the map as an SVG file, whole or not at all.

        Raises
        ------
        ResultsError
            If the name does not end in .svg, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() != SUFFIX:
            raise ResultsError(
                f"{path}: an EAT-Map is saved as SVG",
                got=path.suffix or "a name without an ending",
                allowed=SUFFIX,
                remedy=f"save it as {path.with_suffix(SUFFIX).name}; PDF, PNG and HTML come from "
                'eatlas.plot(result, kind="eat-map").save(...)',
            )
        with atomic_file(path) as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg()}\n')

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def __str__(self) -> str:
        return self.alt
