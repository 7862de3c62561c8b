"""Run the task with models of three kinds of answers; in a process of its own, as inspect_ai warns.

Prints a JSON line with the metrics of each: stereotyped, by hand, refusing.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

import eatlas
from eatlas_models.integrations import word_choices

WEAT6 = eatlas.load_tests("weat-6")[0]
BY_HAND = eatlas.AssociationTest(
    id="hand",
    **{
        role: eatlas.Concept(name=role, terms=[f"{role.lower()}{i}" for i in range(1, 5)])
        for role in "XYAB"
    },
)


def stereotyped(word: str, first: str, second: str) -> str:
    group = WEAT6.X.terms if word in WEAT6.A.terms else WEAT6.Y.terms
    return f"“{first if first in group else second}”."


def by_hand(word: str, first: str, second: str) -> str:
    """Of a, the first word; of b, always Y; but no choice of a4 and b4."""
    y = first if first.startswith("y") else second
    no_choice = {"a4": "I would rather not", "b4": f"{first} and {second}"}
    return no_choice.get(word, first if word.startswith("a") else y)


def metrics_of(answer: Callable[[str, str, str], str], **changes: Any) -> dict[str, float]:
    def output(messages: Any, *others: Any) -> ModelOutput:
        question = re.search("with “(.*)”: (.*) or (.*)\\?", messages[-1].text)
        said = ModelOutput.from_content("mockllm", answer(*question.groups()))
        said.usage = ModelUsage()  # else tokens are counted by a file of the network
        return said

    (log,) = evaluate(
        word_choices(**changes),
        model=get_model("mockllm/model", custom_outputs=output),
        log_dir=sys.argv[1],
        display="none",
    )
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


if __name__ == "__main__":
    print(json.dumps(metrics_of(stereotyped)))
    print(json.dumps(metrics_of(by_hand, test=BY_HAND, pairs=2)))
    print(json.dumps(metrics_of(lambda *_: "No.", test=BY_HAND, pairs=1)))
