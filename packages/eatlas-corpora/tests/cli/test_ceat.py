"""`eatlas run --measure ceat`: what is printed."""

import re


def test_a_ceat_says_what_its_draws_say(eatlas_cli):
    ran = eatlas_cli(
        "run", "--tests", "sent-weat-9", "--vectors", "cbow:glove-sample",
        "--measure", "ceat(n=300)",
    )  # fmt: skip
    assert ran.code == 0
    assert "sent-weat-9: In 300 samples of " in ran.out
    said = " ".join(ran.out.split())
    assert re.search(
        r"the pattern is BY-Singular in \d+% and Non-Directional in \d+%; 95% of", said
    )
    assert "As Guo and Caliskan (2021) publish it: combined effect size (CES) 0.35" in said
    assert eatlas_cli("verify", "out/results.jsonl").code == 0
