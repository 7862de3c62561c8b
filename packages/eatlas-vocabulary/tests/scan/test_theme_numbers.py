"""Numbers of themes: by hand, by brute force, and what may not change them."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest
from scipy.optimize import brentq
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

import eatlas
from eatlas import ArraySource, Concept, GroupsTest
from eatlas.stats.regression import Regression, family_test, regression_test
from eatlas_vocabulary.engine.themes import Clusterings, _members, _scores, cluster_all, make_themes

SIZE, DIM = 1200, 12


def word(i):
    return "q" + "".join(chr(97 + i // 26**place % 26) for place in (2, 1, 0))


WORDS = [word(i * 701 % SIZE) for i in range(SIZE)]  # no alphabetical order


def rows_of(seed=0):
    """Vectors that have a trend in the log rank, as frequent words of real sources."""
    r = np.random.default_rng(seed)
    trend = np.log(np.arange(SIZE) + 1.0) - 6
    return np.column_stack([r.normal(size=(SIZE, DIM - 1)), 0.3 * trend])


def source_of(rows, *, ordered=True):
    return ArraySource(WORDS, rows, name="made", ordered=ordered)


GROUPS = {"one": WORDS[5:400:100], "two": WORDS[50:900:250]}
THREE = {"one": WORDS[5:600:100], "two": WORDS[50:900:150], "three": WORDS[30:1100:200]}
OWN = {w for group in (*GROUPS.values(), *THREE.values()) for w in group}
THEMES = {f"t{i}": [w for w in WORDS[i + 1 :: 29 + i] if w not in OWN] for i in range(6)}


def found(source, groups=GROUPS, themes=THEMES, **how):
    result = eatlas.scan(source, groups, themes=themes, **how)
    return result, {theme.name: theme for theme in result.themes}


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cosines(rows, theme, groups):
    """Cosines of the words of a theme with all words of the groups."""
    at = {each: i for i, each in enumerate(WORDS)}
    units = unit(rows)
    words = [w for group in groups.values() for w in group]
    return units[[at[w] for w in theme]] @ units[[at[w] for w in words]].T


def columns_of(groups, *, adjusted=True, units=None):
    """Constant and, given frequency, the log rank and its square; of units the mean log rank."""
    ranks = np.array([WORDS.index(w) + 1 for group in groups.values() for w in group])
    x = np.log(ranks) if units is None else units @ np.log(ranks)
    x = (x - x.mean()) / x.std()
    return np.column_stack([np.ones(len(x))] + [x, x**2] * adjusted)


def units_of(result, groups):
    """Each unit as a row with equal weights of its words, as the record has them; and its group."""
    words = [w for group in groups.values() for w in group]
    rows, sides = [], []
    for side, (role, group) in enumerate(zip(result.concepts, groups.values(), strict=True)):
        clusters = [*result.units.clusters[role]]
        joined = {w for cluster in clusters for w in cluster}
        clusters += [(w,) for w in group if w not in joined]
        assert len(clusters) == result.units.sizes[role]
        for cluster in sorted(clusters, key=min):
            rows.append([(w in cluster) / len(cluster) for w in words])
            sides.append(side)
    return np.array(rows), np.array(sides)


def z_of(y, alone, whole, n):
    """Statistic in each row of y: the group's coefficient over its HC2 error, Welch's df, normal."""
    inverse, hat = np.linalg.pinv(whole), whole @ np.linalg.pinv(whole)
    free = 1 - np.diag(hat)
    parts = (inverse[-1] * (y - y @ hat)) ** 2 / free
    v = np.stack([parts[:, :n].sum(axis=1), parts[:, n:].sum(axis=1)])
    f = np.array([[free[:n].sum()], [free[n:].sum()]])
    df = v.sum(axis=0) ** 2 / (v**2 / f).sum(axis=0)
    t = y @ inverse[-1] / np.sqrt(v.sum(axis=0))
    z = (8 * df + 1) / (8 * df + 3) * np.sqrt(df * np.log1p(t**2 / df))
    return np.sign(t) * z


@pytest.mark.parametrize("adjusted", [True, False])
def test_two_groups_of_four_are_brute_force_over_all_orders(adjusted):
    rows = rows_of(3)
    result, themes = found(source_of(rows, ordered=adjusted))
    assert result.covariates == (("frequency",) if adjusted else ())
    assert (result.total, result.relabellings) == (70, 40_320)
    alone = columns_of(GROUPS, adjusted=adjusted)
    whole = np.column_stack([alone, np.arange(8) < 4])
    hat = alone @ np.linalg.pinv(alone)
    orders = np.array(list(itertools.permutations(range(8))))
    scores = {n: cosines(rows, w, GROUPS).mean(axis=0) for n, w in THEMES.items()}
    z = {n: z_of((s - hat @ s)[orders], alone, whole, 4) for n, s in scores.items()}
    maxima = np.abs([*z.values()]).max(axis=0)
    strongest, smallest = sorted(z, key=lambda n: -abs(z[n][0])), 0.0
    critical = np.sort(maxima)[::-1][int(np.ceil(0.05 * len(maxima))) - 1]
    for rank, name in enumerate(strongest):
        theme, s = themes[name], scores[name]
        fit = OLS(s, whole).fit(cov_type="HC2")
        assert theme.difference == pytest.approx(fit.params[-1], abs=1e-7)
        assert theme.effect_size == pytest.approx(fit.params[-1] / s.std(ddof=1), rel=1e-5)
        left = np.abs([z[n] for n in strongest[rank:]]).max(axis=0)
        smallest = max(smallest, (left >= abs(z[name][0]) - 1e-7).mean())
        assert theme.p_max_t == smallest
        assert theme.p == (np.abs(z[name]) >= abs(z[name][0]) - 1e-7).mean()
        single_step = (maxima >= abs(z[name][0]) - 1e-7).mean()
        assert (single_step < 0.05) == (theme.interval[0] > 0 or theme.interval[1] < 0)
        low = brentq(  # what is left of the difference is not beyond the critical value
            lambda end, s=s: z_of((s - end * whole[:, -1])[None], alone, whole, 4)[0] - critical,
            fit.params[-1] - 100 * fit.bse[-1],
            fit.params[-1],
        )
        assert theme.interval[0] == pytest.approx(low / s.std(ddof=1), rel=1e-4)
        assert sum(theme.interval) / 2 == pytest.approx(theme.effect_size, rel=1e-6)


def test_three_groups_are_f_and_means_of_statsmodels_and_pairs_by_holm():
    rows = rows_of(4)
    rows[[WORDS.index(w) for w in (*THREE["three"], *THEMES["t2"])]] += 1.5
    result, themes = found(source_of(rows), THREE)
    alone, sizes = columns_of(THREE), [len(group) for group in THREE.values()]
    labels = np.repeat(np.eye(3), sizes, axis=0)
    for name, theme in themes.items():
        s = cosines(rows, THEMES[name], THREE).mean(axis=0)
        fit = OLS(s, np.column_stack([labels, alone[:, 1:] - alone[:, 1:].mean(axis=0)])).fit()
        assert [*theme.means.values()] == pytest.approx(fit.params[:3], abs=1e-7)
        f = fit.f_test(np.array([[1, -1, 0, 0, 0], [0, 1, -1, 0, 0]]))
        # drawn orders of residuals that are not normal come near the F distribution
        assert theme.p == pytest.approx(float(f.pvalue), abs=0.03)
        assert theme.difference == pytest.approx(np.ptp(fit.params[:3]), abs=1e-7)
        assert theme.p_max_t >= theme.p
        assert theme.interval is None
    assert result.themes[0].name == "t2"
    pairs = themes["t2"].pairs
    assert len(pairs) == 3
    assert all(pair.groups[0] == "G3" and pair.p_holm < 0.05 for pair in pairs[1:])
    spread, p = cosines(rows, THEMES["t2"], THREE).mean(axis=0).std(ddof=1), []
    for pair in pairs:  # each pair has a trend of its own
        names = [result.concepts[role] for role in pair.groups]
        two = {name: sorted(THREE[name]) for name in THREE if name in names}
        s, alone, n = cosines(rows, THEMES["t2"], two).mean(axis=0), columns_of(two), 6
        label = np.repeat([*two], n) == names[0]
        difference = OLS(s, np.column_stack([alone, label])).fit().params[-1]
        assert pair.difference == pytest.approx(difference, abs=1e-7)
        assert pair.effect_size == pytest.approx(difference / spread, rel=1e-5)
        p.append(regression_test(s, n, alone[:, 1:]).p[0].two_sided.p)
    assert [pair.p_holm for pair in pairs] == pytest.approx(multipletests(p, method="holm")[1])
    assert [name for name, theme in themes.items() if theme.pairs] == [
        theme.name for theme in result.found
    ]


@pytest.mark.parametrize("groups", [GROUPS, THREE])
def test_words_of_a_theme_have_differences_whose_mean_is_the_themes(groups, tmp_path):
    rows = rows_of(5)
    result, themes = found(source_of(rows), groups, out=tmp_path / "words.csv")
    with (tmp_path / "words.csv").open(encoding="utf-8") as file:
        table = [*csv.DictReader(file)]
    units, sides = units_of(result, groups)
    whole = np.column_stack([np.eye(len(groups))[sides], columns_of(groups, units=units)[:, 1:]])
    roles = [*result.concepts]
    for name, theme in themes.items():
        lines = {line["word"]: line for line in table if line["theme"] == name}
        assert tuple(lines) == theme.words
        assert set(lines) == set(THEMES[name])
        differences = {w: float(line["difference"]) for w, line in lines.items()}
        assert np.mean([*differences.values()]) == pytest.approx(theme.difference, abs=1e-6)
        first, last = (roles.index(side) for side in theme.sides)
        for w, row in zip(lines, cosines(rows, lines, groups), strict=True):
            params = OLS(units @ row, whole).fit().params
            assert differences[w] == pytest.approx(params[first] - params[last], abs=2e-6)
            assert int(lines[w]["rank"]) == WORDS.index(w) + 1
        near = [float(line["nearness"]) for line in lines.values()]
        assert near == sorted(near, reverse=True)
        shown = {each.word: each.difference for each in (*theme.associated, *theme.against)}
        assert shown == pytest.approx({w: differences[w] for w in shown}, abs=1e-6)
        sign = np.sign(theme.difference)
        most = sorted(differences, key=lambda w: -sign * differences[w])
        assert {each.word for each in theme.associated} <= set(most[:6])
        assert all(sign * each.difference < 0 for each in theme.against)


HALVES = {"one": WORDS[5:400:16], "two": WORDS[50:900:34]}


@pytest.mark.parametrize("adjusted", [True, False])
def test_near_synonyms_and_held_out_words_by_statsmodels(adjusted):
    """Copies of words are one unit; half of the units is searched with, by seed and words."""
    rows = rows_of(9)
    copies = {"one": HALVES["one"][:6], "two": HALVES["two"][4:8]}
    for i in range(0, 6, 2):
        rows[WORDS.index(copies["one"][i + 1])] = 2 * rows[WORDS.index(copies["one"][i])]
    for w in copies["two"]:
        rows[WORDS.index(w)] = rows[WORDS.index(copies["two"][0])] + 0.01
    source = source_of(rows, ordered=adjusted)
    themes = {
        n: [w for w in t if w not in {*HALVES["one"], *HALVES["two"]}] for n, t in THEMES.items()
    }
    result, of_name = found(source, HALVES, themes, seed=4)
    for i in range(0, 6, 2):
        pair = {*copies["one"][i : i + 2]}
        assert any(pair <= {*cluster} for cluster in result.units.clusters["A"])
    assert any({*copies["two"]} <= {*cluster} for cluster in result.units.clusters["B"])
    searched = {name: [*result.searched[role]] for role, name in result.concepts.items()}
    for role, group in zip("AB", HALVES.values(), strict=True):
        assert sorted((*result.searched[role], *result.held_out[role])) == sorted(group)
        for cluster in result.units.clusters[role]:  # one unit is never in both halves
            assert {*cluster} <= {*result.held_out[role]} or not {*cluster} & {
                *result.held_out[role]
            }
        joined = {w for cluster in result.units.clusters[role] for w in cluster}
        every = len(result.units.clusters[role]) + len({*group} - joined)
        assert result.units.sizes[role] == (every + 1) // 2
    kept = {
        role: [c for c in clusters if c[0] in searched[result.concepts[role]]]
        for role, clusters in result.units.clusters.items()
    }
    half = result.model_copy(update={"units": result.units.model_copy(update={"clusters": kept})})
    units, sides = units_of(half, searched)
    alone = columns_of(searched, adjusted=adjusted, units=units)
    for name, theme in of_name.items():
        s = units @ cosines(rows, themes[name], searched).mean(axis=0)
        fit = OLS(s, np.column_stack([alone, sides == 0])).fit()
        assert theme.difference == pytest.approx(fit.params[-1], abs=1e-7)
        assert theme.effect_size == pytest.approx(fit.params[-1] / s.std(ddof=1), rel=1e-5)
    backwards = {name: group[::-1] for name, group in reversed(HALVES.items())}
    swapped = eatlas.scan(source, backwards, themes=themes, seed=4)
    assert swapped.held_out == {"A": result.held_out["B"], "B": result.held_out["A"]}
    other = eatlas.scan(source, HALVES, themes=themes, seed=5)
    assert other.held_out != result.held_out
    every = eatlas.scan(source, HALVES, themes=themes, split=False)
    assert (every.held_out, every.searched["A"]) == ({}, tuple(HALVES["one"]))
    assert every.signature.endswith(",split=off)")
    assert any(note.code == "themes.not-split" for note in every.warnings)


def test_a_group_of_two_units_has_numbers_and_is_not_split():
    rows = rows_of(10)
    for first, second in (GROUPS["one"][:2], GROUPS["one"][2:]):
        rows[WORDS.index(second)] = rows[WORDS.index(first)]
    result, _ = found(source_of(rows))
    assert (result.units.sizes, result.held_out) == ({"A": 2, "B": 4}, {})
    assert result.total == 15
    assert all(0 < theme.p <= theme.p_max_t <= 1 for theme in result.themes)
    (note,) = (each for each in result.warnings if each.code == "themes.not-split")
    assert "one has 2 words and two has 4 words if near-synonyms count as one" in str(note)


def numbers(theme):
    return [theme.difference, theme.effect_size, *theme.interval, theme.p, theme.p_max_t]


def test_order_of_words_rotation_and_length_change_nothing():
    rows = rows_of(6)
    _, themes = found(source_of(rows))
    turned = {name: list(group[::-1]) for name, group in GROUPS.items()}
    shuffled = {name: words[::-1] for name, words in reversed([*THEMES.items()])}
    q = np.linalg.qr(np.random.default_rng(1).normal(size=(DIM, DIM)))[0]
    lengths = np.random.default_rng(2).uniform(0.5, 2, (SIZE, 1))
    for others in (
        found(source_of(rows), turned, shuffled)[1],
        found(source_of(rows @ q))[1],
        found(source_of(rows * lengths))[1],
    ):
        for name, theme in themes.items():
            assert numbers(others[name]) == pytest.approx(numbers(theme), rel=1e-4, abs=1e-7)
            assert sorted(others[name].words) == sorted(theme.words)


def test_swapped_groups_have_the_other_sign_and_the_same_p():
    source = source_of(rows_of(7))
    _, themes = found(source)
    result, others = found(source, {"two": GROUPS["two"], "one": GROUPS["one"]})
    for name, theme in themes.items():
        swapped = others[name]
        assert (swapped.p, swapped.p_max_t) == (theme.p, theme.p_max_t)
        assert swapped.difference == pytest.approx(-theme.difference, rel=1e-9)
        ends = (-theme.interval[1], -theme.interval[0])
        assert swapped.interval == pytest.approx(ends, rel=1e-6)
        words = {each.word for each in theme.associated}
        assert {each.word for each in swapped.associated} == words
    effects = [theme.effect_size for theme in result.themes]
    assert effects == sorted(effects, reverse=True)


def test_a_test_of_two_groups_is_two_groups():
    source = source_of(rows_of(8))
    concepts = tuple(Concept(name=name, terms=tuple(group)) for name, group in GROUPS.items())
    test = GroupsTest(id="two", targets=Concept(name="x", terms=("love",)), groups=concepts)
    plain, _ = found(source)
    assert found(source, test)[0].themes == plain.themes
    assert found(source, concepts)[0].themes == plain.themes


@pytest.fixture(scope="module")
def planted():
    """Twelve tight clusters of 60 words; one lies on the side of the first group's words."""
    r = np.random.default_rng(0)
    rows = r.normal(size=(SIZE, DIM))
    centres = 4 * np.linalg.qr(r.normal(size=(DIM, DIM)))[0]
    rows[:720] += np.repeat(centres, 60, axis=0)
    rows[720:750] += 0.7 * centres[3]
    rows[750:780] -= 0.7 * centres[3]
    order = r.permutation(SIZE)
    places = np.argsort(order)
    at = [WORDS[i] for i in places]  # the word of each row
    groups = {"on": at[720:736], "off": at[750:766]}
    none = {"some": at[800:816], "others": at[820:836]}
    source = source_of(rows[order])
    results = [eatlas.scan(source, each, themes=12) for each in (groups, none)]
    return set(at[180:240]), results


def test_a_planted_theme_is_found_in_all_clusterings_and_none_where_none_is(planted):
    words, (result, nothing) = planted
    shared = [len(words.intersection(theme.words)) for theme in result.themes]
    theme = result.themes[int(np.argmax(shared))]
    assert max(shared) >= 50
    assert result.found[0] == theme
    assert (theme.p_max_t < 0.01, theme.stability, theme.sides) == (True, 1.0, ("A", "B"))
    assert theme.other_counts == {6: True, 24: True}
    assert theme.interval[0] > 0
    assert result.clustering.repeats == 10
    assert not nothing.found
    assert all(theme.stability == 0 for theme in nothing.themes)
    assert not any(any(theme.other_counts.values()) for theme in nothing.themes)


@pytest.fixture(scope="module")
def clusters():
    """Words of the sample in order of frequency, and sixty themes of them."""
    source = eatlas.open_vectors("glove-sample")
    words = [w for w in eatlas.scan(source, "weat-7").to_frame()["word"][:10_000] if w.isalpha()]
    plan = make_themes(source, "weat-7", 60)
    with Clusterings(plan) as done:
        cluster_all(plan, done)
        members = _members(plan.words, done.done[0])
    return source, words, {n: [plan.words.words[i] for i in p] for n, p in members.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "plain", "adjusted"),
    [
        (((0, 9000), (0, 9000)), (0, 4), (0, 4)),
        (((0, 1000), (2000, 8000)), (26, 30), (0, 5)),
        (((0, 9000), (0, 9000), (0, 9000)), (0, 4), (0, 4)),
    ],
    ids=["like frequencies", "far apart", "three groups"],
)
def test_random_words_of_the_sample_seldom_have_a_theme(clusters, ends, plain, adjusted):
    """Searches of 30 with a theme below .05, plain and adjusted for frequency."""
    source, words, categories = clusters
    counts = np.zeros(2)
    for seed in range(30):
        r, free = np.random.default_rng(seed), np.ones(len(words), bool)
        groups = {}
        for i, (low, high) in enumerate(ends):
            chosen = r.choice(np.arange(low, high)[free[low:high]], 20, replace=False)
            free[chosen] = False
            groups[f"g{i}"] = [words[k] for k in chosen]
        plan = make_themes(source, groups, categories, split=False)
        scores = _scores(plan, plan.categories)
        unadjusted = Regression.of_groups(plan.regression.sizes)
        for i, regression in enumerate((unadjusted, plan.regression)):
            family = family_test(scores, regression, permutations=399, seed=seed)
            counts[i] += family.p_max_t.min() < 0.05
    assert plain[0] <= counts[0] <= plain[1]
    assert adjusted[0] <= counts[1] <= adjusted[1]


@pytest.mark.slow
def test_groups_that_are_clusters_differ_by_construction(clusters):
    source, words, categories = clusters
    for seed in range(4):
        names = np.random.default_rng(seed).choice(words, 80, replace=False).tolist()
        result = eatlas.scan(source, themes=categories, groups_from=names, groups=2)
        assert result.found
        assert any(note.code == "themes.groups-made" for note in result.warnings)


@pytest.mark.slow
def test_a_planted_theme_of_the_sample_is_found_with_enough_words_in_the_groups(clusters):
    """A shift of two standard deviations, added to the vectors of a hundred words."""
    source, words, _ = clusters
    vectors = source.lookup(words)
    rows = unit(np.array([vectors[w] for w in words], np.float64))
    found = []
    for seed in range(10):
        r = np.random.default_rng(seed)
        places = r.permutation(9000)
        at, free = places[:32], places[32:]
        near = free[np.argsort(-rows[free] @ rows[free[0]])]
        planted, others = near[:100], r.permutation(near[100:])[:2000].reshape(20, 100)
        scores = rows[planted].mean(axis=0) @ rows[at].T
        # its product with the words of the first group is 1, with those of the second 0
        direction = np.linalg.pinv(rows[at]) @ (np.arange(32) < 16)
        changed = rows.copy()
        changed[planted] += 2 * scores.std(ddof=1) * direction
        themes = {f"t{i}": [words[k] for k in some] for i, some in enumerate(others)}
        themes["planted"] = [words[k] for k in planted]
        groups = {"on": [words[k] for k in at[:16]], "off": [words[k] for k in at[16:]]}
        made = ArraySource(words, changed, name="planted", ordered=True)
        result = eatlas.scan(made, groups, themes=themes)
        found.append([theme.name for theme in result.found])
    assert sum("planted" in names for names in found) >= 8
    assert sum(len(names) for names in found) <= 12
