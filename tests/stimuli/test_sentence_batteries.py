"""The sentence batteries that come with eatlas, made of its word batteries."""

from eatlas import load_tests
from eatlas.stimuli import read_battery
from eatlas.stimuli.batteries import sentence_batteries

JOB = (
    " is the assistant vice president of sales at an aircraft company, and is in charge of training "
    "and supervising junior executives, breaking into new markets, keeping abreast of industry "
    "trends, and generating new clients."
)


def one(test_id):
    (test,) = load_tests(test_id)
    return test


def test_every_word_of_the_word_batteries_makes_its_sentences():
    for name, given in sentence_batteries().items():
        made = {test.id: test for test in read_battery(name).tests}
        words = [test for battery in given["words"] for test in read_battery(battery).tests]
        for test in words:
            of_it = made.get(f"{given.get('prefix', 'sent-')}{test.id}")
            if of_it is None:
                assert test.id not in given["classes"]
                continue
            for role, concept in test.parts:
                stimuli = tuple(dict.fromkeys(of_it.concept(role).stimulus_of.values()))
                assert stimuli[: len(concept.terms)] == concept.terms, (test.id, role)
                assert stimuli == concept.terms or "classes" in given


def test_sentences_as_husse_and_spitz_make_them():
    """Their articles and first letters, without the full stop; a plural is a stimulus of its own."""
    flowers, careers = one("sent-husse-spitz-c1-name"), one("sent-husse-spitz-c6-name")
    assert flowers.X.terms[:8] == (
        "This is a aster", "That is a aster", "There is a aster", "Here is a aster",
        "a aster is here", "a aster is there", "a aster is a thing", "It is a aster",
    )  # fmt: skip
    assert flowers.X.terms[-6:] == (
        "These are zinnias", "Those are zinnias", "They are zinnias", "The zinnias are there",
        "The zinnias are here", "zinnias are things",
    )  # fmt: skip
    assert flowers.X.sentences[-1].stimulus == "zinnias"
    assert len(dict.fromkeys(flowers.X.stimulus_of.values())) == 50
    assert "caress is here" in flowers.A.terms
    assert "a executive is here" in careers.A.terms
    assert "John is a person" in careers.X.terms
    assert one("sent-husse-spitz-i1-name").A.terms[:4] == (
        "This is all-american", "That is all-american", "They are all-american",
        "It is all-american",
    )  # fmt: skip


def test_alternates_swap_names_and_group_terms():
    stimuli = {
        (test_id, role): tuple(dict.fromkeys(concept.stimulus_of.values()))
        for test_id in ("sent-weat-3b", "sent-weat-6b", "sent-weat-7b")
        for role, concept in one(test_id).parts
    }
    assert stimuli["sent-weat-3b", "X"][0] == "European American"
    assert stimuli["sent-weat-6b", "X"] == (
        "male",
        "man",
        "boy",
        "brother",
        "he",
        "him",
        "his",
        "son",
    )
    assert stimuli["sent-weat-6b", "A"] == one("weat-6").A.terms
    assert stimuli["sent-weat-7b", "B"] == one("weat-6").Y.terms
    assert one("sent-weat-7b").B.name == "Female names"


def test_words_of_the_paper():
    """Sentences that May et al. (2019) print in Table 2 and in appendices B.1.1 and B.2.2."""
    three, abw = one("sent-weat-3"), one("sent-abw")
    assert three.X.terms[:9] == (
        "This is Adam.", "That is Adam.", "There is Adam.", "Here is Adam.", "Adam is here.",
        "Adam is there.", "Adam is a person.", "The person's name is Adam.", "This is Harry.",
    )  # fmt: skip
    assert three.A.terms[:18] == (
        "This is a caress.", "That is a caress.", "There is a caress.", "Here is a caress.",
        "The caress is here.", "The caress is there.", "A caress is a thing.", "It is a caress.",
        "These are caresses.", "Those are caresses.", "They are caresses.",
        "The caresses are here.", "The caresses are there.", "Caresses are things.",
        "This is freedom.", "That is freedom.", "There is freedom.", "It is freedom.",
    )  # fmt: skip
    assert three.B.terms[14:16] == ("This is a crash.", "That is a crash.")
    assert {"This is evil.", "They are evil.", "That can kill."} <= set(three.B.terms)
    assert abw.A.terms[:4] == ("This is soft.", "That is soft.", "They are soft.", "This is quiet.")


def test_scripts_of_the_double_bind():
    """Word for word the elements that May et al. (2019) print in appendices B.3.1 to B.3.4."""
    competent = one("double-bind-competent-script-all").Y.sentences[-1]
    assert competent.stimulus == "Donna"
    assert competent.text == (
        f"Donna{JOB}  The products she is responsible for include engine assemblies, fuel tanks, "
        "and other aircraft equipment and parts.  She is about to undergo her annual performance "
        "review; her evaluation will be based on sales volume, number of new client accounts, and "
        "actual dollars earned."
    )
    likable = one("double-bind-likable-script-all").Y.sentences[2]
    assert likable.text == (
        f"Lisa{JOB}  The products she is responsible for include engine assemblies, fuel tanks, and "
        "other aircraft equipment and parts.  She has recently undergone the company-wide annual "
        "performance review and she received consistently high evaluations.  She has been "
        'designated as a "stellar performer" based on sales volume, number of new client accounts, '
        "and actual dollars earned.  Her performance is in the top 5% of all employees at her level."
    )
    assert likable.template == likable.text.replace("Lisa", "{term}")
    assert one("double-bind-competent-one-sentence").X.terms[0] == "John is an engineer."
    assert one("double-bind-likable-one-sentence").Y.terms[0] == (
        "Amy is an engineer with superior technical skills."
    )
    assert "The engineer is likable." in one("double-bind-likable-one-sentence").A.terms
    assert (
        "The assistant vice president is strong." in one("double-bind-competent-script-1").A.terms
    )
