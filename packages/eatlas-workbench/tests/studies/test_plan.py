"""Plans: what a file may say, and every fault named."""

import pytest

import eatlas
from eatlas.errors import StudyError
from eatlas_workbench.studies import example, prepare, read_plan
from eatlas_workbench.studies.plan import combinations
from eatlas_workbench.studies.study import plan_as_toml


def write(folder, text):
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def labels(plan):
    return [tuple(one.values()) for one in combinations(read_plan(plan))]


def test_lists_stand_at_the_top_or_under_study(tmp_path):
    top = write(tmp_path, 'tests = ["weat-6"]\nvectors = ["glove-sample"]')
    under = {"study": {"tests": ["weat-6"], "vectors": ["glove-sample"]}}
    assert labels(top) == labels(under) == [("weat-6", "glove-sample", "ml-eat")]


def test_a_choice_with_a_condition_is_open_where_it_is_not_met():
    when = {"values": [0.1, 0.3], "when": {"tail": "two-sided"}}
    plan = {
        "tests": ["weat-6"],
        "choices": {"threshold": when, "tail": ["directional", "two-sided"]},
    }
    found = combinations(read_plan(plan))
    assert [(one["threshold"], one["tail"]) for one in found] == [
        ("", "directional"),
        ("0.1", "two-sided"),
        ("0.3", "two-sided"),
    ]


def test_conditions_in_a_circle_are_refused():
    choices = {
        "ddof": {"values": [0, 1], "when": {"tail": "two-sided"}},
        "tail": {"values": ["directional", "two-sided"], "when": {"ddof": 0}},
    }
    with pytest.raises(StudyError, match="are circular"):
        combinations(read_plan({"tests": ["weat-6"], "choices": choices}))


def test_exclusions_leave_out_what_they_match():
    plan = {
        "tests": ["weat-6", "weat-7"],
        "choices": {"ddof": [1, 0], "tail": ["directional", "two-sided"]},
        "exclude": [{"test": "weat-7", "ddof": 0}, {"tail": ["two-sided"]}],
    }
    found = [(one["test"], one["ddof"]) for one in combinations(read_plan(plan))]
    assert found == [("weat-6", "1"), ("weat-6", "0"), ("weat-7", "1")]


def test_each_measure_takes_the_tests_of_its_kind():
    plan = {"tests": ["weat-6", "divdist-face-validity"], "measures": ["weat", "divdist"]}
    assert [(one[0], one[2]) for one in labels(plan)] == [
        ("weat-6", "weat"),
        ("divdist-face-validity", "divdist"),
    ]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"choises": {}}, "key choises: unknown key; did you mean choices?"),
        ({"choices": {"laier": [1]}}, "choices.laier: is not a choice that eatlas knows; did you mean layer?"),
        ({"choices": {"ddof": [0, 0]}}, "key choices.ddof: an alternative is there twice"),
        ({"choices": {"ddof": [[0]]}}, "is not a text, a number, true, false, or 'none'"),
        ({"choices": {"vectors": ["x"]}}, "choices.vectors: is not a choice that eatlas knows"),
        ({"tests": []}, "key tests: dictionary should have at least 1 item"),
        ({"tests": {"all": "caliskan"}}, "key tests: all: these are 10 tests, weat-1, weat-2, weat-3 ...; name one"),
        ({"measures": ["divdist"]}, "tests are of the kind association, and measures take tests of the kind groups"),
        ({"exclude": [{"dof": 1}]}, "dof is not a choice of this plan"),
        ({"choices": {"ddof": [1]}, "exclude": [{"ddof": 2}]}, "ddof has no alternative '2'"),
        ({"family": {"over": ["tests"]}}, "tests is not a choice of this plan; did you mean test?"),
        ({"choices": {"ddof": {"values": [1], "when": {"lvl": "a"}}}}, "lvl is not a choice of this plan"),
        ({"study": {"tests": ["weat-7"]}}, "tests are there twice"),
    ],
)  # fmt: skip
def test_faults_are_named(plan, message):
    with pytest.raises(StudyError) as caught:
        read_plan({"tests": ["weat-6"], **plan})
    assert message in str(caught.value)


def test_everything_excluded_is_an_empty_grid():
    with pytest.raises(StudyError, match="the grid of this plan is empty"):
        combinations(read_plan({"tests": ["weat-6"], "exclude": [{"test": "weat-6"}]}))


def test_a_plan_that_is_not_there():
    with pytest.raises(StudyError, match=r"nothere\.toml: the plan cannot be read"):
        read_plan("nothere.toml")


def test_a_resolved_plan_is_the_same_plan(tmp_path):
    prepared = prepare(write(tmp_path, example()))
    assert prepared.plan.alternatives()["stimuli"] == ("names", "terms")
    assert len(prepared.jobs) == 64
    again = prepare(write(tmp_path, plan_as_toml(prepared)))
    assert again.sha256 == prepared.sha256
    assert [job.measure.signature for job in again.jobs] == [
        job.measure.signature for job in prepared.jobs
    ]


def test_a_title_is_no_part_of_what_is_measured():
    one, other = ({"tests": ["weat-6"], "study": {"title": title}} for title in "ab")
    assert prepare(one).sha256 == prepare(other).sha256
    assert prepare(one).sha256 != prepare({"tests": ["weat-7"]}).sha256


def test_a_test_of_a_file_is_named_by_its_id(test_file, tiny, tiny_vectors):
    plan = {"tests": {"mine": f"{test_file}#tiny"}, "vectors": {"mine": tiny_vectors}}
    assert read_plan(plan).tests["mine"][""].id == "tiny"
    with pytest.raises(StudyError, match="there is no test 'tini'; did you mean tiny"):
        read_plan({"tests": {"mine": f"{test_file}#tini"}})


def test_objects_serve_as_well_as_names(tiny, tiny_vectors):
    source = eatlas.ArraySource(list(tiny_vectors), list(tiny_vectors.values()), name="mine")
    study = eatlas.multiverse({"tests": [tiny], "vectors": [source], "measures": [eatlas.WEAT()]})
    assert study.record.specifications[0].choices == {
        "test": "tiny",
        "vectors": "mine",
        "measure": eatlas.WEAT().signature,
    }
    as_words = eatlas.multiverse({"tests": [tiny], "vectors": tiny_vectors, "measures": ["weat"]})
    assert as_words.results[0].level1 == study.results[0].level1
