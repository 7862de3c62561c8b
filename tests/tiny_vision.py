"""Models of images, alone or beside texts, of a few thousand weights; and images that are drawn."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.tiny_models import TEXTS

BACKBONES = ("vit", "dinov2_with_registers", "resnet")
TOWERS = ("clip", "siglip")
EDGE, PATCH, LAYERS = 32, 8, 3
COLOURS = ("crimson", "orange", "gold", "green", "teal", "navy", "purple", "brown")


def draw(path: Path, number: int = 0, size: tuple[int, int] = (57, 44), mode: str = "RGB") -> Path:
    """Draw an image with shapes that differ from number to number, and on each side."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", size, "ivory")
    pen, (width, height) = ImageDraw.Draw(image), size
    step = 1 + number % 5
    first, second = (COLOURS[(number + k) % len(COLOURS)] for k in (0, 3))
    pen.ellipse((step, 2, step + width // 2, 2 + height // 2), fill=first)
    pen.rectangle((width // 2, height // 2 + step, width, height), fill=second)
    pen.line((0, height, width, number % height), fill="black", width=1 + number % 3)
    image.convert(mode).save(path)
    return path


def make_backbone(folder: Path, family: str) -> Path:
    """Write a randomly initialised model of images and its image processor."""
    import torch
    from transformers import AutoConfig, AutoModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        AutoModel.from_config(AutoConfig.for_model(family, **_backbone(family))).save_pretrained(
            folder
        )
    _processor(family).save_pretrained(folder)
    return folder


def make_towers(folder: Path, family: str) -> Path:
    """Write a randomly initialised two-tower model, its tokenizer and its image processor."""
    import torch
    from transformers import AutoConfig, AutoModel

    tokenizer = _tokenizer(family, folder)
    tokenizer.save_pretrained(folder)
    config = AutoConfig.for_model(family, **_towers(family, tokenizer))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        AutoModel.from_config(config).save_pretrained(folder)
    _processor(family).save_pretrained(folder)
    return folder


def _processor(family: str) -> Any:
    """A real image processor, which resizes, cuts and normalises as those of the family do."""
    from eatlas.encoders.images import load_processor

    square, half = {"height": EDGE, "width": EDGE}, [0.5, 0.5, 0.5]
    cut = {"size": {"shortest_edge": EDGE + 4}, "crop_size": square, "do_center_crop": True}
    clip = {
        **cut, "resample": 3, "image_mean": [0.48, 0.46, 0.41], "image_std": [0.27, 0.26, 0.28],
        "do_convert_rgb": True,
    }  # fmt: skip
    said = {
        "clip": {"image_processor_type": "CLIPImageProcessor", **clip},
        "siglip": {"image_processor_type": "SiglipImageProcessor", "size": square, "resample": 3},
        "dinov2_with_registers": {
            "image_processor_type": "BitImageProcessor", **cut, "resample": 3,
        },
        "resnet": {"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": EDGE}},
    }.get(family, {"image_processor_type": "ViTImageProcessor", "size": square, "resample": 2})  # fmt: skip
    usual = {"do_resize": True, "do_rescale": True, "do_normalize": True}
    with TemporaryDirectory() as folder:
        settings = {"image_mean": half, "image_std": half, **usual, **said}
        (Path(folder) / "preprocessor_config.json").write_text(json.dumps(settings))
        return load_processor(Path(folder), trust=False)


def _backbone(family: str) -> dict[str, Any]:
    usual = {
        "hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2,
        "intermediate_size": 32, "image_size": EDGE, "patch_size": PATCH, "initializer_range": 0.4,
    }  # fmt: skip
    return {
        "resnet": {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
        "dinov2_with_registers": {**usual, "mlp_ratio": 2, "num_register_tokens": 2},
    }.get(family, usual)  # fmt: skip


def _towers(family: str, tokenizer: Any) -> dict[str, Any]:
    usual = {
        "hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2,
        "intermediate_size": 32,
    }  # fmt: skip
    image = {**usual, "image_size": EDGE, "patch_size": PATCH}
    text = {
        **usual, "vocab_size": len(tokenizer), "max_position_embeddings": 40,
        "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.bos_token_id,
    }  # fmt: skip
    if family == "siglip":
        return {"text_config": {**text, "max_position_embeddings": 64}, "vision_config": image}
    return {"text_config": text, "vision_config": image, "projection_dim": 12}


def _tokenizer(family: str, folder: Path) -> Any:
    """A tokenizer of the family's own kind, trained on a few sentences."""
    return {"clip": _pairs, "siglip": _sentence_pieces}[family](folder)


def _pairs(folder: Path) -> Any:
    """Byte pairs of CLIP: lower case, and a mark at the end of a word."""
    folder.mkdir(parents=True, exist_ok=True)
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import CLIPTokenizerFast

    made = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Lowercase()
    words = pre_tokenizers.Split(Regex(r"\s+"), "removed")
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400,
            initial_alphabet=alphabet,
            end_of_word_suffix="</w>",
            show_progress=False,
        ),
    )
    made.model.save(str(folder))
    vocabulary = json.loads((folder / "vocab.json").read_text())
    for more in (*(f"{one}</w>" for one in sorted(alphabet)), "<|startoftext|>", "<|endoftext|>"):
        vocabulary.setdefault(more, len(vocabulary))
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    return CLIPTokenizerFast.from_pretrained(str(folder), model_max_length=40)


def _sentence_pieces(folder: Path) -> Any:
    """Pieces of SigLIP: lower case without punctuation, an end, and padding to 64."""
    folder.mkdir(parents=True, exist_ok=True)
    import sentencepiece
    from transformers import SiglipTokenizer

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 4),
        model_prefix=str(folder / "spiece"),
        vocab_size=60,
        bos_id=-1,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        minloglevel=2,
    )
    return SiglipTokenizer(
        str(folder / "spiece.model"), model_max_length=64, model_input_names=["input_ids"]
    )


def draw_shape(path: Path, colour: str, rng: Any) -> Path:
    """Draw a circle or a square of about a colour, somewhere on a light ground."""
    from PIL import Image, ImageDraw

    base = {"red": (205, 45, 45), "blue": (45, 45, 205)}[colour]
    fill = tuple(int(one) for one in rng.integers(-35, 36, 3) + base)
    ground = tuple(int(one) for one in rng.integers(200, 256, 3))
    image = Image.new("RGB", (EDGE + 8, EDGE + 8), ground)
    size = int(rng.integers(12, 26))
    left, top = (int(one) for one in rng.integers(0, EDGE + 8 - size, 2))
    box, pen = (left, top, left + size, top + size), ImageDraw.Draw(image)
    (pen.ellipse if rng.random() < 0.5 else pen.rectangle)(box, fill=fill)
    image.save(path)
    return path


def train_towers(folder: Path, pairs: list[tuple[Path, str]], steps: int = 60) -> Path:
    """Train the tiny CLIP to tell which text goes with which image, by its own contrastive loss."""
    import torch
    from PIL import Image
    from transformers import AutoTokenizer, CLIPModel

    from eatlas.encoders.images import load_processor

    make_towers(folder, "clip")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    processor = load_processor(folder, trust=False)
    pixels = torch.cat(
        [
            processor(images=[Image.open(path)], return_tensors="pt")["pixel_values"]
            for path, _ in pairs
        ]
    )
    texts = tokenizer([text for _, text in pairs], padding=True, return_tensors="pt")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = CLIPModel.from_pretrained(folder).train()
        optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3)
        for _ in range(steps):
            some = torch.randperm(len(pairs))[:32]
            batch = {name: one[some] for name, one in texts.items()}
            loss = model(pixel_values=pixels[some], **batch, return_loss=True).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    model.save_pretrained(folder)
    return folder
