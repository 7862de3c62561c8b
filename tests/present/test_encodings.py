"""How findings move with prompt, layer, weights and window: groups, sentences, tables, page."""

from tests.present.records import ml_eat

from eatlas.cli.table import print_results
from eatlas.present import report_html
from eatlas.present.comparison import comparisons
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.results import Results
from eatlas.results.compare import pivot
from eatlas.results.parts import Encoding
from eatlas.stimuli import ContextsOrigin


def encoded(
    pattern="AX-Singular", made=ml_eat, *, d=1.4, source="hf:model", greater=None, **choices
):
    given = {"model": "model", "architecture": "BertModel", "level": "word", "layer": "12"}
    encoding = Encoding(**{**given, **choices})
    name = ",".join(f"{key}={value}" for key, value in choices.items())
    args = (pattern,) if made is ml_eat else ()
    result = made(*args, d=d, greater=greater, source=f"{source}?{name}")
    return result.model_copy(update={"encoding": encoding})


def in_texts(pattern="AX-Singular", made=ml_eat, *, d=1.4, source="cbow:some", **sizes):
    """A result in contexts cut to a window."""
    args = (pattern,) if made is ml_eat else ()
    result = made(*args, d=d, source=source)
    origin = ContextsOrigin(name="c.parquet", sha256="0" * 64, **sizes)
    changed = result.provenance.model_copy(update={"contexts": origin})
    return result.model_copy(update={"provenance": changed})


def compared(*results):
    return comparisons(sections(results, DeclaredFamily.of(results)))


def test_windows_stand_in_their_order_and_the_sentence_behind_them():
    (found,) = pivot([in_texts(window=w) for w in ("sentence", 10, 9)], "window")
    assert [*found] == ["9", "10", "sentence"]
    assert pivot([in_texts(window=9), ml_eat(source="cbow:some")], "window") == []
    others = [in_texts(window=1), in_texts(window=9, source="cbow:other")]
    assert pivot(others, "window") == [], "another source"
    fewer = [in_texts(window=1), in_texts(window=9, per_term=5)]
    assert pivot(fewer, "window") == [], "other contexts"


def test_what_differs_in_more_than_one_choice_is_not_compared():
    both = [encoded(layer="1", prompt="The {}"), encoded(layer="2")]
    assert [pivot(both, by) for by in ("prompt", "layer", "weights")] == [[], [], []]
    grid = [encoded(layer=n, prompt=p) for n in "12" for p in ("The {}", "A {}")]
    assert [len(group) for group in pivot(grid, "layer")] == [2, 2]
    assert pivot([encoded(), encoded()], "prompt") == [], "one value is no comparison"
    assert pivot([ml_eat(), ml_eat(source="b")], "prompt") == [], "looked up, not encoded"


def test_sentences_say_what_moves():
    (found,) = compared(encoded(prompt="The {}"), encoded("A-Uniform", prompt="A {}", d=0.7))
    assert found.by == "prompt"
    assert found.sentence.startswith(
        "prompt “The {}”: AX-Singular; prompt “A {}”: A-Uniform. The effect size d at level 1 goes from "
        "0.70 to 1.40. Mean cosines range from "
    )
    (same,) = compared(encoded(layer="1"), encoded(layer="2"))
    assert same.sentence.startswith("Both layers show AX-Singular.")
    (control,) = compared(encoded(), encoded("Non-Directional", weights="random", weights_seed=3))
    assert control.sentence.startswith(
        "trained: AX-Singular; random, seed 3: Non-Directional. What random weights show as well "
        "comes of the model's build"
    )


def test_sources_are_compared_beside_prompts_only_where_there_are_other_sources():
    prompts = encoded(prompt="The {}"), encoded(prompt="A {}")
    assert [c.by for c in compared(*prompts)] == ["prompt"]
    assert [c.by for c in compared(*prompts, ml_eat())] == ["source", "prompt"]


def test_a_page_with_prompts_layers_and_a_control():
    page = report_html(
        [
            encoded(prompt="The {}"),
            encoded(prompt="A <b>{}</b>"),
            *(encoded(layer=layer) for layer in ("0", "6", "12")),
            encoded(weights="random", weights_seed=0),
        ]
    )
    for heading in ("Prompts compared", "Layer by layer", "Against random weights"):
        assert f">{heading}</h2>" in page
    assert "A &lt;b&gt;{}&lt;/b&gt;" in page
    assert "A <b>" not in page
    assert "d from 1.40 in layer 0 to 1.40 in layer 12, p below alpha in 3 of 3 layers" in page


def test_windows_are_compared_and_sources_only_within_a_window():
    given = [in_texts(window=w, source=s) for s in ("cbow:a", "cbow:b") for w in (9, 3, 5)]
    found = compared(*given)
    assert [(c.by, len(c.members)) for c in found] == [("source", 2)] * 3 + [("window", 3)] * 2
    assert [c.about for c in found[3:]] == [
        "ML-EAT on mean of words of a",
        "ML-EAT on mean of words of b",
    ]
    page = report_html(given)
    assert ">Windows compared</h2>" in page
    assert "d from 1.40 in window 3 to 1.40 in window 9, p below alpha in 3 of 3 windows" in page
    assert page.count("mean of words of a, window 3") > 1


def test_comparisons_say_at_which_layer_and_with_which_prompt(capsys):
    grid = [
        encoded(layer=layer, prompt=prompt, d=d)
        for layer, d in (("3", 1.4), ("12", 0.2))
        for prompt in ("The {}", "A {}")
    ]
    found = [one for one in compared(*grid) if one.by != "source"]
    assert [(one.by, one.about) for one in found] == [
        ("prompt", "ML-EAT on model, layer 3"), ("prompt", "ML-EAT on model, layer 12"),
        ("layer", "ML-EAT on model, prompt “The {}”"), ("layer", "ML-EAT on model, prompt “A {}”"),
    ]  # fmt: skip
    assert found[0].title == "test-1 by prompt: ML-EAT on model, layer 3"
    print_results(Results(grid))
    said = capsys.readouterr().out
    for one in found:
        assert f"test-1 by {one.by} ({one.about}): " in said
    page = report_html(grid)
    assert "<bdi>ML-EAT on model, layer 12</bdi>" in page
    assert "<bdi>ML-EAT on model, prompt “The {}”</bdi>" in page
