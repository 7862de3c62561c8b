"""Signatures as users write them: `alpha: float = 0.05`, and values for names of constants."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import griffe


class Signatures(griffe.Extension):
    """Show the defaults of parameters of measures, and what a constant is in place of its name."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Griffe hands over each attribute before it makes the signatures of dataclasses."""
        value = attr.value
        if isinstance(value, griffe.ExprCall) and str(value.function) == "parameter":
            first = value.arguments[0]
            value = first.value if isinstance(first, griffe.ExprKeyword) else first
            attr.value = _plain(value, attr.module.path)
        if str(attr.annotation) == "ClassVar":  # no parameter
            attr.annotation = None

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Griffe hands over each class with its members: a property that may be a field is one."""
        for name, member in list(cls.members.items()):
            decorators = getattr(member, "decorators", ())
            if "property_or_field" in [str(decorator.value) for decorator in decorators]:
                shown = griffe.Attribute(
                    name, annotation=member.returns, docstring=member.docstring, parent=cls,
                    lineno=member.lineno, endlineno=member.endlineno,
                )  # fmt: skip
                shown.labels.add("property")
                cls.set_member(name, shown)

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Griffe hands over each function."""
        for parameter in func.parameters:
            parameter.default = _plain(parameter.default, func.module.path)


def _plain(default: Any, module: str) -> Any:
    """A default, or the value of the constant that it names."""
    if isinstance(default, griffe.ExprName) and default.name.isupper():
        value = getattr(import_module(module), default.name)
        return repr(value) if isinstance(value, str | int | float | tuple) else default
    return default
