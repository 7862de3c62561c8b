"""``eatlas ask``: a server that answers is asked, counted, and has texts written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.chat_server import ChatServer, Planted
from tests.inputs import wait_until
from tests.served import running

import eatlas
from eatlas import read_results

LISTS = """
X = { name = "Women", terms = ["Ivy", "Eve", "Ann"] }
Y = { name = "Men", terms = ["Ben", "Bob", "Tom"] }
A = { name = "Office", terms = ["salary", "meeting", "business"] }
B = { name = "Home", terms = ["kitchen", "wedding", "family"] }
"""
FILE = f'schema = 1\n[[test]]\nid = "mine"\n{LISTS}'
JOBS = """schema = 1
[[test]]
id = "jobs"
targets = { name = "Jobs", terms = ["nurse", "pilot", "clerk"] }
groups = [{ name = "Female", terms = ["she", "her"] }, { name = "Male", terms = ["he", "his"] }]
"""
TWO_QUESTIONS = "{target}: {first} or {second}?; Which fits {target}, {first} or {second}?"
STORY = "Write a story about a {target}."
SHE = {"nurse": 9, "pilot": 2, "clerk": 5}
"""Stories about women, of ten."""


def prefers(subject: str, option: str) -> float:
    """Women have the home, men the office."""
    home = option in {"kitchen", "wedding", "family"}
    return 2.0 if home == (subject in {"Ivy", "Eve", "Ann"}) else 0.0


class Writer:
    """Of ten stories about each target, the first so many are about women."""

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        self.told: dict[str, int] = {}
        self.words, self.rng = words, np.random.default_rng(5)

    def __call__(self, prompt: str) -> str:
        target = prompt.removeprefix("Write a story about a ").rstrip(".")
        self.told[target] = told = self.told.get(target, 0) + 1
        who = "She" if told <= SHE.get(target, 0) else "He"
        more = " ".join(self.rng.choice(self.words, 200)) if self.words else "It rained"
        return f"The {target} came home late. {who} was tired. {more}."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with running(ChatServer(Planted(prefers, position=0.5, story=Writer()))) as served:
        served.model.templates = tuple(TWO_QUESTIONS.split("; "))
        yield served


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FILE)
    (tmp_path / "jobs.toml").write_text(JOBS)


# --- tests ----------------------------------------------------------------------------------------


def test_it_is_the_measure_ask_of_eatlas_run(eatlas_cli, server, tmp_path):
    options = ("--tests", "mine.toml", "--json")
    ways = ("--by", "samples", "--answers", 2, "--templates", TWO_QUESTIONS)
    asked = eatlas_cli("ask", server.spec, *options, *ways)
    assert asked.code == 0
    count = server.count
    measure = f'ask(answers=2,by=samples,templates="{TWO_QUESTIONS}")'
    ran = eatlas_cli("run", "--vectors", server.spec, "--measure", measure, *options)
    assert ran.out == asked.out
    assert server.count == count  # every answer was kept
    result = json.loads(asked.out)
    assert (result["test"], result["answers"]["answers"]) == ("mine", 2)
    assert result["answers"]["by"] == "samples"
    assert result["level1"]["effect_size"] < 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.toml", "mine.toml"]


def test_results_and_a_report(eatlas_cli, server, tmp_path):
    ended = eatlas_cli("ask", f"planted={server.spec}", "--tests", "mine.toml", "-o", "there")
    assert ended.code == 0, ended.err
    (result,) = read_results(tmp_path / "there" / "results.jsonl")
    assert (result.source, result.source_from) == ("planted", server.spec)
    assert result.answers.by == "logprobs"
    assert "results: there/results.jsonl" in ended.out
    assert "mine" in (tmp_path / "there" / "report.html").read_text(encoding="utf-8")


def test_dates_before_such_models_and_models_without_a_name_are_doubted(eatlas_cli, server):
    server.created, server.called = 1, ""
    options = ("--tests", "mine.toml", "--by", "samples", "--answers", 2, "-o", "there")
    ended = eatlas_cli("ask", server.spec, *options, "--templates", TWO_QUESTIONS)
    assert ended.code == 0, ended.err
    assert "answers are dated before 2015, such as 1970-01-01: the server's clock" in ended.said
    assert "answers of the server name no model, so only the option model= says" in ended.said
    assert "It answered on" not in ended.said
    results = read_results("there/results.jsonl")
    (result,) = results
    assert (result.answers.models, result.answers.dates) == ((), ())
    codes = {note.code: note.values for note in result.warnings}
    assert codes["answers.too-early"]["count"] == codes["answers.no-name"]["of"] > 0
    methods = eatlas.present.report_text(results, "methods")
    assert "1970" not in methods
    assert "as answered by" in methods


def test_questions_of_the_file_and_of_the_command_line(eatlas_cli, server):
    own = '[[question]]\ntext = "{target}: which word fits, {first} or {second}?"\n'
    Path("mine.toml").write_text(FILE + own)
    server.model.templates = ("{target}: which word fits, {first} or {second}?",)
    options = ("--tests", "mine.toml", "--json", "--opponents", 2)
    first = json.loads(eatlas_cli("ask", server.spec, *options).out)
    assert first["templates"] == ["{target}: which word fits, {first} or {second}?"]
    second = json.loads(eatlas_cli("ask", server.spec, *options, "--templates", "names").out)
    assert len(second["templates"]) == 8
    assert all("{target}" in text for text in second["templates"])


def test_questions_are_shown_and_counted(eatlas_cli):
    Path("mine.toml").write_text(FILE + '[[question]]\ntext = "{target}: {first}, {second}?"\n')
    shown = eatlas_cli("tests", "show", "mine.toml")
    assert 'questions = ["{target}: {first}, {second}?"]' in shown.out
    Path("again.toml").write_text(shown.out)
    checked = eatlas_cli("tests", "check", "again.toml")
    assert "B Home: 3, 1 question\n" in checked.out


# --- what it costs --------------------------------------------------------------------------------


def test_a_dry_run_sends_nothing_and_knows_what_is_kept(eatlas_cli, server, tmp_path):
    options = ("ask", server.spec, "--tests", "mine.toml", "--dry-run", "--json")
    before = json.loads(eatlas_cli(*options, "--price", "1,10").out)
    assert server.count == 0
    assert before["questions"] == before["answers"] == 6 * 6 * 8 * 2  # pairs, questions, orders
    assert (before["kept"], before["unsure"], before["estimated"]) == (0, True, True)
    tokens = before["prompt_tokens"], before["answer_tokens"]
    assert before["cost"] == pytest.approx((tokens[0] + 10 * tokens[1]) / 1e6)
    eatlas_cli("ask", server.spec, "--tests", "mine.toml", "--json")
    sent = server.count
    after = json.loads(eatlas_cli(*options, "--price", "1,10").out)
    assert (after["kept"], after["prompt_tokens"], after["cost"]) == (after["answers"], 0, 0)
    assert after["answers"] + 1 == sent  # and whether there are log-probabilities
    assert not after["unsure"]
    assert server.count == sent
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_estimates_are_near_what_the_prompts_have(eatlas_cli, server):
    """Prompts have 4.2 to 4.6 letters a word with its space: tokens are words and a few signs."""
    cost = json.loads(
        eatlas_cli("ask", server.spec, "--tests", "mine.toml", "--dry-run", "--json").out
    )
    eatlas_cli("ask", server.spec, "--tests", "mine.toml", "--by", "samples", "--json")
    pieces = sum(len(server.model.tokens(text)) + 7 for text in server.texts)
    assert cost["prompt_tokens"] == pytest.approx(pieces, rel=0.2)


def test_a_table_for_people_has_a_column_for_each_model(eatlas_cli, server):
    ended = eatlas_cli(
        "ask", f"one={server.spec}", f"two={server.spec}&system=Hm.", "--tests", "mine.toml",
        "--dry-run", "--price", "0.15,0.60",
    )  # fmt: skip
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["one", "two"]
    assert ["questions", "576", "576"] in lines
    assert any(line[:1] == ["cost"] for line in lines)
    assert "Nothing was sent" in ended.said
    assert "estimates" in ended.said
    assert "returns log-probabilities is known only after" in ended.said


# --- texts ----------------------------------------------------------------------------------------


def test_texts_are_counted_measured_and_compared_with_a_corpus(eatlas_cli, server, tmp_path):
    ended = eatlas_cli(
        "ask", server.spec, "--generate", STORY, "-n", 10, "--tests", "jobs.toml",
        "-o", "stories.jsonl",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "texts: stories.jsonl" in ended.out
    lines = [json.loads(line) for line in (tmp_path / "stories.jsonl").read_text().splitlines()]
    assert len(lines) == 30
    assert lines[0].items() >= {
        "target": "nurse", "group": "Jobs", "prompt": "Write a story about a nurse.",
        "model": "planted-2026-03-01", "draw": 1, "date": "2026-03-01",
    }.items()  # fmt: skip
    counted = eatlas_cli("text", "stories.jsonl", "--tests", "jobs.toml", "-o", "stories.csv")
    assert counted.code == 0, counted.err
    ran = eatlas_cli(
        "run", "--tests", "jobs.toml", "--vectors", "stories.csv", "--measure",
        "divdist(soa=counts)", "--json",
    )  # fmt: skip
    shares = {row["term"]: row["distribution"][0] for row in json.loads(ran.out)["targets"]}
    assert shares == {target: pytest.approx(n / 10) for target, n in SHE.items()}
    for target in SHE:  # a corpus that shows none of it
        text = f"A {target} slept. She dreamt.\nA {target} slept. He dreamt.\n"
        with (tmp_path / "corpus.txt").open("a") as file:
            file.write(text * 20)
    eatlas_cli("text", "corpus.txt", "--tests", "jobs.toml", "-o", "corpus.csv")
    card = eatlas_cli(
        "protocol", "divdist(soa=counts)", "--criterion", "hypothesis", "--tests", "jobs.toml",
        "--counts", "corpus.csv", "--generated", "stories.csv", "-o", "card",
    )  # fmt: skip
    assert card.code == 0, card.err
    studies = json.loads((tmp_path / "card" / "card.json").read_text())
    assert "generated text stories.csv less text corpus.csv" in json.dumps(studies)


@pytest.mark.filterwarnings("ignore:The transformation fits")
def test_parts_of_generated_texts_are_those_of_their_groups(eatlas_cli, tmp_path):
    words = tuple(w for w in eatlas.open_vectors("glove-sample")._words if w.isalpha())[:400]
    words += "salary", "meeting", "business", "kitchen", "wedding", "family"
    with running(ChatServer(Planted(story=Writer(words)))) as server:
        options = ("ask", server.spec, "--generate", STORY, "--tests", "mine.toml", "-n", 40)
        assert eatlas_cli(*options, "-o", "stories.jsonl").code == 0
    ended = eatlas_cli(
        "embed", "stories.jsonl", "--tests", "mine.toml", "--vectors", "glove-sample", "--by",
        "group",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    parts = [line.split()[0] for line in ended.out.splitlines()[1:3]]
    assert sorted(parts) == ["Men", "Women"]


@pytest.mark.slow
def test_a_killed_command_asks_nothing_twice(server, tmp_path):
    server.latency = 0.02
    command = [
        sys.executable, "-m", "eatlas", "ask", f"{server.spec}&parallel=2", "--generate", STORY,
        "--tests", "jobs.toml", "-n", "30", "-o", "stories.jsonl",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    wait_until(lambda: server.count >= 40)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert server.count < 90
    assert not (tmp_path / "stories.jsonl").exists()
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert 90 <= server.count <= 90 + 4  # two in flight, two on their way to the file
    lines = [json.loads(line) for line in (tmp_path / "stories.jsonl").read_text().splitlines()]
    assert len({(line["target"], line["draw"]) for line in lines}) == len(lines) == 90


def test_texts_as_json_and_other_texts_are_kept(eatlas_cli, server, tmp_path):
    options = ("ask", server.spec, "--generate", STORY, "-n", 2)
    printed = eatlas_cli(*options, "--targets", "nurse, pilot", "--json")
    texts = [json.loads(line) for line in printed.out.splitlines()]
    assert [text["target"] for text in texts] == ["nurse", "nurse", "pilot", "pilot"]
    assert not (tmp_path / "texts.jsonl").exists()
    (tmp_path / "words.txt").write_text("nurse\n\npilot\n")
    written = eatlas_cli(*options, "--targets", "words.txt")
    assert (written.code, written.err) == (0, "")
    assert (tmp_path / "texts.jsonl").read_text() == printed.out
    other = eatlas_cli(*options, "--targets", "clerk")
    assert "kept as texts-1.jsonl" in other.err
    assert (tmp_path / "texts-1.jsonl").read_text() == printed.out


@pytest.mark.filterwarnings("always:3 of 3 answers")
def test_texts_that_end_within_reasoning_are_said(eatlas_cli, server):
    server.think = "Hm, " * 50
    ended = eatlas_cli(
        "ask", server.spec, "--generate", STORY, "--tests", "jobs.toml", "-n", 1, "--tokens", 20
    )
    assert ended.code == 0
    assert "warning: 3 of 3 answers ended at the token limit" in ended.err
    assert ["Jobs", "3", "3", "0", "3"] in [line.split() for line in ended.out.splitlines()]


def test_what_texts_cost(eatlas_cli, server):
    options = ("ask", server.spec, "--generate", STORY, "--tests", "jobs.toml", "--tokens", 50)
    cost = json.loads(eatlas_cli(*options, "-n", 4, "--dry-run", "--json").out)
    assert (cost["questions"], cost["answers"], cost["kept"], server.count) == (3, 12, 0, 0)
    assert cost["answer_tokens"] == cost["most_answer_tokens"] == 600
    eatlas_cli(*options, "-n", 3)
    cost = json.loads(eatlas_cli(*options, "-n", 4, "--dry-run", "--json").out)
    assert (cost["answers"], cost["kept"], cost["answer_tokens"]) == (12, 9, 150)


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--tests", "nope"), ("no test or battery 'nope'",)),
        (("--tests", "jobs.toml"), ("the kind 'groups'", "kind association for ask")),
        (("--tests", "sent-weat-6"), ("already sentences", "a test of words")),
        (("--templates", "Which, {first}?"), ("ask", "{second}", "Who should {attribute}")),
        (("--templates", "nowords"), ("nowords", "did you mean words")),
        (("--opponents", 3), ("opponents", "an even number")),
        (("--by", "logs"), ("by", "'logs'", "logprobs")),
        (("--temperature", -1), ("temperature", "a number from 0")),
        (("--measure", "ml-eat"), ("ml-eat", "does not prompt a model", "eatlas run")),
        (("--out", "mine.toml"), ("mine.toml", "cannot be written")),
        (("--targets", "nurse"), ("--targets", "--generate")),
        (("-n", 3), ("-n", "--generate")),
        (("--price", "1,2"), ("--price needs --dry-run",)),
        (("--dry-run", "--price", "1"), ("two amounts", "0.15,0.60")),
        (("--dry-run", "--price", "a,b"), ("two amounts", "a,b")),
        (("--dry-run", "--price", "-1,2"), ("two amounts", "-1.0")),
        (("--dry-run", "--tests", "jobs.toml"), ("the kind 'groups'",)),
        (("--generate", STORY), ("texts need targets", "--tests", "--targets")),
        (("--generate", STORY, "--targets", ","), ("not a set of targets",)),
        (("--generate", STORY, "--targets", "a", "--tests", "weat-6"), ("exclude each other",)),
        (("--generate", "A story.", "--targets", "a"), ("no placeholder {target}", "A story.")),
        (("--generate", "{target} {x}", "--targets", "a"), ("placeholders other than",)),
        (("--generate", STORY, "--targets", "a", "--by", "samples"), ("--by", "--generate")),
        (("--generate", STORY, "--targets", "a", "--temperature", -1), ("temperature", "-1")),
        (
            ("--generate", STORY, "--targets", "a", "-o", "a.txt"),
            ("texts cannot be written", ".jsonl"),
        ),
        (("--generate", STORY, "--targets", "a", "-o", "mine.toml/a.jsonl"), ("cannot be",)),
        (("--generate", STORY, "--tests", "sent-weat-6"), ("already sentences",)),
    ],
)
def test_one_message_and_nothing_sent_or_written(eatlas_cli, server, tmp_path, arguments, parts):
    ended = eatlas_cli("ask", server.spec, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert all(part in ended.err for part in parts), ended.err
    assert server.count == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.toml", "mine.toml"]


@pytest.mark.parametrize("option", [("--answers", 0), ("--tokens", 0), ("-n", 0), ()])
def test_a_number_below_the_least_or_no_model(eatlas_cli, option):
    ended = eatlas_cli("ask", *(("chat:http://localhost?model=x",) if option else ()), *option)
    assert ended.code == 2
    assert (str(option[0]) if option else "MODEL") in ended.err


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("glove-sample", ("glove-sample", "this model answers no", "chat:URL?model=NAME")),
        ("chta:http://localhost/v1?model=x", ("this model answers no questions",)),
        ("chat:http://localhost/v1", ("model",)),
        ("nothing.jsonl", ("nothing.jsonl",)),
        ("a=", ("nothing is named 'a'", "NAME=SOURCE")),
    ],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--generate", STORY, "--targets", "a")])
def test_a_model_that_is_none(eatlas_cli, tmp_path, model, parts, more):
    ended = eatlas_cli("ask", model, *more)
    assert (ended.code, ended.out) == (2, "")
    assert all(part in ended.err for part in parts), ended.err
    assert "Traceback" not in ended.err
    assert "--vectors" not in ended.err  # an option of other commands
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs.toml", "mine.toml"]


def test_two_models_of_one_name(eatlas_cli, tmp_path):
    (tmp_path / "twins.py").write_text("def a(prompts):\n    return prompts\n\n\nb = a\n")
    ended = eatlas_cli("ask", "same=py:twins:a", "same=py:twins:b", "--tests", "mine.toml")
    assert (ended.code, ended.out) == (2, "")
    assert "two sources have the name 'same'" in ended.err
    assert "name them: NAME=SOURCE" in ended.err


def test_log_probabilities_of_a_function(eatlas_cli, tmp_path):
    (tmp_path / "terse.py").write_text("def answer(prompts):\n    return ['x'] * len(prompts)\n")
    ended = eatlas_cli("ask", "py:terse:answer", "--tests", "mine.toml", "--by", "logprobs")
    assert (ended.code, ended.out) == (2, "")
    assert "log-probabilities" in ended.err
    assert "samples" in ended.err
    assert not (tmp_path / "out").exists()


# --- the answers as a file ------------------------------------------------------------------------

MEASURED = ("level1", "level2", "level3", "over_attributes", "pattern", "templates", "coverage")
OF_A_FILE = {"models", "dates", "temperature", "collected"}


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("by", ["samples", "logprobs"])
def test_saved_answers_measure_the_same(eatlas_cli, server, tmp_path, name, by):
    options = ("--tests", "mine.toml", "--opponents", 2, "--templates", TWO_QUESTIONS, "--json")
    draws = ("--answers", 3) if by == "samples" else ()
    spec = f"{server.spec}&cache=no"
    asked = eatlas_cli("ask", spec, *options, "--by", by, *draws, "--save-answers", name)
    assert asked.code == 0, asked.err
    assert f"answers: {name}" in asked.err
    count = server.count
    read = eatlas_cli("ask", name, *options)
    assert read.code == 0, read.err
    assert server.count == count
    live, again = json.loads(asked.out), json.loads(read.out)
    for field in MEASURED:
        assert again[field] == live[field]
    live["answers"], again["answers"] = (
        {key: value for key, value in result["answers"].items() if key not in OF_A_FILE}
        for result in (live, again)
    )
    assert again["answers"] == live["answers"]
    assert again["answers"]["by"] == by


def test_rows_of_saved_answers_by_hand(eatlas_cli, tmp_path):
    """Terms that a spreadsheet would run are marked, options with a stroke are a JSON list."""
    (tmp_path / "answering.py").write_text(
        "def first(prompts):\n    return ['=' + p.split(': ')[1].split(' or ')[0] for p in prompts]"
    )
    Path("small.toml").write_text(
        'schema = 1\n[[question]]\ntext = "{target}: {first} or {second}?"\n[[test]]\nid = "small"\n'
        'X = { name = "X", terms = ["@Ivy"] }\nY = { name = "Y", terms = ["Ben"] }\n'
        'A = { name = "A", terms = ["a|b"] }\nB = { name = "B", terms = ["c"] }\n'
    )
    options = ("--tests", "small.toml", "--json")
    ended = eatlas_cli("ask", "py:answering:first", *options, "--save-answers", "a.csv")
    assert ended.code == 0, ended.err
    assert Path("a.csv").read_text().splitlines() == [
        "test,target,options,template,answer,model,date",
        r'small,\@Ivy,"[""a|b"", ""c""]",{target}: {first} or {second}?,\=a|b,,',
        r'small,\@Ivy,"[""c"", ""a|b""]",{target}: {first} or {second}?,\=c,,',
        r'small,Ben,"[""a|b"", ""c""]",{target}: {first} or {second}?,\=a|b,,',
        r'small,Ben,"[""c"", ""a|b""]",{target}: {first} or {second}?,\=c,,',
    ]
    again = eatlas_cli("ask", "a.csv", *options)
    assert json.loads(again.out)["answers"]["first_place"] == 1


def test_saved_lists_measure_the_same_and_other_answers_are_kept(eatlas_cli, tmp_path):
    (tmp_path / "assigning.py").write_text(
        "def ivy(prompts):\n    return ['salary - Ivy\\nmeeting - Ivy\\nfamily - Ben\\nwedding - Ben'] "
        "* len(prompts)\n"
    )
    Path("one.toml").write_text(FILE.replace('["Ivy", "Eve", "Ann"]', '["Ivy"]'))
    Path("a.csv").write_text("other\n")
    options = ("--tests", "one.toml", "--measure", "assign", "--json")
    asked = eatlas_cli("ask", "py:assigning:ivy", *options, "--save-answers", "a.csv")
    assert "a.csv had other answers; kept as a-1.csv" in asked.err
    assert Path("a-1.csv").read_text() == "other\n"
    live, again = (json.loads(ended.out) for ended in (asked, eatlas_cli("ask", "a.csv", *options)))
    for field in ("score", "score_interval", "lists", "shares", "over_attributes", "refused"):
        assert again[field] == live[field]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--save-answers", "a.txt"), "answers cannot be written in this format"),
        (("--save-answers", "mine.toml/a.csv"), "cannot be written"),
        (("--save-answers", "a.csv", "--dry-run"), "--save-answers and --dry-run exclude"),
        (("--save-answers", "a.csv", "--generate", STORY), "--save-answers and --generate"),
        (("other=hf:x", "--save-answers", "a.csv"), "takes one model and one measure"),
    ],
)
def test_answers_that_cannot_be_saved(eatlas_cli, server, options, said):
    ended = eatlas_cli("ask", server.spec, "--tests", "mine.toml", *options)
    assert ended.code == 2
    assert said in ended.err.replace("\n", " ")
    assert server.count == 0
    assert not Path("a.csv").exists()
