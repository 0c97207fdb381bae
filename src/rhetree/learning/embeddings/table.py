"""Exporting a table of word vectors, which :class:`rhetree.runtime.words.TabledWords` reads."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from rhetree.learning.embeddings.vocabulary import Vocabulary
from rhetree.runtime.model import TABLE, VECTORS, WORDS

if TYPE_CHECKING:
    from rhetree.learning.export.precision import Precision


def export_table(
    folder: Path, vocabulary: Vocabulary, vectors: Tensor, precision: "Precision", *, lower_case: bool
) -> dict[str, Any]:
    """Write the words and their vectors; returns the runtime's settings for them.

    :param vectors: one row for padding, one for unknown words, then one for each word of the vocabulary
    :param lower_case: whether words that differ only in case are the same
    """
    words = json.dumps(vocabulary.words, ensure_ascii=False)
    (folder / WORDS).write_text(words, encoding="utf-8")
    dtype = torch.float32 if precision == "fp32" else torch.float16
    save_file({TABLE: vectors.detach().cpu().to(dtype).contiguous()}, folder / VECTORS)
    (folder / VECTORS).chmod(0o644)  # safetensors writes for the owner alone
    return {"kind": "table", "lower_case": lower_case}
