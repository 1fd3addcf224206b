"""Models of random weights, made in a moment: what a re-ranker does with its model, without one to download."""

from __future__ import annotations

import string
from pathlib import Path

SYMBOLS = string.ascii_lowercase + string.digits + string.punctuation


def make_cross_encoder(folder: Path, *, labels: int = 1, seed: int = 7, hidden: int = 32, positions: int = 64) -> Path:
    """A BERT of two layers that scores pairs, saved as `from_pretrained` wants it; it reads one letter as one token.

    Its head is ten times the usual, so that scores lie apart and on both sides of 0.
    """
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder.mkdir(parents=True, exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *SYMBOLS, *(f"##{symbol}" for symbol in SYMBOLS)]
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * hidden,
        max_position_embeddings=positions,
        initializer_range=0.2,
        num_labels=labels,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BertForSequenceClassification(config)
    model.classifier.weight.data *= 10
    model.save_pretrained(folder)
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    return folder
