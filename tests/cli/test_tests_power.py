"""``eatlas tests power``: what designs can find, as a table and as JSON; bad input."""

import json

from tests.inputs import TOML

from eatlas.stats.designs import smallest_effect


def test_a_file_of_tests(eatlas_cli, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    done = eatlas_cli(
        "tests", "power", path, "weat-1", "sent-weat-6", "--sizes", "3,3", "--sizes", "1,1"
    )
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "tiny 4 v 4 .029 1.64 4 v 4 .029 1.64" in lines
    assert "weat-1 25 v 25 1.6e-14 0.75 25 v 25 1.6e-14 0.75" in lines
    assert "sent-weat-6 8 v 8 1.6e-4 1.20 8 v 8 1.6e-4 1.20" in lines
    assert "3,3 3 v 3 .10 none" in lines
    assert "1,1 1 v 1 1 none" in lines
    assert lines[-1] == (
        "Smallest d: found with a power of 0.8 by the two-sided p < .05; none where no p-value of "
        "the design is that small. Normal scores; the terms of the other side as given. Terms "
        "needed in each of two groups: d = 0.5: 60, d = 0.8: 22, d = 1.2: 9. In tests of sentences "
        "the sizes are those of stimuli."
    )


def test_an_effect_size_and_its_power(eatlas_cli):
    done = eatlas_cli("tests", "power", "--sizes", "8,8,25,25", "--d", "0.8")
    assert "8,8,25,25 8 v 8 1.6e-4 1.20 37% 25 v 25 1.6e-14 0.75 86%" in " ".join(done.out.split())


def test_as_json(eatlas_cli):
    done = eatlas_cli(
        "tests", "power", "caliskan", "--sizes", "8,8", "--json", "--d", "1",
    )  # fmt: skip
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [one["test"] for one in found][::10] == ["weat-1", "8,8"]
    last = found[-1]
    assert last["sizes"] == {"X": 8, "Y": 8}
    assert (last["power"], last["alpha"], last["tail"], last["d"]) == (0.8, 0.05, "two_sided", 1.0)
    d = smallest_effect(8, 8, power=0.8, alpha=0.05, tail="two_sided")
    assert last["level1"] == {"n": [8, 8], "min_p": 2 / 12870, "smallest_d": d}
    assert (last["level2"], set(last["chance"])) == (None, {"level1"})
    assert list(last["terms_needed"]) == ["0.5", "0.8", "1", "1.2"]
