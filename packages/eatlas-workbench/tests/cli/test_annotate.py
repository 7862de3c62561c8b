"""``eatlas annotate``: what is printed and written, and what is refused."""

import csv
import json
import os
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"On day {i} the {job} came and {who} read."
        for job in ("nurse", "pilot")
        for i, who in enumerate(("she", "he", "nobody", "mother", "father"))
    ]
    (tmp_path / "corpus.txt").write_text("\n".join(lines))
    return tmp_path


@pytest.fixture
def sampled(folder, eatlas_cli):
    eatlas_cli("contexts", "corpus.txt", "--tests", "divdist-face-validity", "-o", "contexts.jsonl")
    return eatlas_cli("annotate", "sample", "contexts.jsonl", "--tests", "divdist-face-validity")


def table_of(name):
    return list(csv.DictReader(Path(name).read_text(encoding="utf-8").splitlines()))


def labelled(name, choose):
    """A copy of the items, filled in."""
    rows = table_of("items.csv")
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(row | {"label": choose(row["text"])} for row in rows)


def by_words(text):
    return "Female" if "she" in text or "mother" in text else "Male" if " he " in text else "none"


def test_the_whole_way_from_a_corpus_to_a_result(sampled, eatlas_cli):
    assert sampled.code == 0
    assert sampled.out.splitlines() == [
        "10 contexts of 2 targets; labels: Female, Male, none, unclear",
        "with fewer than 20: nurse (5), pilot (5)",
        "without any context: carpenter, dancer, librarian, soldier, businessman, businesswoman",
        "",
        "items: items.csv",
        "label: eatlas annotate serve items.csv",
    ]
    labelled("Anna.csv", by_words)
    labelled("Ben.csv", lambda text: "Male" if "father" in text else by_words(text))
    done = eatlas_cli(
        "annotate", "read", "items.csv", "Anna.csv", "Ben.csv", "--counts", "counts.csv",
        "--ties", "ties.csv", "--labelled", "labelled.jsonl", "--contexts", "contexts.jsonl",
    )  # fmt: skip
    assert done.code == 0
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[0] == "divdist-face-validity: 10 contexts; labels of Anna 10, Ben 10"
    alpha = next(line for line in lines if line.startswith("Krippendorff's alpha"))
    # 8 of 10 agree; 8 Female, 6 Male and 6 none of 20 labels: 1 - 19 * 4 / (400 - 64 - 36 - 36)
    assert alpha.startswith(f"Krippendorff's alpha {1 - 19 * 4 / 264:.3f} [")
    assert alpha.endswith("10 with 2 labels or more")
    assert "contexts with one label: 8, by majority" in lines
    assert any(line.startswith("10 contexts with two labels are too few") for line in lines)
    assert "ties, not counted: 2" in lines
    assert [row["votes"] for row in table_of("ties.csv")] == ["Male 1, none 1"] * 2
    assert Path("counts.csv").read_text() == "term,Female,Male,total\nnurse,2,1,4\npilot,2,1,4\n"
    done = eatlas_cli(
        "run", "--tests", "divdist-face-validity", "--vectors", "counts.csv", "--measure",
        "divdist(soa=counts)", "--json",
    )  # fmt: skip
    found = json.loads(done.out.splitlines()[0])
    assert [one["association"] for one in found["targets"]] == [[2, 1], [2, 1]]
    ties = Path("ties.csv")
    ties.write_text(ties.read_text().replace(',,"Male', ',male,"Male'))
    done = eatlas_cli(
        "annotate", "read", "items.csv", "Anna.csv", "Ben.csv", "--decisions", "ties.csv"
    )
    assert "contexts with one label: 10, by majority, 2 by decision" in done.out
    assert "ties, not counted" not in done.out


@pytest.mark.parametrize(("arguments", "said"), [
    (("sample", "contexts.jsonl", "--tests", "weat-6"), "labels need the groups of one test"),
    (("sample", "contexts.jsonl", "--tests", "divdist-gender", "-o", "x.txt"), "items can only be written as CSV"),
    (("sample", "contexts.jsonl", "--tests", "divdist-gender", "--per-target", "0"), "Invalid value for '--per-target'"),
    (("read", "items.csv", "wrong.csv"), "1 labels are not groups"),
    (("read", "items.csv", "items.csv", "--counts", "items.csv"), "writing would destroy it"),
    (("read", "items.csv", "items.csv", "--labelled", "x.jsonl"), "--labelled and --contexts need each other"),
    (("read", "corpus.csv"), "the table cannot be read"),
    (("serve", "items.csv", "--guide", "absent.txt"), "the guide cannot be read"),
])  # fmt: skip
def test_mistakes_end_with_a_message_and_write_nothing(
    sampled, folder, eatlas_cli, arguments, said
):
    labelled("wrong.csv", lambda text: "Woman" if "day 0 the nurse" in text else "Male")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = eatlas_cli("annotate", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    "command",
    [
        "annotate read items.csv pipe.csv",
        "annotate read items.csv pipe.jsonl",
        "annotate read items.csv Anna.csv Ben.csv --decisions pipe.csv",
        "annotate serve items.csv --guide pipe.csv",
        "annotate sample contexts.csv --tests divdist-face-validity -o other.csv",
        "protocol divdist --labels pipe.jsonl",
    ],
)
def test_what_would_never_end_is_refused(sampled, folder, eatlas_cli, command):
    for name in ("pipe.csv", "pipe.jsonl", "contexts.csv.json"):
        os.mkfifo(name)
    Path("contexts.csv").write_text("stimulus,text,start,end\n", encoding="utf-8")
    for name in ("Anna.csv", "Ben.csv"):
        labelled(name, by_words)
    ended = eatlas_cli(*command.split())
    assert ended.code == 2
    assert "this is neither a file nor a folder" in ended.err
