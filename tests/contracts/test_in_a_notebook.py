"""What IPython, notebooks and loggers show of errors, objects, progress and waiting."""

import logging
import sys
import warnings

import numpy as np
import pytest
from pydantic import BaseModel
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.cli.progress import visible_progress
from eatlas.errors import EatlasError, ResultsError, SignatureError

LONGEST = 340
"""Characters of the repr of an object; the longest here has 324."""
IPython = pytest.importorskip("IPython.core.interactiveshell")


@pytest.fixture(scope="module")
def results():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return eatlas.run(["weat-6", "weat-7"], measures=["weat(alpha=0.01)", "mac", "sc-eat"])


@pytest.fixture
def shell():
    yield IPython.InteractiveShell.instance(colors="nocolor")
    IPython.InteractiveShell.clear_instance()


class Clustered(eatlas.results.parts.Record):
    """A record with a collection."""

    clusters: list[str]


def farthest(X, Y):
    return float((X @ Y.T).min())


# --- errors -------------------------------------------------------------------------------------


def test_ipython_shows_an_error_of_eatlas_as_its_message(shell, capsys):
    assert not shell.run_cell("import eatlas; eatlas.run('weat-66')").success
    shown = capsys.readouterr().out
    with pytest.raises(EatlasError) as caught:
        eatlas.run("weat-66")
    assert shown.strip() == f"StimulusError: {caught.value}"


def test_ipython_shows_other_errors_with_their_traceback(shell, capsys):
    shell.run_cell("import eatlas; eatlas.run(1 / 0)")
    assert "Traceback" in capsys.readouterr().out


def test_what_was_kept_of_interrupted_work_is_shown():
    error = EatlasError("no answer", remedy="try later")
    error.add_note("3 of 5 texts are done and kept")
    assert error._render_traceback_() == [
        "EatlasError: no answer",
        "  remedy: try later",
        "3 of 5 texts are done and kept",
    ]


# --- objects ------------------------------------------------------------------------------------


def public_objects(results):
    """An object of every public name, and of what public functions return."""
    test = make_test()
    groups = eatlas.load_tests("divdist-face-validity")[0]
    rng, plain = np.random.default_rng(0), make_vectors(test)
    noisy = {word: v + 0.1 * rng.standard_normal(v.shape) for word, v in plain.items()}
    of_two = eatlas.run(test, {"plain": plain, "noisy": noisy}, "ml-eat(resamples=0)")
    sources = [
        eatlas.open_vectors("glove-sample"),
        eatlas.open_vectors("glove-sample?transform=center"),
        eatlas.open_vectors("cbow:glove-sample"),
        eatlas.open_vectors(lambda texts: [[len(one), 1.0] for one in texts]),
        eatlas.ArraySource(["a", "b"], np.eye(2)),
        eatlas.open_vectors(make_vectors(test)),
    ]
    measures = [eatlas.get_measure(name) for name in eatlas.list_measures()]
    return {
        "sources": sources,
        "measures": measures,
        "tests": [test, test.X, groups, *eatlas.load_tests("caliskan")],
        "results": [results, *results, *of_two],
        "parts": [
            part
            for result in (*results, *of_two)
            for _, part in result
            if isinstance(part, BaseModel)
        ],
        "together": [
            results.family(),
            results.findings[0],
            of_two.compare("source"),
            of_two.pooled(),
            of_two.gate("abs(d) > 3"),
            eatlas.plot(of_two),
            eatlas.power("weat-6"),
            eatlas.permutation_test(np.array([1.0, 2.0, 4.0, 0.5]), 2),
        ],
    }


@pytest.mark.parametrize("kind", ["sources", "measures", "tests", "results", "parts", "together"])
def test_every_object_has_one_short_line(results, kind):
    for value in public_objects(results)[kind]:
        text = repr(value)
        assert "\n" not in text, text
        assert len(text) <= LONGEST, text


def test_every_public_class_is_among_them(results):
    seen = {
        kind
        for values in public_objects(results).values()
        for value in values
        for kind in type(value).__mro__
    }
    public = [getattr(eatlas, name) for name in eatlas.__all__]
    classes = {kind for kind in public if isinstance(kind, type)}
    of_errors = {eatlas.EatlasError, eatlas.EatlasWarning}
    assert (
        classes - seen - of_errors - {eatlas.SentencePairsTest, eatlas.SentenceTriplesTest} == set()
    )


def test_objects_name_their_size_and_what_is_not_the_default(results):
    assert repr(results) == "<Results: 6 results of 4 tests on glove-sample by 3 measures>"
    assert str(results[0]) == (
        "<WEAT(alpha=0.01) of weat-6 (8, 8, 8, 8 terms) on glove-sample: d = 1.72, p = 7.8e-5>"
    )
    assert repr(results[0].level1) == (
        "<Level: d = 1.72, two-sided p = 1.6e-4 (exact), n = 8 and 8>"
    )
    assert repr(eatlas.WEAT(alpha=0.01)) == "WEAT(alpha=0.01)"
    assert repr(eatlas.stimuli.read_battery("caliskan")) == "<Battery caliskan: 10 tests>"
    centred = eatlas.open_vectors("glove-sample?transform=center")
    assert repr(centred).endswith(" (10,496 words, 100 dimensions)>")


def test_the_measure_of_a_package_that_is_gone_is_shown_whole(results):
    strange = results[0].model_copy(update={"signature": "GONE(k=2)"})
    assert repr(strange).startswith("<GONE(k=2) of weat-6")


def test_a_record_shows_the_beginning_of_texts_and_the_lines_of_its_parts(results):
    weat, scat = results[0], results[4]
    assert "sha256=" in repr(weat.provenance)
    assert f"{weat.provenance.vectors_sha256[:23]}…'" in repr(weat.provenance)
    assert repr(weat.level1.p) == (
        "<PValues: greater p = 7.8e-5, less p = 1, two_sided p = 1.6e-4 (exact)>"
    )
    level = repr(scat.terms[0].level2)
    assert "d = −" in level
    assert f"level2={level}" in repr(scat.terms[0])
    assert "items" not in repr(weat.concepts)
    assert "clusters=<1 item>" in repr(Clustered(clusters=["a" * 61]))


def test_a_finding_shows_its_sentence(results):
    finding = results[0].finding
    question = finding.questions["level1"]
    assert "Male names are more strongly associated with Career" in finding.sentence
    assert repr(finding) == f"<Finding: {finding.sentence}>"
    assert repr(question) == f"<Question: {question.sentence}>"


def test_a_store_has_one_line(tmp_path):
    scan = eatlas.run("weat-6", measures="mac", store=tmp_path / "r.parquet")
    assert repr(scan) == f"<1 result in {tmp_path / 'r.parquet'}, failures: 0>"


def test_a_summary_is_what_the_terminal_shows(results, capsys):
    text = results.summary()
    assert capsys.readouterr().out == ""
    assert "weat-6-AB  MAC is 0.724; it has no test." in text
    assert "Measured by WEAT(alpha=0.01), MAC and SC-EAT." in text
    failed = eatlas.Results([], [eatlas.results.Failure("t", "s", "MAC()", EatlasError("no"))])
    assert failed.summary() == "failed: t on s: no"


def test_a_summary_has_no_escapes_and_displays_nothing(results, monkeypatch):
    expected, displayed = results.summary(), []
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *shown: displayed.append(shown))
    assert results.summary() == expected
    assert "\x1b" not in expected
    assert displayed == []


# --- frames -------------------------------------------------------------------------------------


def test_a_frame_is_brief_by_default():
    results = eatlas.run(["weat-6", "weat-7"], measures="ml-eat(resamples=0)")
    brief, whole = results.to_frame(), results.to_frame("all")
    assert list(brief) == [
        "test", "source", "measure", "effect_size", "low", "high", "p_two_sided",
        "effect_size_X", "effect_size_Y", "pattern", "missing", "verdict", "p_claim",
    ]  # fmt: skip
    assert len(whole.columns) > 90
    assert brief.equals(whole[list(brief)])
    assert list(results.to_frame(["p_claim", "test"])) == ["p_claim", "test"]
    assert results[0].to_frame()["p_claim"].tolist() == [
        results[0].finding.questions["level1"].p.claim
    ]
    with pytest.raises(ResultsError, match=r"(?s)the frame has no such column.*did you mean verd"):
        results.to_frame(["vedict"])


def test_a_brief_frame_has_the_settings_in_which_results_differ():
    results = eatlas.run("weat-6", measures=["weat", "weat(ddof=0)"])
    assert results.to_frame()["signature"].is_unique
    assert "signature" not in results[:1].to_frame()


def test_a_setting_that_only_some_results_have_is_in_the_brief_frame():
    sources = {"words": "glove-sample", "texts": lambda texts: [[len(t), 1.0] for t in texts]}
    frame = eatlas.run("weat-6", sources, "mac").to_frame()
    assert frame.groupby("source")["encoded"].count().to_dict() == {"texts": 16, "words": 0}


@pytest.mark.parametrize("columns", [None, 1, [1], ["test", None]])
def test_columns_that_are_no_names_are_refused(results, tmp_path, columns):
    scan = eatlas.run("weat-6", measures="mac", store=tmp_path / "r.parquet")
    for frame in (results, results[0], scan):
        with pytest.raises(ResultsError) as caught:
            frame.to_frame(columns)
        assert caught.value.what == "the columns of a frame are not usable"
        assert caught.value.got.startswith(repr(columns))
        assert caught.value.allowed == '"brief", "all", or names of columns'


def test_no_columns_leave_the_rows(results, tmp_path):
    scan = eatlas.run("weat-6", measures="sc-eat", store=tmp_path / "r.parquet")
    assert scan.to_frame([]).shape == scan.read().to_frame([]).shape == (16, 0)
    assert scan.to_frame([], where="test=none").shape == (0, 0)


def test_a_store_has_the_same_brief_frame(tmp_path):
    measures = ["weat", "sc-eat", "divdist", "mac"]
    scan = eatlas.run("weat-6", measures=measures, store=tmp_path / "r.parquet")
    listed = eatlas.run("weat-6", measures=measures).to_frame()
    assert set(scan.to_frame()) == set(listed)
    assert {"bias", "p_holm", "mac", "term"} <= set(listed)
    assert "association_Career" not in listed


# --- measures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", eatlas.list_measures())
def test_a_measure_can_be_cloned_by_scikit_learn(name):
    clone = pytest.importorskip("sklearn.base").clone
    measure = eatlas.get_measure(name)
    assert clone(measure) == measure
    assert clone(measure) is not measure
    assert type(measure)(**measure.get_params()) == measure


def test_the_measure_of_a_function_can_be_cloned_by_scikit_learn():
    clone = pytest.importorskip("sklearn.base").clone
    measure = eatlas.get_measure(farthest)
    assert clone(measure) == measure
    assert measure.code


def test_a_parameter_is_set_on_a_copy():
    measure = eatlas.WEAT()
    assert measure.set_params(alpha=0.01) == eatlas.WEAT(alpha=0.01)
    assert measure.get_params()["alpha"] == 0.05
    with pytest.raises(SignatureError, match="weat has no parameter 'alfa'; did you mean alpha"):
        measure.set_params(alfa=0.01)
    with pytest.raises(SignatureError, match="alpha cannot have this value"):
        measure.set_params(alpha=2)


# --- progress and logs --------------------------------------------------------------------------


def test_a_function_is_called_with_texts_and_then_with_jobs():
    told = []
    eatlas.run(
        ["weat-6", "weat-7"],
        lambda texts: [[len(one), 1.0] for one in texts],
        "mac",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-2:] == [(1, 2), (2, 2)]
    texts = told[:-2]
    assert texts[-1][0] == texts[-1][1] > 2


def test_the_reading_of_words_ends_though_some_are_missing():
    ticks, test = [], make_test()
    vectors = make_vectors(test)
    vectors.pop(test.X.terms[0])
    eatlas.run(test, vectors, "weat", progress=lambda done, total: ticks.append((done, total)))
    reading = ticks[:-1]
    assert reading[-1][0] == reading[-1][1] > 1
    assert ticks[-1] == (1, 1)


def test_a_line_in_a_notebook_leaves_nothing_of_another(capsys, monkeypatch):
    monkeypatch.setattr("eatlas.cli.progress._is_in_notebook", lambda: True)
    monkeypatch.setattr("eatlas.cli.progress.BLINK", -1.0)
    with visible_progress() as watch:
        texts = watch("terms of", "words")
        texts(10, None)
        texts(1, 9)
        jobs = watch("jobs", "")
        jobs(1, 2)
        jobs(2, 2)
        texts(2, 9)
    assert capsys.readouterr().err == (
        "\rterms of words: 10"
        "\rterms of words: 1 of 9\n"
        "\rjobs: 1 of 2\rjobs: 2 of 2\n"
        "\rterms of words: 2 of 9\n"
    )
    with visible_progress() as watch:
        words = watch("words", "")
        words(1000, 1000_000)
        words(7, 7)
    assert capsys.readouterr().err == "\rwords: 1,000 of 1,000,000\rwords: 7 of 7            \n"


@pytest.mark.parametrize("store", [None, "r.parquet"])
def test_progress_in_a_notebook_is_a_line_that_changes(tmp_path, capsys, monkeypatch, store):
    kernel = type("ZMQInteractiveShell", (), {})
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", kernel)
    path = store and tmp_path / store
    eatlas.run(["weat-6", "weat-7"], measures="mac", progress=True, store=path)
    shown = capsys.readouterr().err
    assert shown.endswith("jobs: 2 of 2\n")
    assert shown.startswith("\rterms of glove-sample: ")


def test_progress_elsewhere_is_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr("eatlas.cli.progress.PAUSE", 0.0)
    with visible_progress() as watch:
        tick = watch("texts by", "a model")
        tick(1, 4)
        tick(4, 4)
    assert capsys.readouterr().err.startswith("texts by a model: 1 of 4 (25%)")


def test_progress_that_is_neither():
    with pytest.raises(EatlasError, match=r"(?s)progress is not usable.*got: 'yes'"):
        eatlas.run("weat-6", measures="mac", progress="yes")


def test_the_log_says_what_the_cache_had(caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path))
    from eatlas.encoders.cache import cached
    from eatlas.sources.source import word_alone

    encoder = cached(eatlas.open_vectors(lambda texts: [[len(one), 1.0] for one in texts]))
    items = [word_alone(word) for word in ("one", "three")]
    with caplog.at_level(logging.INFO, logger="eatlas"):
        encoder.answers(items[:1])
        encoder.answers(items)
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "0 answers from the cache, 1 to compute",
        "1 answers from the cache, 1 to compute",
    ]
