"""The public names of Rhetree: this is the list, for type checkers and at run time alike.

``rhetree/__init__.py`` reads it and imports each name from its home when it is first used.
"""

from .corpora.corpus import Corpus as Corpus
from .corpora.corpus import read_corpus as read_corpus
from .domain.annotation import EmptyNode as EmptyNode
from .domain.annotation import FusedWord as FusedWord
from .domain.annotation import SecondaryEdge as SecondaryEdge
from .domain.annotation import Signal as Signal
from .domain.annotation import Syntax as Syntax
from .domain.binarize import as_nary as as_nary
from .domain.binarize import binarize as binarize
from .domain.binarize import unbinarize as unbinarize
from .domain.blocks import Block as Block
from .domain.chunks import Chunk as Chunk
from .domain.constraints import Constraints as Constraints
from .domain.constraints import SpanConstraint as SpanConstraint
from .domain.dependencies import Dependency as Dependency
from .domain.document import Document as Document
from .domain.document import Token as Token
from .domain.markup import Markup as Markup
from .domain.nary import NaryTree as NaryTree
from .domain.nary import Unit as Unit
from .domain.outline import OutlineEntry as OutlineEntry
from .domain.reading import Reading as Reading
from .domain.reading import SplitProbs as SplitProbs
from .domain.relations import GUM as GUM
from .domain.relations import PAPER_LABELS as PAPER_LABELS
from .domain.relations import RST_DT as RST_DT
from .domain.relations import Inventory as Inventory
from .domain.relations import read_inventory as read_inventory
from .domain.span import Span as Span
from .domain.summary import Passage as Passage
from .domain.summary import Summary as Summary
from .domain.tree import Split as Split
from .domain.tree import Tree as Tree
from .errors import ArgumentError as ArgumentError
from .errors import ConstraintError as ConstraintError
from .errors import EmbeddingError as EmbeddingError
from .errors import FileError as FileError
from .errors import MismatchError as MismatchError
from .errors import MissingExtraError as MissingExtraError
from .errors import ModelError as ModelError
from .errors import RhetreeError as RhetreeError
from .errors import SettingError as SettingError
from .errors import TrainingError as TrainingError
from .errors import TreebankError as TreebankError
from .errors import UnwritableError as UnwritableError
from .formats import FORMATS as FORMATS
from .formats import read as read
from .formats import read_one as read_one
from .formats import write as write
from .formats.format import Layer as Layer
from .metrics.counts import Counts as Counts
from .metrics.report import Evaluation as Evaluation
from .metrics.report import evaluate as evaluate
from .runtime.parser import Parser as Parser
from .runtime.parser import load as load
from .runtime.parser import parse as parse
from .runtime.parser import segment as segment

__version__: str
