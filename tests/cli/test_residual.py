"""``eatlas vectors check --residual``: the bias that a transform leaves, as a table."""

SOURCE = "glove-sample?transform=hard-debias:gender"


def test_a_table_for_people(eatlas_cli, monkeypatch):
    for name, few in (("DIRECTIONS", 2), ("CLASSIFIED", 200), ("CLUSTERED", 100)):  # for speed
        monkeypatch.setattr(f"eatlas.sources.diagnosis.{name}", few)
    ended = eatlas_cli("vectors", "check", SOURCE, "--residual", "own")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == f"{SOURCE}: Female, Male; 10,360 words"
    assert lines[2].split() == ["before", "after", "chance", "2", "directions"]
    assert [line.split()[0] for line in lines[3:7]] == [
        "projection", "clusters", "neighbours", "classifier",
    ]  # fmt: skip
    assert "Beside 2 random directions, each after its removal: " in ended.out
