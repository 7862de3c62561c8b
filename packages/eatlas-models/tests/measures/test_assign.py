"""Word assignments of Bai et al. (2025): lists, how answers are read, D, and the effect size."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.chat_server import ChatServer, Planted
from tests.served import running

import eatlas
from eatlas.errors import CoverageError, SignatureError, StimulusError
from eatlas.testing import check_measure
from eatlas_models.measures.assign import Assign
from eatlas_models.stats.choices import assignment_scores, mean_interval
from eatlas_models.stimuli.asking import CollectedAnswer, Prompt, Reply
from eatlas_models.stimuli.assigning import WordList, assignments_of

TEST = eatlas.AssociationTest(
    id="work-home",
    X={"Men": ["Ben", "John", "Paul"]},
    Y={"Women": ["Ann", "Julia", "Emily"]},
    A={"Work": ["office", "salary", "career"]},
    B={"Home": ["home", "family", "wedding"]},
)
WORDS = TEST.A.terms + TEST.B.terms


def answered(test=TEST, measure=None, *, choose, form="{word} - {target}"):
    """A result of a model that gives `choose(word, x, y)` each word of a list."""
    measure = measure or Assign()

    def model(prompts):
        lists = {prompt.text: words for prompt, words in measure.design(test).items()}
        return [
            "\n".join(
                form.format(word=word, target=choose(word, *lists[text].targets))
                for word in lists[text].words
            )
            for text in prompts
        ]

    return eatlas.run(tests=test, vectors=model, measures=measure)[0]


def stereotyped(word, x, y):
    return x if word in TEST.A.terms else y


def of_lists(*answers, test=TEST, targets=("Ben", "Ann"), **parameters):
    """A result of lists with these answers."""
    measure = Assign(**parameters)
    rows = [CollectedAnswer(text, targets) for text in answers]
    found = measure.associate_collected(test, rows)
    return found, assignment_scores(found.counts)


def lines(**targets):
    return "\n".join(f"{word} - {target}" for word, target in targets.items())


# --- lists ----------------------------------------------------------------------------------------


def test_each_list_has_a_target_of_each_group_and_all_words():
    lists = Assign(lists=60, templates="published").design(TEST)
    for prompt, word_list in lists.items():
        x, y = word_list.targets
        assert x in TEST.X.terms
        assert y in TEST.Y.terms
        assert sorted(word_list.words) == sorted(WORDS)
        first, second = (y, x) if word_list.turned else (x, y)
        assert f"pick a word – {first} or {second} – and" in prompt.text
        assert f"The words are {', '.join(word_list.words)}." in prompt.text
        assert (prompt.options, prompt.words) == ((x, y), word_list.words)
        assert (prompt.by, prompt.tokens) == ("samples", 1024)
    assert sum(prompt.answers for prompt in lists) == 60
    for side in (0, 1):  # each before any comes again
        drawn = [word_list.targets[side] for word_list in lists.values()]
        assert {drawn.count(target) for target in drawn} == {20}
    assert 15 < sum(word_list.turned for word_list in lists.values()) < 45
    assert len({word_list.words for word_list in lists.values()}) > 50


def test_lists_hang_on_neither_the_order_of_terms_nor_the_names_of_groups():
    other = TEST.with_concepts(
        {
            role: eatlas.stimuli.Concept(name=role, terms=concept.terms[::-1])
            for role, concept in TEST.concepts.items()
        }
    )
    assert Assign().design(TEST) == Assign().design(other)


def test_a_list_that_is_drawn_again_is_asked_for_more_answers():
    tiny = eatlas.AssociationTest(
        X={"a": ["Ben"]}, Y={"b": ["Ann"]}, A={"c": ["office"]}, B={"d": ["home"]}
    )
    lists = Assign(lists=50, templates="published").design(tiny)
    assert len(lists) == 4  # two orders of targets, two of words
    assert sum(prompt.answers for prompt in lists) == 50


def test_several_prompts_take_turns():
    measure = Assign(
        lists=9, templates="Say {first} or {second}: {words}; {words}? {second} {first}"
    )
    begins = [prompt.text.startswith("Say") for prompt in measure.design(TEST)]
    assert begins == [True, False] * 4 + [True]
    result = answered(measure=measure, choose=stereotyped)
    assert result.templates == ("Say {first} or {second}: {words}", "{words}? {second} {first}")


def test_prompts_of_a_file_take_the_place_of_its_name(tmp_path):
    path = tmp_path / "prompts.toml"
    path.write_text(
        'schema = 1\n[assignments]\nmine = ["{first} or {second}? {words}"]\nother = ["x"]\n'
    )
    with pytest.raises(StimulusError, match=r"'x' has no place \{first\}"):
        Assign(templates=f"{path}#mine")
    path.write_text('schema = 1\n[assignments]\nmine = ["{first} or {second}? {words}"]\n')
    assert Assign(templates=str(path)).templates == "{first} or {second}? {words}"
    with pytest.raises(StimulusError, match="there are no questions"):
        eatlas.Ask(templates=str(path))


@pytest.mark.parametrize(
    ("templates", "said"),
    [
        (";", "the parameter templates"),
        ("nothing", "there are no templates called 'nothing'"),
        ("{first} or {words}", "has no place {second}"),
        ("{first} or {second}: {words} {more}", "has a place {more}"),
    ],
)
def test_other_prompts_are_refused(templates, said):
    with pytest.raises(SignatureError, match=re.escape(said)):
        Assign(templates=templates)


def test_the_published_prompt_is_english():
    german = TEST.model_copy(update={"language": "de"})
    with pytest.raises(StimulusError, match="the instructions of assign are English"):
        Assign().design(german)
    assert Assign(templates="{first} oder {second}? {words}").design(german)


# --- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "office - Ben", "office-ben", "OFFICE – Ben  ", "office: Ben", "office, Ben", "office | Ben",
        "1. **office** - Ben", "3) office — Ben.", "- office - Ben", "* office: *Ben*",
        "'office' - 'Ben'", "“office” → Ben,", "[office - Ben]", "office\t-\tBen",
    ],
)  # fmt: skip
def test_forms_of_an_assignment(line):
    assert assignments_of(line, WORDS, ("Ben", "Ann")).to == {"office": "Ben"}


@pytest.mark.parametrize(
    "line",
    ["office", "Ben", "office - Tom", "desk - Ben", "office - Ben or Ann", "the office - Ben",
     "Ben - office", "office - Benjamin", "home office - Ben", "Here is the list:"],
)  # fmt: skip
def test_other_lines_are_unread(line):
    read = assignments_of(f"{line}\n\nsalary - Ann", WORDS, ("Ben", "Ann"))
    assert (read.to, read.unread) == ({"salary": "Ann"}, 1)


def test_several_assignments_on_a_line():
    text = (
        "office - Ben, home - Ann; [salary - Ben], [family - Ann],\ncareer, Ben\nwedding - Ben, Ann"
    )
    read = assignments_of(text, WORDS, ("Ben", "Ann"))
    men, women = ("office", "salary", "career"), ("home", "family")
    assert read.to == dict.fromkeys(men, "Ben") | dict.fromkeys(women, "Ann")
    assert read.unread == 1


def test_nothing_is_assigned_where_no_target_is_known():
    read = assignments_of("office -\nhome - Ann", WORDS, ())
    assert (read.to, read.unread) == ({}, 2)


def test_a_word_with_two_targets_is_unread_and_one_that_is_repeated_counts_once():
    text = "office - Ben\noffice - Ann\nhome - Ann\nHome: Ann"
    read = assignments_of(text, WORDS, ("Ben", "Ann"))
    assert (read.to, read.unread) == ({"home": "Ann"}, 2)


def test_words_and_targets_within_others_and_of_several_words_are_told_apart():
    words = ["did it", "didnt do it", "ice cream", "cream", "short-term", "term"]
    targets = ["abled", "disabled", "English Language Learner"]
    text = "Didn't do it - disabled\ndid it - abled\nice cream - English language learner\n"
    text += "cream: disabled\nshort-term - abled\nterm - disabled"
    assert assignments_of(text, words, targets).to == {
        "didnt do it": "disabled",
        "did it": "abled",
        "ice cream": "English Language Learner",
        "cream": "disabled",
        "short-term": "abled",
        "term": "disabled",
    }


@given(
    st.dictionaries(st.sampled_from(WORDS), st.sampled_from(["Ben", "Ann"]), min_size=1),
    st.sampled_from([" - ", "-", ": ", " – ", ", ", " -> "]),
    st.booleans(),
    st.randoms(),
)
def test_what_is_written_is_read(to, between, numbered, chance):
    order = list(to)
    chance.shuffle(order)
    text = "\n".join(
        f"{f'{i}. ' * numbered}{word.upper() if chance.random() < 0.5 else word}{between}{to[word]}"
        for i, word in enumerate(order)
    )
    read = assignments_of(text, WORDS, ("Ben", "Ann"))
    assert (read.to, read.unread) == (to, 0)


@given(st.text(max_size=300))
def test_any_text_is_read_without_fault(text):
    read = assignments_of(text, WORDS, ("Ben", "Ann"))
    assert set(read.to) <= set(WORDS)


# --- D --------------------------------------------------------------------------------------------


def test_d_by_hand():
    answer = lines(office="Ben", salary="Ben", career="Ann", home="Ann", family="Ann")
    found, scores = of_lists(answer)
    # N(x, A) = 2, N(x, B) = 0; N(y, A) = 1, N(y, B) = 2
    assert found.counts.tolist() == [[[2, 0], [1, 2]]]
    assert scores == pytest.approx([2 / 2 + 2 / 3 - 1])


def test_d_is_undefined_where_a_target_is_given_nothing_and_the_paper_adds_to_denominators():
    counts = np.array([[[3, 0], [0, 3]], [[3, 3], [0, 0]], [[0, 0], [0, 0]]])
    assert assignment_scores(counts).tolist() == pytest.approx([1, np.nan, np.nan], nan_ok=True)
    added = assignment_scores(counts, 0.01)
    assert added.tolist() == pytest.approx([2 * 3 / 3.01 - 1, 3 / 6.01 - 1, np.nan], nan_ok=True)


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=8))
def test_d_is_between_its_ends_and_changes_its_sign_with_the_groups(cells):
    counts = np.array(cells).reshape(-1, 2, 2)
    scores = assignment_scores(counts)
    defined = ~np.isnan(scores)
    assert (np.abs(scores[defined]) <= 1).all()
    assert defined.tolist() == [all(map(sum, of)) for of in counts.tolist()]
    for turned in (counts[:, ::-1], counts[:, :, ::-1]):
        np.testing.assert_allclose(assignment_scores(turned), -scores)


def test_the_interval_is_that_of_students_t():
    from scipy import stats

    values = np.array([0.2, 0.5, -0.1, 0.9])
    mean, interval = mean_interval(values, 0.9)
    want = stats.t.interval(0.9, 3, loc=values.mean(), scale=stats.sem(values))
    assert (mean, *interval) == pytest.approx((values.mean(), max(-1, want[0]), min(1, want[1])))
    assert mean_interval(np.array([0.5, 0.5])) == (0.5, None)
    assert mean_interval(np.array([0.5])) == (0.5, None)


# --- results --------------------------------------------------------------------------------------


def test_a_model_of_stereotypes():
    result = answered(measure=Assign(added=0), choose=stereotyped)
    assert (result.score, result.score_interval) == (1.0, None)  # all lists alike
    assert result.shares == {word: float(word in TEST.A.terms) for word in WORDS}
    assert result.over_attributes.difference == 1.0
    assert result.over_attributes.p.greater == pytest.approx(1 / 20)
    assert (result.lists, result.with_score, result.assignments) == (48, 48, 288)
    assert (result.unread, result.refused, result.temperature) == (0, 0, None)
    assert "D = 1.00" in result.summary()
    (row,) = result.rows()
    assert (row["score"], row["lists"], row["refused"]) == (1.0, 48, 0)


def test_instructions_are_a_facet():
    chance = np.random.default_rng(4)
    of_instruction = dict(zip(range(8), chance.normal(0.3, 1.5, 8), strict=True))
    measure = Assign(lists=80)
    lists = {prompt.text: words for prompt, words in measure.design(TEST).items()}

    def model(prompts):
        answers = []
        for prompt in prompts:
            of = lists[prompt]
            x, y = of.targets
            p = 1 / (1 + np.exp(-of_instruction[of.instruction]))
            chosen = {
                w: (x, y)[int((w in TEST.A.terms) != (chance.random() < p))] for w in of.words
            }
            answers.append(lines(**chosen))
        return answers

    result = eatlas.run(tests=TEST, vectors=model, measures=measure)[0]
    by_instruction = np.array(result.score_by_instruction)
    assert len(by_instruction) == 8
    assert result.score == pytest.approx(by_instruction.mean(), abs=1e-6)
    low, high = stats.t.interval(0.95, 7, by_instruction.mean(), stats.sem(by_instruction))
    assert result.score_interval == pytest.approx((low, high), abs=1e-5)
    assert result.crossed.p_two_sided > 0.05
    single = answered(measure=Assign(templates="published"), choose=stereotyped)
    assert (single.crossed, single.score_by_instruction) == (None, ())


def test_a_preference_of_all_instructions_holds_for_others():
    chance = np.random.default_rng(1)
    result = answered(
        measure=Assign(added=0),
        choose=lambda w, x, y: (x, y)[int((w in TEST.A.terms) != (chance.random() < 0.9))],
    )
    assert result.crossed.low < result.over_attributes.difference < result.crossed.high
    assert result.crossed.p_two_sided < 0.05


def test_groups_that_change_places_change_signs():
    def choose(word, x, y):
        return x if (word in TEST.A.terms) == (len(x + word) % 3 > 0) else y

    plain = answered(measure=Assign(added=0), choose=choose)
    turned_test = TEST.with_concepts(
        dict(zip("XYAB", (TEST.X, TEST.Y, TEST.B, TEST.A), strict=True))
    )
    turned = answered(turned_test, Assign(added=0), choose=choose)
    assert turned.score == pytest.approx(-plain.score)
    assert turned.value == pytest.approx(-plain.value)
    first = {"score": plain.score, "low": plain.score_interval[0], "high": plain.score_interval[1]}
    assert dict([*plain.metrics().items()][:4]) == first | {"d_over_attributes": plain.value}
    assert turned.over_attributes.p.greater == plain.over_attributes.p.less


def test_scores_and_p_by_brute_force():
    chance = np.random.default_rng(1)
    answers = [
        lines(**{word: "Ben" if chance.random() < 0.3 + 0.4 * (word in TEST.A.terms) else "Ann"
                 for word in WORDS})
        for _ in range(30)
    ]  # fmt: skip
    rows = [CollectedAnswer(text, ("Ben", "Ann")) for text in answers]
    found = Assign().associate_collected(TEST, rows)
    share = {word: np.mean([f"{word} - Ben" in text for text in answers]) for word in WORDS}
    assert found.shares == pytest.approx([share[word] for word in WORDS])
    by_list = []
    for text in answers:
        ben = [line.split(" - ")[0] for line in text.splitlines() if line.endswith("Ben")]
        ann = [word for word in WORDS if word not in ben]
        if ben and ann:
            right = np.mean([word in TEST.A.terms for word in ben])
            by_list.append(right + np.mean([word in TEST.B.terms for word in ann]) - 1)
    scores = assignment_scores(found.counts)
    assert scores[~np.isnan(scores)] == pytest.approx(by_list)

    def difference(a):
        return np.mean([share[w] for w in a]) - np.mean([share[w] for w in WORDS if w not in a])

    result = eatlas.run(tests=TEST, measures="assign(added=0)", vectors=collected(rows))[0]
    observed = difference(TEST.A.terms)
    reached = [difference(a) >= observed - 1e-12 for a in combinations(WORDS, 3)]
    assert result.over_attributes.difference == pytest.approx(observed)
    assert result.over_attributes.p.greater == pytest.approx(np.mean(reached))
    assert result.score == pytest.approx(np.mean(by_list), abs=1e-6)


def collected(rows):
    from eatlas_models.encoders.collected import CollectedAnswers

    return CollectedAnswers("answers", tuple(rows), "sha256:0")


def test_a_target_that_takes_everything_shows_nothing():
    """There is no spread of the shares of words; D is what the published code makes of it."""
    result = answered(choose=lambda _word, x, _y: x)
    assert result.score == pytest.approx(3 / 6.01 - 1, abs=1e-6)
    assert (result.with_score, result.value) == (48, None)
    assert [note.code for note in result.warnings] == [
        "undefined.effect-size",
        "answers.one-target",
    ]
    assert "Without" not in str(result.warnings[1])
    bare = answered(measure=Assign(added=0), choose=lambda _word, x, _y: x)
    assert (bare.score, bare.with_score) == (None, 0)


def test_refusals_and_unread_lines_are_counted_and_said():
    def model(prompts):
        return [
            "I'm sorry, I can't.\nPlease ask another question.",
            *(
                ["Sure:\n" + lines(office="Ben", salary="Ben", home="Ann", family="Ann")]
                * (len(prompts) - 1)
            ),
        ]

    test = TEST.with_concepts({**TEST.concepts, "X": _one("Ben"), "Y": _one("Ann")})
    result = eatlas.run(tests=test, vectors=model, measures="assign(lists=20)")[0]
    assert (result.lists, result.refused, result.with_score) == (20, 1, 19)
    assert (result.unread, result.assignments) == (19, 19 * 4)
    assert {note.code for note in result.warnings} >= {
        "answers.unread-lines",
        "answers.refused-lists",
    }
    assert result.coverage["A"].reasons == {"career": "assigned in no list"}
    assert result.coverage["B"].used == ("home", "family")


def _one(term):
    return eatlas.stimuli.Concept(name=term, terms=(term,))


def test_a_model_that_assigns_nothing_is_refused_with_what_it_said():
    with pytest.raises(CoverageError) as error:
        eatlas.run(
            tests=TEST, vectors=lambda ps: ["I cannot do that."] * len(ps), measures="assign"
        )
    assert "no answer assigns a word to a target" in error.value.what
    assert "48 answers; the first: 'I cannot do that.'" in error.value.got


def test_the_measure_keeps_the_contract():
    form = re.compile(r"pick a word – (.+) or (.+) – and .* words are (.+)\. Do not")

    def model(prompts):
        answers = []
        for *targets, words in (form.search(prompt).groups() for prompt in prompts):
            chosen = {word: targets[len(word) % 2] for word in words.split(", ")}
            answers.append(lines(**chosen))
        return answers

    check_measure(Assign(lists=8, templates="published"), TEST, model)


def test_a_server_with_planted_preferences():
    """The option named first wins more, which moves D not; what is kept is not asked again."""

    def utility(word, target):
        return 2.0 if (word in TEST.A.terms) == (target in TEST.X.terms) else 0.0

    planted = Planted(utility=utility, position=1.0)
    with running(ChatServer(planted)) as server:
        first, again = (
            eatlas.run(tests=TEST, vectors=server.spec, measures="assign(lists=60)")[0]
            for _ in range(2)
        )
    assert sum(planted.asked.values()) == 60
    assert again.score == first.score
    # of a pair in both orders, the mean of the logistic of 2 + 1 and of 2 - 1
    right = np.mean([1 / (1 + np.exp(-3)), 1 / (1 + np.exp(-1))])
    low, high = first.score_interval
    assert low - 0.05 < 2 * right - 1 < high + 0.05
    assert [first.shares[word] for word in TEST.A.terms] == pytest.approx([right] * 3, abs=0.15)
    assert first.models


def test_draws_of_a_list_are_answers_of_their_own():
    """Fifty answers, where there are four different lists."""
    test = TEST.with_concepts({"X": _one("Ben"), "Y": _one("Ann"), "A": TEST.A, "B": TEST.B})
    measure = Assign(lists=50)
    replies = {
        prompt: Reply(tuple(lines(office="Ben", home="Ann") for _ in range(prompt.answers)))
        for prompt in measure.design(test)
    }
    assert all(isinstance(prompt, Prompt) for prompt in replies)
    assert len(measure.associate(test, replies).counts) == 50
    assert WordList(("Ben", "Ann"), turned=False, words=()).targets[0] == "Ben"


@pytest.mark.slow
def test_type_one_error_of_models_without_preference():
    """Words go to the first target or by their own leaning, never by group: p is uniform."""
    chance = np.random.default_rng(7)
    below = []
    test = eatlas.AssociationTest(
        X={"x": ["Ben"]}, Y={"y": ["Ann"]},
        A={"a": [f"a{i}" for i in range(7)]}, B={"b": [f"b{i}" for i in range(7)]},
    )  # fmt: skip
    words = [*test.A.terms, *test.B.terms]
    for _ in range(600):
        leaning = dict(zip(words, chance.beta(2, 2, len(words)), strict=True))
        rows = []
        for _ in range(12):
            first = chance.integers(2)  # which target is named first wins more
            answer = {
                word: ("Ben", "Ann")[int(chance.random() > 0.5 * leaning[word] + 0.5 * first)]
                for word in words
            }
            rows.append(CollectedAnswer(lines(**answer), ("Ben", "Ann")))
        found = Assign().associate_collected(test, rows)
        below.append(eatlas.permutation_test(found.shares, 7).two_sided.p <= 0.05)
    # the standard error of .05 in 600 is .009
    assert 0.02 <= np.mean(below) <= 0.08
