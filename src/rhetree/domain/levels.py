"""How far up trees go."""

from typing import Literal, get_args

Level = Literal["sentence", "paragraph", "document"]
"""One tree a sentence, or one tree of the document. With "paragraph" that tree has each paragraph as a node."""

LEVELS: tuple[Level, ...] = get_args(Level)
