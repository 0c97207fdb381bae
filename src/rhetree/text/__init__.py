"""Splits raw text into tokens and sentences with exact character offsets, following the treebanks' conventions.

syntok finds the tokens: it was the best of the small, fast libraries on GUM (``docs/experiments.md``), and our
code corrects its output where the treebanks differ. A small network finds the sentences (``splitter``).
"""

from rhetree.text.tokenizing import add_sentences, tokenize, tokenize_edus

__all__ = ["add_sentences", "tokenize", "tokenize_edus"]
