"""Values by group: mappings whose names are those of a test's groups."""

import importlib
import pickle
import pkgutil

import pytest
from pydantic import BaseModel, ValidationError

import eatlas
import eatlas.results
from eatlas.results.json_lines import record_from_dict
from eatlas.results.parts import Concepts, Coverage, GroupCoverage


@pytest.fixture(scope="module")
def result():
    return eatlas.run("weat-6", measures="ml-eat(resamples=0,frequency=off)")[0]


def test_names_are_keys_and_attributes(result):
    coverage = result.coverage
    assert list(coverage) == ["X", "Y", "A", "B"]
    assert coverage["X"] is coverage.X
    assert dict(result.concepts.items())["A"] == "Career"
    assert "Z" not in coverage
    assert not hasattr(coverage, "Z")
    with pytest.raises(KeyError):
        coverage["Z"]


def test_copies_are_equal_and_nothing_can_be_changed(result):
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes
    assert result.level2.model_copy() == result.level2
    with pytest.raises(ValidationError, match="frozen"):
        result.concepts.root = {}


def test_any_names_in_their_order():
    names = Concepts({"targets": "Work", "Women": "Women", "Men": "Men"})
    assert names.model_dump() == {"targets": "Work", "Women": "Women", "Men": "Men"}
    covered = Coverage({"a": GroupCoverage(used=("x",), missing=("y", "z"))})
    assert covered.counts() == (1, 2)


@pytest.mark.parametrize("part", ["coverage", "concepts", "level2", "influence.level1"])
def test_records_have_the_groups_of_their_test_alone_and_in_order(part):
    (given,) = eatlas.run("weat-6", measures="ml-eat(resamples=10,frequency=off)")
    values = given.to_dict()
    *above, last = part.split(".")
    for name in above:
        values = values[name]
    whole = given.to_dict()
    place = whole
    for name in above:
        place = place[name]
    place[last] = dict(reversed(values[last].items()))
    assert record_from_dict(whole).to_dict() == given.to_dict()
    assert str(record_from_dict(whole).to_dict()) == str(given.to_dict()), "the order is the test's"
    del place[last]["X"]
    with pytest.raises(ValidationError, match="the groups are X, Y, A, B|the groups are X, Y, not"):
        record_from_dict(whole)
    place[last] = {**values[last], "Z": values[last]["X"]}
    with pytest.raises(ValidationError, match="the groups are X, Y.*, Z"):
        record_from_dict(whole)


def test_every_record_can_be_handed_to_another_process():
    """A generic record whose name has a dot, as of a bound 0.0, is not found by pickle."""
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(
        eatlas.results.__path__, "eatlas.results.")]  # fmt: skip
    records = {
        record
        for module in modules
        for name, record in vars(module).items()
        if name.isidentifier() and isinstance(record, type) and issubclass(record, BaseModel)
    }
    assert len(records) > 60
    for record in records:
        assert pickle.loads(pickle.dumps(record)) is record  # noqa: S301 - our own bytes
