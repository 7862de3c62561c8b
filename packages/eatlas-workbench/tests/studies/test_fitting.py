"""Choices that do not fit each other: listed, and skipped only when that is wanted."""

import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.errors import StudyError
from eatlas_workbench.studies import prepare


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return f"hf:{make_model(tmp_path_factory.mktemp('bert'), 'bert')}"


def study_of(bert, **choices):
    return {
        "tests": ["weat-6"],
        "vectors": {"bert": bert},
        "measures": ["weat"],
        "choices": choices,
    }


def test_they_are_listed_by_reason_with_their_number(bert):
    plan = study_of(bert, level=["word", "sentence"], subword=["mean", "first"])
    with pytest.raises(StudyError) as caught:
        prepare(plan)
    first, *reasons, remedy = str(caught.value).splitlines()
    assert first == "2 of 4 specifications have choices that cannot be combined"
    assert len(reasons) == 2
    assert reasons[0].endswith(
        "the option subword has no effect here (subword=mean): 1 specification, such as "
        "test=weat-6, vectors=bert, measure=weat, level=sentence, subword=mean"
    )
    assert remedy == (
        '  remedy: say when a choice applies: subword = { values = [...], when = { level = "word" '
        "} }; or leave combinations out by [[exclude]]; or skip these: --skip-invalid, in Python "
        "skip_invalid=True"
    )


def test_a_condition_makes_them_fit(bert):
    subword = {"values": ["mean", "first"], "when": {"level": "word"}}
    prepared = prepare(study_of(bert, level=["word", "sentence"], subword=subword))
    assert [one.source.name.partition("?")[2] for one in prepared.jobs] == [
        "level=word&subword=mean",
        "level=word&subword=first",
        "level=sentence",
    ]


def test_those_that_are_skipped_stay_in_the_table(bert):
    several = study_of(bert, layer=["3", "9"])
    with pytest.raises(StudyError, match="layer = 9: this alternative never applies"):
        prepare(several, skip_invalid=True)
    several["tests"] = ["weat-6", "sent-weat-6"]
    several["choices"] = {"prompt": ["none", "This is {}"]}
    study = eatlas.multiverse(several, skip_invalid=True)
    found = study.record.specifications
    assert [one.status for one in found] == ["done", "done", "done", "skipped"]
    assert found[3].reason == "a prompt has no effect on stimuli that occur in sentences"
    assert [one.line for one in found] == [1, 2, 3, None]


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"layer": [0, 99]}, "the model has no such layer"),
        ({"level": ["word"], "pool": ["mean"]}, "the option pool has no effect here"),
        ({"window": [3]}, "window: for contexts of a corpus alone"),
        ({"case": ["auto", "exact"]}, "the case rule has no effect if a model encodes texts"),
        ({"contexts": ["templates"], "prompt": ["This is {}"]}, "a prompt has no effect on"),
        ({"ddof": [1, 7]}, "weat: the parameter ddof cannot have this value"),
        (
            {"prompt": {"none": "none", "empty": ""}},
            "these choices have no effect: another combination is the same job",
        ),
        ({"contexts": ["nothere.jsonl"]}, "nothere.jsonl"),
        ({"precision": ["float16"]}, "an option is given twice (precision)"),
    ],
)
def test_what_fits_nowhere_is_a_mistake_even_where_misfits_are_skipped(bert, choices, reason):
    source = f"{bert}?precision=float32" if "precision" in choices else bert
    with pytest.raises(StudyError, match="this alternative never applies") as caught:
        prepare(study_of(source, **choices), skip_invalid=True)
    assert reason in str(caught.value)
    if "layer" in choices:
        with pytest.raises(StudyError, match=r"got: layer: for encoders \(hf:, clip:\) only"):
            prepare(study_of("glove-sample", **choices))
