"""DivDist's tables against bare loops of numpy and scipy, written from the recipe."""

import csv

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from tests.inputs import optional_data, raw_google_news
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.errors import EatlasError
from eatlas.sources.download import find
from eatlas.sources.downloads import unpack
from eatlas_workbench.replication.models import counts_in

CLOSE = 1e-6
YEARS = range(1900, 1950, 10)
TESTS = {
    test.id: test
    for test in eatlas.load_tests(["divdist-code", "divdist-face-validity", "divdist"])
}
FACE = TESTS["divdist-face-validity-code"]
ROWS = (
    "Bolukbasi et al. (2016)", "Bolukbasi et al. (2016), PCA not centred", "Caliskan et al. (2017)",
    "Garg et al. (2018, cosine)", "Garg et al. (2018, euclidean)", "Manzini et al. (2019)",
    "Ethayarajh et al. (2019)", "Ethayarajh et al. (2019), PCA not centred", "Our Measure",
)  # fmt: skip


@pytest.fixture(scope="module")
def sample():
    """Every word of the tests that the bundled vectors have."""
    words = {term for test in TESTS.values() for term in test.terms}
    found = eatlas.open_vectors("glove-sample").lookup(words)
    return {word: np.asarray(vector, np.float64) for word, vector in found.items()}


@pytest.fixture(scope="module")
def censuses(tmp_path_factory):
    """Tables of made-up shares of all occupations in some years, by the names of the recipe."""
    folder, rng = tmp_path_factory.mktemp("census"), np.random.default_rng(44)
    files = {}
    for kind, groups in (("gender", ["Female", "Male"]), ("race", ["white", "hispanic", "asian"])):
        occupations = sorted(
            {
                *TESTS[f"divdist-{kind}-104"].targets.terms,
                *TESTS[f"divdist-{kind}-95"].targets.terms,
            }
        )
        files[f"census-{kind}"] = folder / f"{kind}.csv"
        with files[f"census-{kind}"].open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["Census year", "Occupation", "Total Weight", *groups, "black"])
            for year in (*YEARS, 2010):
                for term in occupations:
                    shares = rng.dirichlet([2.0] * len(groups)) * 0.9
                    rows.writerow([year, term, 100.0, *shares, 0.1])
    return files


def labour(file, groups):
    """How far the shares of some groups among themselves are from equal ones, by year and term."""
    by_year = {}
    with file.open() as lines:
        for row in csv.DictReader(lines):
            shares = np.array([float(row[group]) for group in groups])
            away = np.abs(shares / shares.sum() - 1 / len(groups)).sum()
            by_year.setdefault(int(row["Census year"]), {})[row["Occupation"]] = away
    return by_year


# --- the measures of Table 5, as sizes ------------------------------------------------------------


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def shares(vectors, word, groups):
    near = np.array([cosine(vectors[word], group.mean(axis=0)) for group in groups])
    return near / near.sum()


def rows_of(vectors, groups):
    return [np.array([vectors[w] for w in group.terms if w in vectors]) for group in groups]


def sizes(vectors, test, follow="code"):
    """The size of the bias of each occupation by each measure, by row of Table 5."""
    groups = rows_of(vectors, test.groups)
    means = [group.mean(axis=0) for group in groups]
    every = [row for group in groups for row in group]
    by_word = {
        "Our Measure": lambda w: np.abs(shares(vectors, w, groups) - 1 / len(groups)).sum(),
        "Manzini et al. (2019)": lambda w: abs(np.mean([cosine(vectors[w], row) for row in every])),
    }
    if follow == "paper":
        by_word["Manzini et al. (2019)"] = lambda w: abs(
            np.mean([np.mean([cosine(vectors[w], row) for row in group]) for group in groups])
        )
    if len(groups) == 2:
        pairs = [(a, b) for a, b in test.pairs if a in vectors and b in vectors]
        apart = np.array([vectors[a] - vectors[b] for a, b in pairs])
        first, second = means
        centred = PCA(n_components=1).fit(apart).components_[0]
        plain = np.linalg.svd(apart, full_matrices=False)[2][0]
        near = [lambda w, g=g: np.mean([cosine(vectors[w], row) for row in g]) for g in groups]
        by_word |= {
            "Caliskan et al. (2017)": lambda w: abs(near[0](w) - near[1](w)),
            "Garg et al. (2018, cosine)": lambda w: abs(
                cosine(vectors[w], first) - cosine(vectors[w], second)
            ),
            "Garg et al. (2018, euclidean)": lambda w: abs(
                np.linalg.norm(vectors[w] - first) - np.linalg.norm(vectors[w] - second)
            ),
        }
        for end, direction in (("", centred), (", PCA not centred", plain)):
            by_word[f"Bolukbasi et al. (2016){end}"] = lambda w, d=direction: abs(
                cosine(vectors[w], d)
            )
            by_word[f"Ethayarajh et al. (2019){end}"] = lambda w, d=direction: abs(vectors[w] @ d)
    words = [word for word in test.targets.terms if word in vectors]
    return {row: {word: size(word) for word in words} for row, size in by_word.items()}


def contemporary(vectors, test, away, follow="code"):
    """Table 5, 2010: rho by row."""
    return {
        row: spearmanr(list(of.values()), [away[2010][word] for word in of]).statistic
        for row, of in sizes(vectors, test, follow).items()
    }


def own(replication, column):
    return {cell.row: cell for cell in replication if cell.own and cell.column == column}


# --- Table 3 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("follow", "groups"), [("code", FACE), ("paper", TESTS["divdist-face-validity"])]
)
def test_table_3_takes_the_words_of_the_code_or_of_the_text(sample, follow, groups):
    found = eatlas.replicate("divdist", {"mine": "glove-sample"}, table=3, follow=follow)
    groups = rows_of(sample, groups.groups)
    cells = {cell.row: cell for cell in found if cell.own}
    assert list(cells) == list(FACE.targets.terms)
    for word, cell in cells.items():
        assert cell.value == pytest.approx(shares(sample, word, groups)[0] - 0.5, abs=CLOSE)
        assert cell.decimals == 3
    assert {one.test for one in found.results} == {
        "divdist-face-validity-code" + "-as-divdist" * (follow == "paper")
    }
    assert found.without == {}


def test_words_are_taken_as_they_are_written(sample):
    """John is not john."""
    vectors = {word: row for word, row in sample.items() if word not in {"john", "mary"}}
    capitals = {"John": sample["john"], "Mary": sample["mary"]}
    found = eatlas.replicate("divdist", {"mine": vectors | capitals}, table=3)
    groups = rows_of(vectors, FACE.groups)
    for cell in found.computed:
        expected = shares(vectors, cell.row, groups)[0] - 0.5
        assert cell.value == pytest.approx(expected, abs=CLOSE)
        assert cell.missing == ("mary", "john")
    assert found.without == {"mine": ("mary", "john")}


def test_a_profession_that_a_source_lacks_is_named_and_not_measured(sample):
    vectors = {word: row for word, row in sample.items() if word not in {"nurse", "pilot"}}
    found = eatlas.replicate("divdist", {"mine": vectors}, table=3)
    assert [cell.row for cell in found.computed] == [
        "carpenter", "dancer", "librarian", "soldier", "businessman", "businesswoman",
    ]  # fmt: skip
    (mine,) = [model for model in found.models if model.own]
    assert mine.missing == ("mine has no vector of nurse, pilot, so not measured: nurse; pilot",)


COUNTS = {
    "nurse": {"Female": 30, "Male": 10}, "pilot": {"Female": 5, "Male": 15},
    "soldier": {"Female": 1, "Male": 9},
}  # fmt: skip


def test_counts_are_in_the_columns_of_texts(tmp_path):
    """By hand; of another model, and in the place of the paper's own counts."""
    path = tmp_path / "counts.csv"
    path.write_text("term,Female,Male\nnurse,30,10\npilot,5,15\nsoldier,1,9\n")
    for source in (path, COUNTS):
        found = eatlas.replicate("divdist", {"mine": source, "wikipedia": source}, table=3)
        for column in ("mine", "text aut."):
            values = {c.row: c.value for c in found.computed if c.column == column}
            assert values == pytest.approx({"nurse": 0.25, "pilot": -0.25, "soldier": -0.4})
    missing = [model.missing for model in found.models if model.id == "mine"]
    assert missing == [
        (
            "mine has no numbers of carpenter, dancer, librarian, businessman, businesswoman, so not "
            "measured: carpenter; dancer; librarian; businessman; businesswoman",
        )
    ]
    with pytest.raises(EatlasError, match=r"google-news is vectors of words"):
        eatlas.replicate("divdist", {"google-news": path}, table=3)


# --- Table 5 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("follow", ["code", "paper"])
def test_table_5_of_one_year(sample, censuses, follow):
    found = eatlas.replicate(
        "divdist", {"mine": "glove-sample", **censuses}, table=5, follow=follow
    )
    gender, race = TESTS["divdist-gender-104"], TESTS["divdist-race-104"]
    if follow == "paper":
        face = TESTS["divdist-face-validity"]
        gender = gender.model_copy(update={"groups": face.groups, "pairs": face.pairs})
    women = labour(censuses["census-gender"], ["Female", "Male"])
    people = labour(censuses["census-race"], ["white", "hispanic", "asian"])
    for column, expected in (
        ("contemporary, gender", contemporary(sample, gender, women, follow)),
        ("contemporary, race", contemporary(sample, race, people, follow)),
    ):
        cells = own(found, column)
        assert set(cells) == set(expected)
        for row, cell in cells.items():
            assert cell.value == pytest.approx(expected[row], abs=CLOSE), (column, row)
            assert set(cell.missing) >= {"bankteller", "chiropractor"}
    assert list(own(found, "contemporary, gender")) == list(ROWS)
    mine = next(model for model in found.models if model.own)
    assert mine.missing[0].startswith(
        "Table 5: correlations with labour statistics takes vectors of words by decade"
    )


def test_stars_are_significant_correlations(sample, censuses):
    found = eatlas.replicate("divdist", {"mine": "glove-sample", **censuses}, table=5)
    women = labour(censuses["census-gender"], ["Female", "Male"])
    for row, of in sizes(sample, TESTS["divdist-gender-104"]).items():
        p = spearmanr(list(of.values()), [women[2010][word] for word in of]).pvalue
        assert abs(p - 0.05) > 0.01  # far from where two tests may differ
        assert own(found, "contemporary, gender")[row].own_star == (p <= 0.05)


def test_occupations_whose_shares_sum_to_less_than_0_are_kept(sample, censuses):
    """As the authors keep them: none of the occupations with a vector is lost."""
    race = TESTS["divdist-race-104"]
    groups = rows_of(sample, race.groups)
    words = [word for word in race.targets.terms if word in sample]
    below = [w for w in words if sum(cosine(sample[w], g.mean(axis=0)) for g in groups) < 0]
    assert below
    found = eatlas.replicate("divdist", {"mine": "glove-sample", **censuses}, table=5)
    (result,) = [
        one for one in found.results
        if (one.measure, one.test) == ("divdist", "divdist-race-104")
    ]  # fmt: skip
    bias = {one.term: one.bias for one in result.targets}
    assert list(bias) == words
    for word in below:
        expected = np.abs(shares(sample, word, groups) - 1 / 3).sum()
        assert bias[word] == pytest.approx(expected, abs=1e-5)


@pytest.fixture(scope="module")
def decades(tmp_path_factory):
    """Vectors by decade; in 1930 a man's word and an occupation are missing, in 1920 a surname."""
    rng = np.random.default_rng(7)
    words = {word for kind in ("gender", "race") for word in TESTS[f"divdist-{kind}-95"].terms}
    by_year = {
        year: {word: rng.standard_normal(6) + 0.5 for word in sorted(words)} for year in YEARS
    }
    for year, word in ((1930, "john"), (1930, "pilot"), (1920, "harris")):
        del by_year[year][word]
    return write_histwords(tmp_path_factory.mktemp("coha"), by_year), by_year


def test_table_5_by_decade(decades, censuses):
    """Means over the occupations of every decade; a word that one lacks is left out of all."""
    folder, by_year = decades
    lost = {"john", "pilot", "harris"}
    found = eatlas.replicate("divdist", {"old": folder, **censuses}, table=5)
    for kind, groups in (("gender", ["Female", "Male"]), ("race", ["white", "hispanic", "asian"])):
        test = TESTS[f"divdist-{kind}-95"]
        away = labour(censuses[f"census-{kind}"], groups)
        measured = {
            year: sizes({w: v for w, v in vectors.items() if w not in lost}, test)
            for year, vectors in by_year.items()
        }
        terms = [term for term in test.targets.terms if term not in lost]
        means = [np.mean([away[year][term] for term in terms]) for year in YEARS]
        cells = own(found, f"diachronic, {kind}")
        assert len(cells) == (9 if kind == "gender" else 2)
        for row, cell in cells.items():
            ours = [np.mean(list(measured[year][row].values())) for year in YEARS]
            assert cell.value == pytest.approx(spearmanr(means, ours).statistic, abs=CLOSE), row
            assert set(cell.missing) == lost & set(test.terms)
    assert not own(found, "contemporary, gender")


def test_the_census_is_found_where_it_was_fetched(censuses, tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_DATA", str(tmp_path / "data"))
    without = eatlas.replicate("divdist", {"mine": "glove-sample"}, table=5)
    assert not without.computed
    missing = {model.id: model.missing for model in without.models}
    assert missing["census-gender"] == (
        "eatlas vectors fetch census-gender (203 kB), or --model census-gender=FILE",
    )
    assert missing["mine"][1:] == (
        "census-gender is not here, so not measured: contemporary, gender",
        "census-race is not here, so not measured: contemporary, race",
    )
    entry = find("census-gender")
    served = tmp_path / "served.csv"
    served.write_bytes(censuses["census-gender"].read_bytes())
    unpack(served, entry.vectors, entry.target)
    found = eatlas.replicate("divdist", {"mine": "glove-sample"}, table=5)
    assert {cell.column for cell in found.computed} == {"contemporary, gender"}
    given = eatlas.replicate("divdist", {"mine": "glove-sample", **censuses}, table=5)
    same = own(given, "contemporary, gender")
    assert {c.row: c.value for c in found.computed} == {row: c.value for row, c in same.items()}


@pytest.mark.parametrize(
    ("table", "what", "got"),
    [
        ("Census year,Occupation,Female,Male\n1990,nurse,1,2\n", "the table has no year 2010", "1990"),
        ("term,Cats,Dogs\nnurse,1,2\n", "no target of divdist-gender-104 has shares of Female, Male",
         "accountant, administrator"),
    ],
)  # fmt: skip
def test_a_census_that_cannot_be_used_is_refused(tmp_path, table, what, got):
    path = tmp_path / "census.csv"
    path.write_text(table)
    with pytest.raises(EatlasError) as refused:
        eatlas.replicate("divdist", {"mine": "glove-sample", "census-gender": path}, table=5)
    assert what in refused.value.what
    assert refused.value.got.startswith(got)


def test_occupations_that_the_census_lacks_are_named(tmp_path, sample):
    rows = {"nurse": 0.9, "dancer": 0.8, "artist": 0.6, "lawyer": 0.3, "soldier": 0.1}
    path = tmp_path / "census.csv"
    lines = [f"2010,{term},{share},{1 - share}" for term, share in rows.items()]
    path.write_text("\n".join(["Year,Occupation,Female,Male", *lines]))
    found = eatlas.replicate("divdist", {"mine": "glove-sample", "census-gender": path}, table=5)
    groups = rows_of(sample, TESTS["divdist-gender-104"].groups)
    ours = [np.abs(shares(sample, term, groups) - 0.5).sum() for term in rows]
    rho = spearmanr(ours, [abs(share - 0.5) for share in rows.values()]).statistic
    assert own(found, "contemporary, gender")["Our Measure"].value == pytest.approx(rho, abs=CLOSE)
    (mine,) = [model for model in found.models if model.own]
    assert mine.missing[-1] == (
        "census-gender has no shares of 99 of 104 words of divdist-gender-104: accountant, "
        "administrator, architect, athlete, attendant, author and 93 more"
    )


def test_a_series_without_a_common_word_of_a_group_has_no_correlation(tmp_path, censuses):
    words = TESTS["divdist-gender-95"].terms
    women = set(TESTS["divdist-gender-95"].groups[0].terms)
    rng = np.random.default_rng(1)
    by_year = {
        year: {w: rng.standard_normal(4) for w in words if not (year == 1910 and w in women)}
        for year in YEARS
    }
    folder = write_histwords(tmp_path / "series", by_year)
    found = eatlas.replicate("divdist", {"old": folder, **censuses}, table=5)
    assert not own(found, "diachronic, gender")["Our Measure"].source
    (old,) = [model for model in found.models if model.own]
    assert any("a group of divdist-gender-95 has no word with a vector in every year" in why
               for why in old.missing)  # fmt: skip


@pytest.mark.slow
def test_table_5_on_google_news():
    """The words that a package carries, 100 of the 104 occupations among them; john and mary are not.

    Race is within .005 of what is printed. The size of a projection goes with labour statistics far
    less than its sign does, whether its PCA is centred or not.
    """
    folder, vectors = optional_data("census"), raw_google_news()
    files = {
        f"census-{kind}": folder / f"occupation_percentages_{kind}_occ1950.csv"
        for kind in ("gender", "race")
    }
    found = eatlas.replicate("divdist", {"google-news": vectors, **files}, table=5)
    cells = {(one.row, one.column): one for one in found.computed}
    for row, value in (("Our Measure", 0.367), ("Manzini et al. (2019)", -0.394)):
        cell = cells[row, "contemporary, race"]
        assert abs(cell.difference) < 0.005
        assert cell.value == pytest.approx(value, abs=5e-4)
        assert cell.missing == ("bankteller", "fireperson", "mailperson", "paperhanger")
    women = labour(files["census-gender"], ["Female", "Male"])
    of_gender = TESTS["divdist-gender-104"]
    for row, value in contemporary(vectors, of_gender, women).items():
        assert cells[row, "contemporary, gender"].value == pytest.approx(value, abs=CLOSE), row
    text = eatlas.replicate("divdist", {"google-news": vectors, **files}, table=5, follow="paper")
    by_groups = {(one.row, one.column): one for one in text.computed}
    assert by_groups["Manzini et al. (2019)", "contemporary, race"].agrees
    apart = np.array(
        [vectors[a] - vectors[b] for a, b in of_gender.pairs if a in vectors and b in vectors]
    )
    share = {}
    with files["census-gender"].open() as lines:
        for row in csv.DictReader(lines):
            if row["Census year"] == "2010":
                share[row["Occupation"]] = float(row["Female"]) / (
                    float(row["Female"]) + float(row["Male"])
                )
    words = [word for word in of_gender.targets.terms if word in vectors]
    mean = apart.mean(axis=0)
    for axis, along, size, lean in (
        (PCA(1).fit(apart).components_[0], 0.623, -0.164, 0.458),
        (np.linalg.svd(apart, full_matrices=False)[2][0], 0.994, 0.154, 0.667),
        (mean, 1.0, 0.210, 0.678),
    ):
        direction = np.sign(axis @ mean) * axis
        assert cosine(direction, mean) == pytest.approx(along, abs=5e-4)
        near = np.array([cosine(vectors[word], direction) for word in words])
        away = [women[2010][word] for word in words]
        assert spearmanr(np.abs(near), away).statistic == pytest.approx(size, abs=5e-4)
        leans = spearmanr(near, [share[word] for word in words]).statistic
        assert leans == pytest.approx(lean, abs=5e-4)


# --- Table 6 --------------------------------------------------------------------------------------

GENERATED = {"nurse": {"Female": 18, "Male": 2}, "pilot": {"Female": 6, "Male": 4}}


def test_table_6_is_a_share_less_that_of_the_earlier_stage(sample):
    """By hand for counts, by a reference of DivDist for all; columns add up."""
    stages = {"mine.L1": COUNTS, "mine.L2": "glove-sample", "mine.L3": GENERATED}
    found = eatlas.replicate("divdist", stages, table=6)
    cells = {(one.row, one.column): one.value for one in found.computed}
    assert cells["nurse", "L3; L1"] == pytest.approx(0.9 - 0.75)
    assert cells["pilot", "L3; L1"] == pytest.approx(0.6 - 0.25)
    groups = rows_of(sample, FACE.groups)
    for word in ("nurse", "pilot"):
        learned = shares(sample, word, groups)[0] - COUNTS[word]["Female"] / sum(
            COUNTS[word].values()
        )
        assert cells[word, "L2; L1"] == pytest.approx(learned, abs=CLOSE)
        whole = cells[word, "L2; L1"] + cells[word, "L3; L2"]
        assert whole == pytest.approx(cells[word, "L3; L1"])
    before = eatlas.run(FACE, COUNTS, "divdist(soa=counts,resamples=0)")
    after = eatlas.run(FACE, GENERATED, "divdist(soa=counts,resamples=0)", reference=before)[0]
    for one in after.targets:
        assert cells[one.term, "L3; L1"] == pytest.approx(one.signed)
    assert {(one.model, one.source) for one in found.computed} == {("mine", "mine")}
    missing = {model.id: model.missing for model in found.models if model.own}
    assert "so not measured: carpenter; dancer" in missing["mine.L3"][0]


def test_stages_that_are_not_given_are_named():
    found = eatlas.replicate("divdist", {"mine.L1": COUNTS, "mine.L3": GENERATED}, table=6)
    assert {one.column for one in found.computed} == {"L3; L1"}
    missing = {model.id: model.missing for model in found.models if model.own}
    assert missing["mine.L1"][-1] == "mine.L2 is not here, so not measured: L2; L1"
    assert missing["mine.L3"][-1] == "mine.L2 is not here, so not measured: L3; L2"


def test_the_stages_of_the_paper_are_compared_with_what_is_printed():
    stages = {"gpt2-medium.L1": COUNTS, "gpt2-medium.L3": GENERATED}
    found = eatlas.replicate("divdist", stages, table=6)
    cells = {one.row: one for one in found.computed}
    assert list(cells) == ["nurse", "pilot"]
    assert cells["nurse"].difference == pytest.approx(0.15 - -0.119)
    assert cells["nurse"].source == "gpt2-medium.L3 and gpt2-medium.L1"


def test_results_that_count_contexts_are_a_stage(tmp_path):
    """As a probe's are, whose contexts it assigns to groups."""
    results = eatlas.run(FACE, COUNTS, "divdist(soa=counts,resamples=0)")
    path = tmp_path / "probe.jsonl"
    results.save(path)
    found = eatlas.replicate("divdist", {"mine.L1": GENERATED, "mine.L2": path}, table=6)
    cells = {one.row: one.value for one in found.computed}
    assert cells == pytest.approx({"nurse": 0.75 - 0.9, "pilot": 0.25 - 0.6})
    others = eatlas.run(FACE, "glove-sample", "divdist(resamples=0,p=off)")
    with pytest.raises(EatlasError, match="0 results count contexts of targets by group"):
        counts_in(others, "others.jsonl")


# --- Table 7 --------------------------------------------------------------------------------------


def test_table_7_measures_the_model_before_and_after(sample):
    """Softmax of the cosines by hand; what the transform does is tested where it is made."""
    found = eatlas.replicate("divdist", {"mine": "glove-sample"}, table=7)
    cells = {(one.row, one.column): one.value for one in found.computed}
    race = TESTS["divdist-race"]
    debiased = eatlas.transformed("glove-sample", "hard-debias:race").lookup(set(race.terms))
    for column, vectors in (("original", sample), ("debiased", debiased)):
        groups = rows_of(vectors, race.groups)
        words = [word for word in race.targets.terms if word in vectors]
        means = [group.mean(axis=0) for group in groups]
        near = np.array([[cosine(vectors[w], mean) for mean in means] for w in words])
        powers = np.exp(near)
        away = np.abs(powers / powers.sum(axis=1, keepdims=True) - 1 / 3).sum(axis=1)
        found_here = cells["w2v Hard (M) race", f"DivDist, {column}"]
        assert found_here == pytest.approx(away.mean(), abs=CLOSE)
        each = [
            np.mean([np.mean([cosine(vectors[w], row) for row in group]) for group in groups])
            for w in words
        ]
        targeted = cells["w2v Hard (M) race", f"targeted, {column}"]
        assert targeted == pytest.approx(np.mean(each), abs=CLOSE)
    rows = {row for row, _ in cells}
    assert len(rows) == 7
    assert "GloVe GN (Z) gender" not in rows


def test_a_model_that_is_transformed_already_is_refused():
    with pytest.raises(EatlasError, match="the recipe takes transform=hard-debias:gender"):
        eatlas.replicate("divdist", {"mine": "glove-sample?transform=center"}, table=7)


def test_signed_numbers_do_not_depend_on_the_divergence():
    """So the column of the Euclidean distance in Table 8, of correlations of such numbers, is 1."""
    measures = [f"divdist(divergence={name},resamples=0,p=off)" for name in ("l1", "l2", "linf")]
    first, *others = eatlas.run(FACE, "glove-sample", measures)
    for other in others:
        assert [one.signed for one in other.targets] == [one.signed for one in first.targets]
        assert other.mean_bias != first.mean_bias
    printed = {
        cell.number for cell in eatlas.replicate("divdist", table=8) if cell.column[:2] == "l2"
    }
    assert printed == {1.0}


@pytest.mark.slow
def test_the_numbers_of_table_7_are_no_shares_by_their_sum():
    """On the words that a package carries; printed are .008 to .011, .018 and .023."""
    vectors = raw_google_news()
    for follow, expected in (("code", (0.034, 0.025, 0.029)), ("paper", (0.189, 1.632, 0.221))):
        found = eatlas.replicate("divdist", {"mine": vectors}, table=7, follow=follow)
        means = {one.row: one.value for one in found.computed if one.column == "DivDist, original"}
        for kind, mean in zip(("gender", "race", "religion"), expected, strict=True):
            assert means[f"w2v Soft (M) {kind}"] == pytest.approx(mean, abs=5e-4)
