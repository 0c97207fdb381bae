"""CoNLL-U and DISRPT's ``.conllu`` and ``.tok``: tokens, sentences, EDUs, trees, and all else as it stands.

Rewriting a file changes nothing but this: line ends become LF, one blank line ends a sentence,
comments about the whole document come first, a file without ``# newdoc id`` and a sentence
without any comment get the usual ones, and the MISC fields that the document says itself (EDU
labels and spacing) stand in alphabetical order among the others.

A ``.tok`` file has the same lines, one block of them per document and no sentences. Syntax
counts words from the start of a sentence, so that ``.tok`` cannot hold it.
"""

from rhetree.formats.conllu.reader import read, read_tok
from rhetree.formats.conllu.writer import write, write_tok
from rhetree.formats.format import Format, Layer

__all__ = ["CONLLU", "TOK"]

_HOLDS = frozenset({Layer.TEXT, Layer.SPACING, Layer.TOKENS, Layer.FORMS, Layer.EDUS, Layer.METADATA})

CONLLU = Format(
    name="conllu",
    suffixes=(".conllu",),
    read=read,
    write=write,
    holds=_HOLDS | {Layer.SENTENCES, Layer.TREE, Layer.NARY, Layer.SYNTAX, Layer.BLOCKS},
    needs=frozenset({Layer.SENTENCES}),
    many=True,
)

TOK = Format(name="tok", suffixes=(".tok",), read=read_tok, write=write_tok, holds=_HOLDS, many=True)
