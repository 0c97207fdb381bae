"""Treebanks as a whole: their layouts, splits, sentences, gold tokens and statistics."""
