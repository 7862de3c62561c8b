"""Files of other software become tests; what cannot is said by key."""

import json

import pytest

from eatlas import load_tests
from eatlas.stimuli import to_toml
from eatlas.stimuli.importers import import_test

SEAT = {
    "targ1": {"category": "Flowers", "examples": ["aster", "clover"]},
    "targ2": {"category": "Insects", "examples": ["ant", "flea"]},
    "attr1": {"category": "Pleasant", "examples": ["love", "peace"]},
    "attr2": {"category": "Unpleasant", "examples": ["hatred", "war"]},
}
MIND = {
    "targ1": {"concept": "Flower_name", "singular": ["aster"], "plural": ["asters"]},
    "targ2": {"concept": "Insect_name", "singular": ["ant"], "plural": ["ants"]},
    "attr1": {"concept": "Pleasant", "singular": ["love"], "adjective": ["lovable"]},
    "attr2": {"concept": "Unpleasant", "singular": ["war"], "plural": ["war", "wars"]},
}
WEFE = {
    "target_sets": [["aster", "clover"], ["ant", "flea"]],
    "attribute_sets": [["love", "peace"], ["hatred", "war"]],
    "template": [2, 2],
    "target_sets_names": ["Flowers", "Insects"],
    "attribute_sets_names": ["Pleasant", "Unpleasant"],
    "query_name": "Flowers and Insects wrt Pleasant and Unpleasant",
}
WEFE_PLAIN = {
    "target_sets": {"Flowers": ["aster", "clover"], "Insects": ["ant", "flea"]},
    "attribute_sets": {"Pleasant": ["love", "peace"], "Unpleasant": ["hatred", "war"]},
}


@pytest.fixture
def write(tmp_path):
    def write(content, name="my file.jsonl"):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(data)
        return path

    return write


def changed(content: dict, *keys: str, to=None, drop=False) -> dict:
    copy = json.loads(json.dumps(content))
    inner = copy
    for key in keys[:-1]:
        inner = inner[int(key) if isinstance(inner, list) else key]
    if drop:
        del inner[keys[-1]]
    else:
        inner[int(keys[-1]) if isinstance(inner, list) else keys[-1]] = to
    return copy


@pytest.mark.parametrize(
    ("form", "content"),
    [("sent-bias", SEAT), ("wefe", WEFE), ("wefe", WEFE_PLAIN)],
    ids=["sent-bias", "wefe", "wefe-plain"],
)
def test_an_import_can_be_saved_and_loaded(write, tmp_path, form, content):
    test = import_test(write(content), form)
    assert test.label == "Flowers/Insects, Pleasant/Unpleasant"
    assert (test.X.terms, test.B.terms) == (("aster", "clover"), ("hatred", "war"))
    assert test.id == "my-file"
    assert test.notes == (f"Imported from my file.jsonl, format {form}.",)
    assert test.title == content.get("query_name", "")
    saved = tmp_path / "saved.toml"
    saved.write_text(to_toml([test]), encoding="utf-8")
    assert load_tests(saved) == (test,)


def test_word_sets_of_mind_your_bias(write):
    test = import_test(write(MIND), "sent-bias", test_id="c1")
    assert [concept.terms for _, concept in test.parts] == [
        ("aster",),
        ("ant",),
        ("love",),
        ("war",),
    ]
    assert test.label == "Flower_name/Insect_name, Pleasant/Unpleasant"
    assert test.id == "c1"
    assert test.notes == (
        "Imported from my file.jsonl, format sent-bias.",
        "Not taken from targ1: plural.",
        "Not taken from targ2: plural.",
        "Not taken from attr1: adjective.",
        "Not taken from attr2: plural.",
    )


def test_a_set_without_a_name_is_called_by_its_key(write):
    test = import_test(write(changed(MIND, "targ1", "concept", drop=True)), "sent-bias")
    assert test.X.name == "targ1"
    assert "The file gives no name for X; targ1 is its key." in test.notes


def test_duplicates_are_taken_once_and_noted(write):
    content = changed(SEAT, "targ1", "examples", to=["aster", "clover", "aster", "rose", "clover"])
    test = import_test(write(content), "sent-bias")
    assert test.X.terms == ("aster", "clover", "rose")
    assert test.notes[1] == "Given more than once in X, taken once: 'aster', 'clover'."


def test_a_query_with_one_set_on_one_side_is_a_test_of_groups(write):
    one = WEFE_PLAIN | {"attribute_sets": {"Pleasant": ["love", "peace", "love"]}}
    test = import_test(write(one), "wefe")
    assert (test.kind, test.targets.name, test.reference) == ("groups", "Pleasant", "uniform")
    assert [group.name for group in test.groups] == ["Flowers", "Insects"]
    assert test.notes[1] == "Given more than once in targets, taken once: 'love'."
    scored = WEFE_PLAIN | {"target_sets": {"Plants": ["aster", "clover", "oak"]}}
    test = import_test(write(scored), "wefe")
    assert (test.targets.name, test.groups[1].terms) == ("Plants", ("hatred", "war"))
