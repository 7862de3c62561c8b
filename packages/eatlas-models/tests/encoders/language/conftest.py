import pytest
from tests.encoders.language import tiny


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Tiny models with their heads, each in a folder."""
    made = {}
    for build in (tiny.bert, tiny.gpt2):
        model, tokenizer = build()
        folder = tmp_path_factory.mktemp(build.__name__)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        made[build.__name__] = folder
    return made
