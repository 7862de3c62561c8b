"""What results of tests of targets against groups have in common."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from eatlas.results.base import AssociationResult
from eatlas.results.parts import Concepts, Coverage
from eatlas.stimuli.kinds import OF_TARGETS


class GroupsResult(AssociationResult):
    """A result of a :class:`eatlas.GroupsTest`: targets, each measured alone, against k groups.

    A record derives from this class and declares what it found, as that of an association test.

    Examples
    --------
    >>> from typing import Literal
    >>> class Nearness(GroupsResult):
    ...     measure: Literal["nearness"] = "nearness"
    ...     nearest: float
    >>> Nearness.display_name, Nearness.kind
    ('NEARNESS', 'groups')
    """

    kind: ClassVar[str] = "groups"
    heading: ClassVar[str] = "Test: targets, groups"

    concepts: Concepts
    """Names of the concept of targets, as ``targets``, and of each group."""
    coverage: Coverage
    groups: tuple[str, ...] = Field(min_length=2)
    """Names of the groups, in the order of the test."""
    reference: tuple[Annotated[float, Field(ge=0.0, le=1.0)], ...]
    """Share that is expected of each of them; sums to 1."""

    @model_validator(mode="after")
    def _one_share_for_each_group(self) -> Self:
        if len(self.reference) != len(self.groups):
            raise ValueError("there are as many shares in the reference as groups")
        for name in ("concepts", "coverage"):
            if tuple(getattr(self, name)) != (OF_TARGETS, *self.groups):
                raise ValueError(f"{name} are of the targets and of each group, in their order")
        return self

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Name of the concept of targets, then those of the groups."""
        targets, *groups = self.concepts.values()
        return (targets,), tuple(groups)

    def of_the_test(self) -> dict[str, Any]:
        """The reference, by group."""
        return {"reference": dict(zip(self.groups, self.reference, strict=True))}
