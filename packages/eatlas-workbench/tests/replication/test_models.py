"""Which models a recipe takes, what it takes of them, and how others are refused."""

import numpy as np
import pytest
from tests.tiny_models import make_model
from tests.tiny_vision import make_backbone, make_towers

import eatlas
from eatlas.errors import EatlasError, SourceError
from eatlas.sources import innermost
from eatlas_workbench.replication.models import MeasuredModel, family_of, open_encoder
from eatlas_workbench.replication.recipe import Vectors

WORDS = {"up": [1.0, 0.0], "down": [0.0, 1.0]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    made = {name: make_model(folder / name, name) for name in ("bert", "gpt2", "t5", "llama")}
    return {**made, "clip": make_towers(folder / "clip", "clip")}


def test_families_are_told_by_files_and_not_by_names(folders, tmp_path):
    eatlas.write_vectors("glove-sample", tmp_path / "gpt2.txt")
    for spec, family in (
        (WORDS, "static"), (tmp_path / "gpt2.txt", "static"), ("cbow:glove-sample", "static"),
        (lambda texts: np.ones((len(texts), 2)), "texts"),
        (f"hf:{folders['bert']}", "masked"), (str(folders["gpt2"]), "causal"),
        (f"hf:{folders['llama']}?layer=1", "causal"), (f"hf:{folders['t5']}", "encoder-decoder"),
        (f"clip:{folders['clip']}", "image-text"),
    ):  # fmt: skip
        assert family_of(spec) == family, spec


def test_models_of_images_alone_are_refused(tmp_path):
    with pytest.raises(EatlasError, match="this model only encodes images"):
        family_of(f"hf:{make_backbone(tmp_path / 'vit', 'vit')}")


def test_a_source_gets_the_scheme_and_the_options_of_the_recipe(folders):
    taken = Vectors(options={"level": "sentence", "pool": "last", "special_tokens": "no"})
    model = MeasuredModel("m", "m", "causal", spec=f"hf:{folders['gpt2']}?precision=float16")
    text = open_encoder(model, taken)
    assert text.endswith("?precision=float16&level=sentence&pool=last&special_tokens=no")
    encoding = eatlas.open_vectors(text).encoding
    assert (encoding.pool, encoding.special_tokens, encoding.precision) == (
        "last",
        False,
        "float16",
    )
    other = MeasuredModel("m", "m", "causal", spec=f"hf:{folders['gpt2']}?pool=mean")
    with pytest.raises(EatlasError, match="the recipe takes pool=last") as refused:
        open_encoder(other, taken)
    assert refused.value.got == "pool=mean"
    means = Vectors(scheme="cbow:", options={"punctuation": "yes"})
    assert open_encoder(MeasuredModel("m", "m", "static", spec="a.txt"), means) == (
        "cbow:a.txt?punctuation=yes"
    )
    assert open_encoder(MeasuredModel("m", "m", "static", spec="cbow:a.txt"), means) == (
        "cbow:a.txt?punctuation=yes"
    )
    source = open_encoder(MeasuredModel("m", "m", "static", spec=WORDS), means)
    assert (source.name, source.punctuation) == ("cbow:dict?punctuation=yes", True)


def test_a_model_in_memory_gets_the_options_of_the_recipe(folders):
    from transformers import AutoModel, AutoTokenizer

    folder = folders["bert"]
    pair = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    taken = Vectors(options={"level": "sentence", "pool": "first", "special_tokens": "no"})
    source = open_encoder(MeasuredModel("m", "m", "masked", spec=pair), taken)
    of_file = eatlas.open_vectors(f"hf:{folder}?pool=first&special_tokens=no")
    texts = {"This is an aster.", "This is New York."}
    for text, vector in source.lookup(texts).items():
        assert vector == pytest.approx(of_file.lookup({text})[text], abs=1e-6)
    with pytest.raises(EatlasError, match="a recipe cannot use this object"):
        open_encoder(MeasuredModel("m", "m", "masked", spec=of_file), taken)


@pytest.mark.parametrize(
    ("paper", "name", "source", "table", "what", "got"),
    [
        ("ml-eat", "mine", "glove-sample", 5,
         "Table 5: GPT-2 Base takes last token of a causal language model", "mine is vectors of words"),
        ("ml-eat", "mine", "hf:{bert}", 5, "without special tokens; nothing is subtracted (section",
         "mine is a masked language model, such as BERT"),
        ("ml-eat", "mine", "hf:{gpt2}", 9, "Table 9: CLIP-ViT-B32 takes texts and images in one space",
         "mine is a causal language model, such as GPT-2"),
        ("ml-eat", "mine", "clip:{clip}", 1, "its row of the embedding (utils.py)",
         "mine is a model of texts and images in one space, such as CLIP"),
        ("ml-eat", "mine", "glove-sample", "figure-3", "Figure 3: math and arts in HistWords takes",
         "mine: vectors without a year"),
        ("ml-eat", "gpt2", "glove-sample", None, "gpt2 is a causal language model", "vectors of words"),
        ("ml-eat", "glove-840b", "glove-sample", 5, "no number of glove-840b is in Table 5", None),
        ("ml-eat", "mine", "hf:{t5}", None, "Table 1: GloVe takes vectors of words",
         "mine is an encoder-decoder, such as T5"),
        ("divdist", "mine", "glove-sample", 4, "no number of Table 4: human and automated",
         "it needs the judgments of people"),
        ("divdist", "mine", "glove-sample", 6, "Table 6: amplification compares stages of a model",
         "mine, which is one source"),
        ("divdist", "mine", "hf:{bert}", 3, "takes vectors of words, or counts of contexts: cosine with",
         "mine is a masked language model, such as BERT"),
        ("divdist", "mine.L1", "glove-sample", 3, "of professions compares no stages of a model",
         "mine.L1"),
        ("mind-your-bias", "mine", "glove-sample", None,
         "Table 3: replications takes vectors of sentences", "mine is vectors of words"),
        ("mind-your-bias", "mine", "hf:{bert}", "results-ceat-reddit",
         "CEAT on Reddit can be measured by eatlas", "comments of Reddit cannot be had"),
    ],
)  # fmt: skip
def test_refusals_are_sentences_of_the_recipe(paper, name, source, table, what, got, folders):
    with pytest.raises(EatlasError) as refused:
        eatlas.replicate(paper, {name: source.format(**folders)}, table=table)
    assert what in refused.value.what
    assert refused.value.got == got or refused.value.got.startswith(got)


def test_a_tokenizer_without_cls_is_refused_before_any_work(folders, tmp_path):
    """As the text of SEAT has it; its code takes the first piece of any."""
    from transformers import AutoTokenizer

    folder = tmp_path / "bare"
    make_model(folder, "bert")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.save_pretrained(folder)
    assert innermost(eatlas.open_vectors(f"hf:{folders['bert']}")).adds_cls
    assert not innermost(eatlas.open_vectors(f"hf:{folder}?pool=mean")).adds_cls
    with pytest.raises(EatlasError) as refused:
        eatlas.replicate("seat", {"mine": f"hf:{folder}"}, table=4, follow="paper")
    assert refused.value.got == "mine: a model whose tokenizer adds none"
    assert refused.value.allowed == "a tokenizer that adds [CLS]"


def test_other_mistakes():
    for arguments, what in (
        ({"name": "mleat"}, "no paper 'mleat' is known; did you mean ml-eat?"),
        ({"name": "seat", "follow": "book"}, "a recipe follows the code or the paper"),
        ({"name": "seat", "workers": 0}, "the number of workers"),
        ({"name": "seat", "table": 9}, "SEAT has no table '9' here"),
    ):
        with pytest.raises(EatlasError) as refused:
            eatlas.replicate(**arguments)
        assert what in refused.value.what
    with pytest.raises(SourceError, match=r"no-such.txt"):
        eatlas.replicate("ml-eat", {"mine": "no-such.txt"})
