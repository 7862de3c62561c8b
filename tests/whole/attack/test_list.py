"""Every finding of an attack has a test by its number, and stays mended as long as the test is there.

``findings.toml`` has a line for each number: what was done, and what is so now. To add one:

1. Take the next number of the round, and write the line, in two or three sentences.
2. Write the test, here or in a file beside it: ``test_A21_what_is_so_now``. A test of two findings has
   both numbers, ``test_A14_N20_...``; a finding may have several tests.
3. See it fail without the mend. Attacks run bounded (``no_more_memory_than``, sparse files, pipes) and
   at the loopback address alone; they take a second or two, or are slow.

Whoever deletes a test deletes its number in the list, and says why.
"""

import ast
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
NUMBERS = re.compile(r"test_((?:[AFN][0-9]+_)+)")


def listed():
    return tomllib.loads((HERE / "findings.toml").read_text(encoding="utf-8"))


def numbers_of_tests():
    """Numbers in the names of the tests of this folder, with the tests."""
    names = [
        (path.name, node.name)
        for path in sorted(HERE.glob("test_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    return {
        number: f"{file}::{name}"
        for file, name in names
        if (found := NUMBERS.match(name))
        for number in found[1].split("_")[:-1]
    }


def test_every_finding_has_a_test_by_its_number():
    assert sorted(listed().keys() - numbers_of_tests().keys()) == []


def test_every_number_of_a_test_is_that_of_a_finding():
    assert {
        number: test for number, test in numbers_of_tests().items() if number not in listed()
    } == {}


def test_each_line_says_what_was_done_and_what_is_so_now():
    for number, text in listed().items():
        assert re.fullmatch(r"[AFN][1-9][0-9]*", number)
        assert len(re.findall(r"[.](?: |$)", text)) >= 2, number
