"""Effect sizes and the finding of a record are computed once, and nothing else sees them."""

import copy
import pickle

import eatlas


def test_effects_and_finding_are_computed_once():
    (result,) = eatlas.run("weat-6")
    (first, *_), finding = result.effects(), result.finding
    assert result.effects()[0] is first
    assert first.after is first.after
    assert result.finding is finding


def test_copies_and_files_of_a_record_have_its_fields_alone():
    (result,) = eatlas.run("weat-6")
    fresh, before = result.model_copy(), result.to_dict()
    assert result.effects()
    assert result.to_dict() == before
    sent = pickle.loads(pickle.dumps(result))  # noqa: S301  (made in this line)
    for same in (fresh, copy.deepcopy(result), sent):
        assert same == result
        assert vars(same).keys() == type(result).model_fields.keys()
    plain = result.model_copy(update={"adjusted": None})
    assert plain.effects()[0].after is None
    assert plain.finding != result.finding
