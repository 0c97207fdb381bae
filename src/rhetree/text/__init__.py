"""From raw text to tokens and sentences with exact character offsets, cut as the treebanks cut them.

The work is done by syntok, which did best of the small and fast libraries on GUM
(``docs/experiments.md``); what is ours corrects its output where the treebanks differ.
"""

from rhetree.text.tokenizing import tokenize, tokenize_edus

__all__ = ["tokenize", "tokenize_edus"]
