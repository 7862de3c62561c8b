"""Items are sampled, labels read back and adjudicated; what people do wrong is named."""

import csv
import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotation.conftest import HOSTILE, TEST, context

import eatlas
from eatlas.errors import EatlasError, SourceError, UndefinedWarning
from eatlas_corpora.reading import Contexts
from eatlas_workbench.annotation.items import LabelJournal, journal_of, labels_by_annotator, replay
from eatlas_workbench.annotation.labels import FEWEST


def fill(sheet, path, labels, delimiter=","):
    """A copy of the sheet as a spreadsheet saves it."""
    rows = list(csv.DictReader(sheet.read_text(encoding="utf-8").splitlines()))
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, rows[0], delimiter=delimiter)
        table.writeheader()
        for row, label in zip(rows, labels, strict=False):
            table.writerow(row | {"label": label})
    return path


def test_a_sample_is_random_and_its_first_are_a_smaller_one(contexts):
    whole = eatlas.sample_items(contexts, TEST)
    assert whole.targets == {"dancer": 4, "nurse": 5, "pilot": 4}
    assert whole.absent == ("carpenter", "librarian", "soldier", "businessman", "businesswoman")
    turned = Contexts.of(list(reversed(contexts.rows)))
    for n in (1, 2, 3):
        few = eatlas.sample_items(contexts, TEST, per_target=n)
        assert set(few.targets.values()) == {n}
        assert set(few.by_id) < set(whole.by_id)
        assert eatlas.sample_items(turned, TEST, per_target=n).rows == few.rows
    other = eatlas.sample_items(contexts, TEST, per_target=1, seed=1)
    assert other.rows != eatlas.sample_items(contexts, TEST, per_target=1).rows
    order = whole.order_of("Anna")
    assert whole.order_of("Anna") == order != whole.order_of("Ben")
    assert set(order) == set(whole.by_id)
    assert eatlas.sample_items(contexts, TEST, seed=1).order_of("Anna") != order


def test_a_sheet_comes_back_and_holds_no_formula(items, sheet):
    back = eatlas.load_items(sheet)
    assert (back.rows, back.groups, back.sha256) == (items.rows, items.groups, items.sha256)
    assert back.provenance["contexts_sha256"] == items.provenance["contexts_sha256"]
    odd = Contexts.of(
        [context("nurse", text) for text in ("=1+1 nurse", 'nurse,\n"x"; y', HOSTILE)]
    )
    items = eatlas.sample_items(odd, TEST)
    items.write(sheet)
    assert "\\=1+1 nurse" in sheet.read_text(encoding="utf-8")
    assert set(eatlas.load_items(sheet).rows) == set(items.rows)


NAMED = eatlas.GroupsTest(
    targets={"Jobs": ["nurse"]}, groups={"none": ["she"], "Male": ["he"]}, reference="uniform"
)


@pytest.mark.parametrize(
    ("test", "options", "said"),
    [
        ("weat-6", {}, "labels need the groups of one test"),
        ("divdist", {}, "labels need the groups of one test"),
        (TEST, {"per_target": 0}, "per_target is not usable\n  got: 0"),
        ("divdist-gender", {}, "no target has a context\n  got: none of"),
        (NAMED, {}, "its groups cannot be used as labels"),
    ],
)
def test_sampling_refuses(test, options, said):
    alone = Contexts.of([context("ivy", "The ivy grows.")])
    with pytest.raises(EatlasError, match=said):
        eatlas.sample_items(alone, test, **options)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_sheets_of_any_spreadsheet_are_read(items, sheet, tmp_path, delimiter):
    path = fill(
        sheet, tmp_path / "Anna.csv", ["female", " MALE ", "", "None"] + [""] * 9, delimiter
    )
    found = eatlas.read_labels(sheet, path)
    ids = [one.id for one in items]
    assert found.given == {"Anna": {ids[0]: "Female", ids[1]: "Male", ids[3]: "none"}}
    path.write_text(f"annotator,item,label\nAnna,{ids[0]},Female\nBen,{ids[0]},Male\n")
    several = {"Anna": {ids[0]: "Female"}, "Ben": {ids[0]: "Male"}}
    assert eatlas.read_labels(items, path).given == several


def test_labels_outside_the_groups_are_named_with_their_places(sheet, tmp_path):
    path = fill(sheet, tmp_path / "Anna.csv", ["Female", "Femal", "m"] + ["Male"] * 10)
    with pytest.raises(SourceError) as caught:
        eatlas.read_labels(sheet, path)
    assert str(caught.value).split("\n") == [
        "2 labels are not groups of divdist-face-validity",
        f"  got: {path}, line 3: 'Femal'; {path}, line 4: 'm'",
        "  allowed: Female, Male, none, unclear, or an empty cell",
        "  remedy: did you mean Female?",
    ]


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("x.csv", "item,label\nc0,Female\n", "line 2: there is no such item\n  got: 'c0'"),
        ("x.csv", "item,label\n\n,\n", "there are no labels\n  got: no label in any file"),
        ("x.csv", "item,who\nx,y\n", "the header has no label"),
        ("x.csv", "", "the header has no item, label\n  got: no header"),
        ("x.csv", "item,label\n{0},Female\n{0},Male\n", "gave the item c\\w+ two labels"),
        ("x.csv", "item,label\n{0},Female,5\n", "line 2: the row has more cells"),
        ("x.csv", b"item,label\n\xe9,1\n", "not UTF-8"),
        ("x.csv", b"PK\x03\x04...", "a workbook of a spreadsheet\n  remedy: save the sheet as CSV"),
        ("x.txt", "x", "not a file of labels"),
        ("absent.csv", None, "the table cannot be read"),
    ],
)
def test_what_else_people_do_wrong(items, sheet, tmp_path, name, text, what):
    path = tmp_path / name
    if text is not None:
        content = text if isinstance(text, bytes) else text.format(items.rows[0].id).encode()
        path.write_bytes(content)
    with pytest.raises(SourceError, match=what):
        eatlas.read_labels(sheet, path)
    with pytest.raises(SourceError, match="no file of labels next to the items"):
        eatlas.read_labels(sheet)


def test_changed_items_are_refused(sheet):
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(text.replace("day 1 the pilot", "day 9 the pilot"), encoding="utf-8")
    with pytest.raises(
        SourceError,
        match=r"its items differ from the sampled items\n  got: .*line \d+: 'On day 9",
    ):
        eatlas.load_items(sheet)
    sheet.write_text(text.rsplit("\n", 2)[0] + "\n", encoding="utf-8")
    with pytest.raises(SourceError, match="its items differ from the sampled items\n  got: 12"):
        eatlas.load_items(sheet)
    sheet.write_text(text, encoding="utf-8")
    beside = sheet.with_name("items.csv.json")
    beside.unlink()
    with pytest.raises(SourceError, match="keep both files in one folder"):
        eatlas.load_items(sheet)
    beside.write_text("[]")
    with pytest.raises(SourceError, match="groups of the items cannot be read"):
        eatlas.load_items(sheet)


def test_annotators_with_disjoint_items_have_no_agreement(items):
    ids = [one.id for one in items]
    labels = eatlas.read_labels(
        items, {"Anna": dict.fromkeys(ids[:5], "Female"), "Ben": dict.fromkeys(ids[5:], "Male")}
    )
    with pytest.warns(UndefinedWarning, match="no context has two labels; Anna, Ben labelled diff"):
        found = labels.agreement()
    assert found.alpha.value is found.kappa.value is found.pairs[0].kappa.value is None
    assert found.alpha.interval is None
    assert len(labels.adjudicated().labels) == 13  # each label is still one
    some = eatlas.read_labels(items, {**labels.given, "Cem": dict.fromkeys(ids[:4], "Male")})
    with pytest.warns(UndefinedWarning, match="in common: Anna and Ben, Ben and Cem"):
        assert some.agreement(resamples=0).compared == 4
    with pytest.warns(UndefinedWarning, match="only Anna labelled"):
        eatlas.read_labels(items, {"Anna": {ids[0]: "Male"}}).agreement()


def test_the_majority_decides_ties_are_listed_and_a_person_decides_them(items, tmp_path):
    ids = [one.id for one in items]
    votes = {
        "Anna": ("Female", "Female", "Female", "none"),
        "Ben": ("Female", "Male", "Male", "none"),
        "Cem": ("Male", "none", None, None),
    }
    given = {
        name: {i: label for i, label in zip(ids, some, strict=False) if label}
        for name, some in votes.items()
    }
    labels = eatlas.read_labels(items, given)
    found = labels.adjudicated()
    assert dict(found.labels) == {ids[0]: "Female", ids[3]: "none"}
    assert [(tie.item, dict(tie.votes)) for tie in found.ties] == [
        (ids[1], {"Female": 1, "Male": 1, "none": 1}), (ids[2], {"Female": 1, "Male": 1}),
    ]  # fmt: skip
    assert found.unlabelled == 9
    ties = tmp_path / "ties.csv"
    found.write_ties(ties)
    rows = ties.read_text(encoding="utf-8").replace(f"{ids[1]},,", f"{ids[1]},male,")
    ties.write_text(rows, encoding="utf-8")
    decided = labels.adjudicated(ties)
    assert decided.labels[ids[1]] == "Male"
    assert (decided.decided, len(decided.ties)) == (1, 1)
    assert labels.adjudicated({ids[0]: "none"}).labels[ids[0]] == "none"
    with pytest.raises(SourceError, match="labels are not groups"):
        labels.adjudicated({ids[0]: "Both"})
    with pytest.raises(SourceError, match="there is no such item"):
        labels.adjudicated({"c0": "Male"})


def test_what_is_unclear_is_counted_apart_and_never_as_a_group(items, tmp_path):
    ids = [item.id for item in items]
    votes = {
        "Anna": ("Female", "Female", "Male", "unclear", "unclear"),
        "Ben": ("Female", "Male", "Male", "unclear", "Female"),
    }
    labels = eatlas.read_labels(
        items, {n: dict(zip(ids, v, strict=False)) for n, v in votes.items()}
    )
    plain = {
        name: {item: label for item, label in given.items() if label != "unclear"}
        for name, given in labels.given.items()
    }
    found, without = labels.agreement(), eatlas.read_labels(items, plain).agreement()
    assert (found.alpha, found.kappa, found.pairs) == (without.alpha, without.kappa, without.pairs)
    assert [of.label for of in found.labels] == ["Female", "Male", "none"]
    assert (found.compared, found.unclear, without.unclear) == (3, {"Anna": 2, "Ben": 1}, {})
    assert found.doubt.startswith("3 contexts with two labels are too few to say how far people")
    with pytest.warns(UndefinedWarning):
        alone = eatlas.read_labels(items, {"Anna": plain["Anna"]}).agreement()
    assert "let a second person label them" in alone.doubt
    one = labels.adjudicated()
    assert dict(one.labels) == {ids[0]: "Female", ids[2]: "Male"}
    assert [dict(tie.votes) for tie in one.ties] == [
        {"Female": 1, "Male": 1}, {"Female": 1, "unclear": 1},
    ]  # fmt: skip
    assert (one.unclear, one.unlabelled) == ((ids[3],), 8)
    assert sum(map(sum, (row.values() for row in one.counts().rows.values()))) == 2
    decided = labels.adjudicated({ids[0]: "unclear", ids[4]: "Male"})
    assert decided.unclear == (ids[0], ids[3])
    assert decided.labels[ids[4]] == "Male"
    path = tmp_path / "counts.csv"
    one.write_counts(path)
    assert "unclear" not in path.read_text()
    for name in ("Unclear", "NONE"):
        test = eatlas.GroupsTest(
            targets={"Jobs": ["nurse"]}, groups={name: ["she"], "Male": ["he"]}, reference="uniform"
        )
        with pytest.raises(EatlasError, match="its groups cannot be used as labels"):
            eatlas.sample_items(Contexts.of([context("nurse", "A nurse.")]), test)


def test_enough_contexts_leave_no_doubt(items):
    some = eatlas.read_labels(items, {"Anna": {items.rows[0].id: "Male"}})
    with pytest.warns(UndefinedWarning):
        agreed = some.agreement(resamples=0)
    assert dataclasses.replace(agreed, compared=FEWEST).doubt == ""


def test_counts_are_a_source_and_what_was_not_seen_is_undefined(items, tmp_path):
    of = {"nurse": "Female", "pilot": "none"}
    given = {one.id: of[one.target] for one in items if one.target in of}
    found = eatlas.read_labels(items, {"Anna": given}).adjudicated()
    assert found.counts().rows == {
        "nurse": {"Female": 5, "Male": 0}, "pilot": {"Female": 0, "Male": 0},
    }  # fmt: skip
    path = tmp_path / "counts.csv"
    found.write_counts(path)
    assert path.read_text() == "term,Female,Male,total\nnurse,5,0,5\npilot,0,0,4\n"
    for source in (found.counts(), path):
        (result,) = eatlas.run(TEST, source, "divdist(soa=counts,resamples=20)")
        bias = {one.term: one.bias for one in result.targets}
        assert bias == {"nurse": 1.0, "pilot": None}
        assert any("Undefined bias of pilot" in note for note in map(str, result.warnings))
        assert "dancer" in result.coverage["targets"].missing


def test_labelled_contexts_come_back(contexts, items, tmp_path):
    given = {one.id: "Female" if "she" in one.text else "none" for one in items.rows[:9]}
    found = eatlas.read_labels(items, {"Anna": given}).adjudicated()
    labelled = found.labelled(contexts)
    assert len(labelled.labels) == 9
    assert labelled.sha256 != contexts.sha256
    labelled.write(tmp_path / "labelled.csv")
    back = eatlas.load_contexts(tmp_path / "labelled.csv")
    assert (back.labels, back.sha256) == (labelled.labels, labelled.sha256)
    with pytest.raises(SourceError, match="some labelled contexts are missing\n  got: [1-9]"):
        found.labelled(Contexts.of(contexts.rows[:3]))


acts = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 4), st.sampled_from(["Female", "none", None, "undo"])),
    max_size=30,
)  # fmt: skip


@settings(max_examples=15)
@given(acts, st.data())
def test_a_journal_is_what_was_done_however_it_ends(tmp_path_factory, acts, data):
    """Whatever byte a crash comes at, whole lines are kept, and the next call goes on."""
    rows = [context("nurse", f"nurse {i}") for i in range(5)]
    items = eatlas.sample_items(Contexts.of(rows), TEST)
    path = tmp_path_factory.mktemp("journal") / "labels.jsonl"
    expected = {"A": [], "B": []}
    states = [{"A": {}, "B": {}}]
    with LabelJournal(path, items) as journal:
        for name, i, what in acts:
            if what == "undo":
                undone = expected[name].pop()[0] if expected[name] else None
                assert journal.undo(name) == undone
            else:
                journal.label(name, items.rows[i].id, what)
                expected[name].append((items.rows[i].id, what or ""))
            states.append({who: dict(done) for who, done in expected.items()})
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with LabelJournal(path, items) as journal:
        assert {name: journal.labels_of(name) for name in "AB"} in states
        journal.label("A", items.rows[0].id, "Male")
    assert labels_in(path, items)["A"][items.rows[0].id] == "Male"


def labels_in(path, items):
    return labels_by_annotator(replay(path, items)[0])


def test_journals_of_others_and_damaged_ones_are_refused(items, contexts, sheet):
    path = journal_of(sheet)
    with LabelJournal(path, items) as journal:
        journal.label("Anna B", items.rows[0].id, "Male")
        with pytest.raises(EatlasError, match="another eatlas annotate serve is using this file"):
            LabelJournal(path, items)
    assert list(eatlas.read_labels(sheet).given) == ["Anna B"]
    other = eatlas.sample_items(contexts, TEST, per_target=1)
    with pytest.raises(SourceError, match="these labels belong to other items"):
        LabelJournal(path, other)
    good = path.read_text()
    for line, what in (
        ("{}", "line 3: not a record"), ("nonsense", "line 3: not a record"),
        ('{"annotator": "A", "item": "c0", "label": null}', "line 3: there is no such item"),
        (json.dumps({"annotator": "A", "item": items.rows[0].id, "label": "X"}), "are not groups of"),
        (json.dumps({"annotator": "\ud800", "item": items.rows[0].id, "label": "Male"}), "line 3: not"),
    ):  # fmt: skip
        path.write_text(f"{good}{line}\n")
        with pytest.raises(SourceError, match=what):
            eatlas.read_labels(sheet)
        with pytest.raises(SourceError, match=what):
            LabelJournal(path, items)
    path.write_text(good)
    LabelJournal(path, items).close()  # a refusal leaves no lock
