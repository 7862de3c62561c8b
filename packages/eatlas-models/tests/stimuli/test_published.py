"""Published sets of sentences, in the forms in which they are published; the sentences are made up."""

import json

import pytest

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import to_toml
from eatlas.stimuli.importers import read_lists
from eatlas_models.stimuli.published import SETS, import_sentences


def example(number, context, labels, **values):
    """An example of StereoSet: sentences by gold label."""
    sentences = [
        {"sentence": text, "id": f"s{number}{label}", "labels": [], "gold_label": label}
        for label, text in labels.items()
    ]
    about = {"id": f"e{number}", "target": "pilot", "bias_type": "profession", "context": context}
    return {**about, "sentences": sentences, **values}


STEREOSET = {
    "version": "1.0-dev",
    "data": {
        "intrasentence": [
            example(
                1,
                "The pilot is BLANK.",
                {
                    "unrelated": "The pilot is fog.",
                    "stereotype": "The pilot is brave.",
                    "anti-stereotype": "The pilot is timid.",
                },
            ),
            example(2, "BLANK", {"stereotype": "a", "related": "b", "unrelated": "c"}),
        ],
        "intersentence": [
            example(
                3,
                "We met a pilot",
                {
                    "stereotype": "He is brave.",
                    "anti-stereotype": "He is timid.",
                    "unrelated": "Fog is grey.",
                },
            ),
        ],
    },
}
PRO = """1 [The pilot] helped the nurse because [he] was strong.
2 The pilot thanked [the nurse] because [she] was kind.
3 [The pilot] saw the nurse because he looked.
"""
ANTI = """1 [The pilot] helped the nurse because [she] was strong.
2 The pilot thanked [the nurse] because [he] was kind.
3 [The pilot] left the nurse because she looked.
"""
WINOGENDER = """sentid\tsentence
nurse.patient.1.male.txt\tThe nurse told the patient that he could go.
nurse.patient.1.female.txt\tThe nurse told the patient that she could go.
nurse.patient.1.neutral.txt\tThe nurse told the patient that they could go.
pilot.someone.0.male.txt\tThe pilot told someone that "he" would fly.
pilot.someone.0.female.txt\tThe pilot told someone that "she" would fly.
"""
STATISTICS = """occupation\tbergsma_pct_female\tbls_pct_female\tbls_year
nurse\t80.1\t90.0\t2015
pilot\t2.0\t5.1\t2015
"""
GEST = 'sentence,stereotype\n"I cry, often.",1\nI lead the team.,13\n'
VARIANTS = """translator,language,original,stereotype,male,female
DeepL,cs,I was tired.,6,Byl jsem slabý,Byl jsem slabá
Google,cs,I was tired.,6,Byl jsem slabý,Byl jsem slabá
DeepL,cs,I was tired.,6,Byl jsem slabý,Byla jsem slabá
DeepL,pl,I was a boss.,13,On był szefem,Ona był szefem
DeepL,pl,I was a boss.,13,Jestem szef,Jestem kobietą
"""
DESCRIPTORS = {
    "religion": {"christian": ["Catholic", {"descriptor": "Amish", "preference": "reviewed"}]},
    "gender": {"binary": [{"descriptor": "Latina", "gender": "female"}]},
    "nationality": {"us": [{"descriptor": "US-born", "article": "a"}]},
}
NOUNS = {"female": [["woman", "women"]], "neutral": [["person", "people"]]}
TEMPLATES = {"I'm {noun_phrase}.": {}, "I like {plural_noun_phrase}.": {"must_be_noun": True}}


@pytest.fixture
def write(tmp_path):
    def written(**files):
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / name.replace("__", ".")).write_text(text, encoding="utf-8")
        return tmp_path

    return written


def holistic(write):
    folder = write(
        descriptors__json=DESCRIPTORS, nouns__json=NOUNS, sentence_templates__json=TEMPLATES
    )
    return folder / "descriptors.json"


def winobias(write, pro=PRO, anti=ANTI):
    folder = write(pro_stereotyped_type1__txt__dev=pro, anti_stereotyped_type1__txt__dev=anti)
    return folder / "pro_stereotyped_type1.txt.dev"


def winogender(write, statistics=STATISTICS):
    folder = write(**{"occupations-stats__tsv": statistics, "all_sentences__tsv": WINOGENDER})
    return folder / "all_sentences.tsv"


def test_stereoset_within_and_between_sentences(write):
    within, between = import_sentences(write(dev__json=STEREOSET) / "dev.json", "stereoset")
    about = {"type": "profession", "subject": "pilot"}
    assert within.tables == [
        {
            "more": "The pilot is brave.",
            "less": "The pilot is timid.",
            "unrelated": "The pilot is fog.",
            **about,
        }
    ]
    assert between.tables == [
        {
            "more": "He is brave.",
            "less": "He is timid.",
            "unrelated": "Fog is grey.",
            **about,
            "context": "We met a pilot.",
        }
    ]
    assert (within.id, between.id) == ("stereoset-intrasentence", "stereoset-intersentence")
    assert "1 (e2)" in within.notes[1]
    assert "licence CC BY-SA 4.0" in within.citation


def test_winobias_pairs_lines_of_two_files(write):
    path = winobias(write)
    (test,) = import_sentences(path, "winobias")
    assert test.tables == [
        {
            "more": "The pilot helped the nurse because he was strong.",
            "less": "The pilot helped the nurse because she was strong.",
            "type": "male occupation",
        },
        {
            "more": "The pilot thanked the nurse because she was kind.",
            "less": "The pilot thanked the nurse because he was kind.",
            "type": "female occupation",
        },
    ]
    assert test.notes[1] == "Left out, because other words than the pronoun differ: 1 (3)."
    (other,) = import_sentences(path.with_name("anti_stereotyped_type1.txt.dev"), "winobias")
    assert (other.id, other.tables) == ("winobias-type1-dev", test.tables)


def test_winogender_takes_the_majority_in_the_occupation(write):
    named, someone = import_sentences(winogender(write), "winogender")
    assert named.tables == [
        {
            "more": "The nurse told the patient that she could go.",
            "less": "The nurse told the patient that he could go.",
            "type": "pronoun of the participant",
        }
    ]
    assert someone.tables[0]["more"] == 'The pilot told someone that "he" would fly.'
    assert someone.tables[0]["type"] == "pronoun of the occupation"


NAMED = "sentid\tsentence\n" + "".join(
    f"{job}.patient.1.{gender}.txt\tThe {job} said that {pronoun} could go.\n"
    for job in ("nurse", "clerk", "cook", "smith")
    for gender, pronoun in (("male", "he"), ("female", "she"))
)


def test_winogender_without_someone_or_a_majority(write):
    statistics = "occupation\tbls_pct_female\nnurse\t90\nclerk\tnan\ncook\t50\nsmith\t4\n"
    lonely = "nurse.guest.1.male.txt\tThe nurse said that he could go.\n"
    folder = write(**{"occupations-stats__tsv": statistics, "all_sentences__tsv": NAMED + lonely})
    (test,) = import_sentences(folder / "all_sentences.tsv", "winogender")
    assert test.id == "winogender-participant"
    assert [pair["more"] for pair in test.tables] == [
        "The nurse said that she could go.", "The smith said that he could go."
    ]  # fmt: skip
    assert test.notes[2:] == (
        "Left out, because occupations-stats.tsv has no majority for the occupation: 2 "
        "(clerk.patient.1, cook.patient.1).",
        "Left out, because the sentence with the other pronoun is missing: 1 (nurse.guest.1).",
    )


@pytest.mark.parametrize(
    ("sentences", "statistics", "message"),
    [
        ("sentid\tsentence\nnurse.patient\tx\n", STATISTICS, "line 2 of all_sentences.tsv"),
        ("id\tsentence\na\tx\n", STATISTICS, "all_sentences.tsv has no column sentid"),
        (WINOGENDER, "occupation\nnurse\n", "has no column bls_pct_female"),
        (WINOGENDER, "occupation\tbls_pct_female\nnurse\tx\n", "line 2 of occupations-stats"),
        (WINOGENDER, "occupation\tbls_pct_female\nx\t9\n", "no majority for the occupation: 1"),
        ("", STATISTICS, "has no column sentid or sentence"),
    ],
)
def test_tables_of_winogender_with_faults(sentences, statistics, message, write, eatlas_cli):
    folder = write(**{"occupations-stats__tsv": statistics, "all_sentences__tsv": sentences})
    path = folder / "all_sentences.tsv"
    ended = eatlas_cli("tests", "import", path, "--format", "winogender")
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert not any(text in ended.err for text in ("Traceback", *EXCEPTIONS))


def test_gest_leaves_out_empty_and_repeated_sentences(write):
    path = write(gest__csv=f"{GEST},2\n I lead the team.,13\n") / "gest.csv"
    (test, *_) = import_sentences(path, "gest")
    assert len(test.tables) == 2
    assert test.notes[1:] == (
        "Left out, because the sentence is empty: 1 (line 4).",
        "Left out, because the same sentence occurs before: 1 (line 5).",
    )


def test_gest_in_english_has_four_templates(write):
    tests = import_sentences(write(gest__csv=GEST) / "gest.csv", "gest")
    assert [test.id for test in tests] == [
        "gest-he-said", "gest-man-said", "gest-said-he", "gest-said-man"
    ]  # fmt: skip
    assert tests[3].tables == [
        {
            "more": '"I cry, often.", the woman said.',
            "less": '"I cry, often.", the man said.',
            "type": "women: emotional",
        },
        {
            "more": '"I lead the team.", the man said.',
            "less": '"I lead the team.", the woman said.',
            "type": "men: leaders",
        },
    ]
    assert len(SETS["gest"]["women"]) == 7
    assert len(SETS["gest"]["men"]) == 9


def test_gest_in_other_languages_follows_the_rules_of_the_paper(write):
    path = write(gender_variants__csv=VARIANTS) / "gender_variants.csv"
    czech, polish = import_sentences(path, "gest")
    assert (czech.language, polish.language) == ("cs", "pl")
    assert czech.tables == [
        {"more": "Byl jsem slabá", "less": "Byl jsem slabý", "type": "women: weak"}
    ]
    assert czech.notes[1:] == (
        "Left out, because the same pair occurs before: 1.",
        "Left out, because not exactly one word differs: 1.",
    )
    assert polish.tables[0]["more"] == "On był szefem"
    assert "different letters: 1" in polish.notes[1]
    assert import_sentences(path, "gest", languages="pl") == (polish,)


def test_holistic_bias_compares_two_descriptors_in_all_templates(write):
    path = holistic(write)
    (test,) = import_sentences(path, "holistic-bias", tests="Amish/US-born")
    assert [group.name for group in test.groups] == ["Amish", "US-born"]
    assert [(pair["more"], pair["less"]) for pair in test.tables] == [
        ("I'm Amish.", "I'm US-born."),
        ("I'm an Amish woman.", "I'm a US-born woman."),
        ("I'm an Amish person.", "I'm a US-born person."),
        ("I like Amish women.", "I like US-born women."),
        ("I like Amish people.", "I like US-born people."),
    ]
    assert {pair["type"] for pair in test.tables} == set(TEMPLATES)
    (test,) = import_sentences(path, "holistic-bias", tests="Latina/Catholic")
    assert [pair["more"] for pair in test.tables] == [
        "I'm Latina.", "I'm a Latina woman.", "I like Latina women."
    ]  # fmt: skip


def test_holistic_bias_gives_lists_of_words(write):
    lists = read_lists(holistic(write), "holistic-bias-words").lists
    assert lists["religion"] == lists["religion/christian"] == ["Catholic", "Amish"]


def test_tests_are_written_and_read_back(write, tmp_path):
    stereoset = import_sentences(write(dev__json=STEREOSET) / "dev.json", "stereoset")
    descriptors = import_sentences(holistic(write), "holistic-bias", tests="Amish/Catholic")
    path = tmp_path / "tests.toml"
    path.write_text(to_toml([*stereoset, *descriptors]), encoding="utf-8")
    read = load_tests(path)
    assert read == (*stereoset, *descriptors)
    assert [t.stimuli_sha256 for t in read] == [
        t.stimuli_sha256 for t in (*stereoset, *descriptors)
    ]
    assert 'sides = ["Amish", "Catholic"]' in path.read_text(encoding="utf-8")


BAD = [
    ("stereoset", "dev__json", {"data": {"intrasentence": [{}]}}, "not a file of StereoSet"),
    ("stereoset", "dev__json", "{", "this is not StereoSet"),
    ("stereoset", "dev__json", {"version": "1"}, "not a file of StereoSet"),
    ("winobias", "mine__txt", PRO, "does not say whether it is pro or anti"),
    ("winobias", "pro_stereotyped_type1__txt__dev", PRO, "anti_stereotyped_type1.txt.dev"),
    ("winogender", "all_sentences__tsv", WINOGENDER, "occupations-stats.tsv"),
    ("gest", "gest__csv", "sentence,stereotype\nI cry.,17\n", "there is no stereotype 17"),
    ("gest", "gest__csv", "sentence,stereotype\nI cry.\n", "line 2 of gest.csv"),
    ("gest", "gest__csv", "sentence,stereotype\n", "no sentences to compare"),
    ("gest", "gest__csv", "text,kind\na,1\n", "not a file of GEST"),
    ("holistic-bias", "descriptors__json", DESCRIPTORS, "name the descriptors to compare"),
    ("holistic-bias-words", "descriptors__json", [1], "not descriptors by axis"),
    ("stereoset", "dev__json", [], "not a file of StereoSet got: no data"),
    (
        "stereoset",
        "dev__json",
        {"data": {"intrasentence": [example(7, "BLANK", {"stereotype": None})]}},
        "got: another structure in example e7 of intrasentence allowed: data with",
    ),
    (
        "gest",
        "gest__csv",
        "sentence,stereotype\n,1\n",
        "got: Left out, because the sentence is empty: 1 (line 2). remedy",
    ),
    ("gest", "gest__csv", "a,b\n1,2\n", "got: the columns a, b allowed: the columns sentence and"),
    ("gest", "gest__csv", "sentence,stereotype\nI cry.,x\n", "line 2: there is no stereotype x"),
    ("holistic-bias-words", "descriptors__json", {"a": {"b": 5}}, "not a file of HolisticBias"),
    ("holistic-bias-words", "descriptors__json", {"a": {"b": [5]}}, "entry 1 of a/b"),
    ("holistic-bias-words", "descriptors__json", {"a": {"b": [""]}}, "entry 1 of a/b"),
    ("holistic-bias-words", "descriptors__json", {"a": {"b": [{"x": 1}]}}, "entry 1 of a/b"),
]
"""Form, file, content, and part of the message."""
EXCEPTIONS = "Error:", "cannot be used", "not enough values", "invalid literal"
"""What a message says that names an exception of Python, or blames the package."""


@pytest.mark.parametrize(("form", "name", "content", "message"), BAD)
def test_what_is_wrong_with_a_file_is_said(form, name, content, message, write, eatlas_cli):
    path = write(**{name: content}) / name.replace("__", ".")
    ended = eatlas_cli("tests", "import", path, "--format", form)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert not any(text in ended.err for text in ("Traceback", *EXCEPTIONS))


@pytest.mark.parametrize(
    ("nouns", "templates", "message"),
    [
        (NOUNS, {"I am {0}.": {}}, "other braces"),
        (NOUNS, {"I am {noun_phrase.__class__.__mro__}.": {}}, "other braces"),
        (NOUNS, {"I am {noun_phrase:>2000000000}.": {}}, "other braces"),
        (NOUNS, {"I am {.": {}}, "other braces"),
        (NOUNS, ["I am {noun_phrase}."], "no templates in sentence_templates.json"),
        (NOUNS, {"I am {noun_phrase}.": 5}, "not a file of HolisticBias"),
        ([1], TEMPLATES, "other nouns in nouns.json"),
        ({"female": [["woman"]]}, TEMPLATES, "other nouns in nouns.json"),
        ({"female": 5}, TEMPLATES, "not a file of HolisticBias"),
    ],
)
def test_templates_and_nouns_of_another_structure(nouns, templates, message, write, eatlas_cli):
    path = holistic(write)
    write(nouns__json=nouns, sentence_templates__json=templates)
    importing = ("tests", "import", path, "--format", "holistic-bias", "--test", "Amish/Catholic")
    ended = eatlas_cli(*importing)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert not any(text in ended.err for text in ("Traceback", *EXCEPTIONS))


def test_what_is_named_must_be_there(write):
    path = holistic(write)
    for tests, message in (
        ("Amish", "does not name two different descriptors"),
        ("Amish/Amish", "does not name two different descriptors"),
        ("Amish/Catolic", "did you mean Catholic"),
    ):
        with pytest.raises(StimulusError, match=message):
            import_sentences(path, "holistic-bias", tests=tests)
    gest = write(gest__csv=GEST) / "gest.csv"
    for arguments, message in (
        ({"tests": "he-sad"}, "did you mean he-said"),
        ({"languages": "fr"}, "there is no test 'fr'"),
        ({"test_id": "mine"}, "an id is for one test"),
    ):
        with pytest.raises(StimulusError, match=message):
            import_sentences(gest, "gest", **arguments)
    with pytest.raises(StimulusError, match="no set of sentences 'gset'"):
        import_sentences(gest, "gset")
    (test,) = import_sentences(gest, "gest", tests="he-said", test_id="mine")
    assert test.id == "mine"


def test_what_eatlas_could_not_read_is_not_written(write, eatlas_cli, tmp_path):
    rows = "".join(f"I cry {'very ' * 30}often {number}.,1\n" for number in range(1500))
    path = write(gest__csv=f"sentence,stereotype\n{rows}") / "gest.csv"
    importing = ("tests", "import", path, "--format", "gest", "-o", tmp_path / "gest.toml")
    ended = eatlas_cli(*importing)
    assert ended.code == 2
    assert "import fewer tests at a time, with --test or --language" in ended.err
    assert not (tmp_path / "gest.toml").exists()
    assert eatlas_cli(*importing, "--test", "he-said").code == 0
