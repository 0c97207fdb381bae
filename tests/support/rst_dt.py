"""A small treebank in RST-DT's exact layout, with Penn Treebank files; every word is our own.

It has what the real one has: n-ary nodes, ``<P>`` marks, ``//TT_ERR`` comments, brackets in the text,
documents called ``file1``, second annotations, nodes with two relations among their nuclei, and EDUs
that cross the edge of a Penn Treebank sentence.
"""

from support.small_corpora import write

MAIN, DOUBLE = "RSTtrees-WSJ-main-1.0", "RSTtrees-WSJ-double-1.0"
TRAINING = ("wsj_0601", "wsj_0602", "wsj_0603", "wsj_0604", "wsj_0605", "wsj_0606", "wsj_0607", "file1")
TEST = ("wsj_0608", "wsj_0609", "wsj_0610")
TWICE = {"wsj_0601": "TRAINING", "wsj_0609": "TEST"}
PENN_NAMES = {"file1": "wsj_0764"}

N_SENTENCES = 4
"""Sentences of each document."""

_PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jon", "Kit")

_EDUS = (
    '"{who} left (for good),',
    'because it rained,"',
    "said an aunt, the U.S. consul.<P>",
    "If it snows,",
    "{who} stays,",
    "reads",
    "and sleeps.",
    "Nobody paid $1/2.",
    "{who} asked,",
    "as he knew.",
)

_MRG = r"""
( (S (`` ``)
    (S-TPC-1 (NP-SBJ (NNP {who}) )
      (VP (VBD left) (PRN (-LRB- -LRB-) (PP (IN for) (JJ good) ) (-RRB- -RRB-) ) (, ,)
        (SBAR (IN because) (S (NP-SBJ (PRP it) ) (VP (VBD rained) )))))
    (, ,) ('' '')
    (VP (VBD said) (S (-NONE- *T*-1) ))
    (NP-SBJ (NP (DT an) (NN aunt) ) (, ,) (NP (DT the) (NNP U.S.) (NN consul) ))
    (. .) ))
( (S (SBAR-ADV (IN If) (S (NP-SBJ (PRP it) ) (VP (VBZ snows) )))
    (, ,)
    (NP-SBJ (NNP {who}) )
    (VP (VP (VBZ stays) ) (, ,) (VP (VBZ reads) ) (CC and) (VP (VBZ sleeps) ))
    (. .) ))
( (S (NP-SBJ (NN Nobody) ) (VP (VBD paid) (NP ($ $) (CD 1\/2) (-NONE- *U*) )) (. .) ))
( (S (NP-SBJ (NNP {who}) ) (VP (VBD asked) (, ,) (SBAR (IN as) (S (NP-SBJ (PRP he) ) (VP (VBD knew) )))) (. .) ))
"""


def write_rst_dt(folder, dev=()):
    """Write the treebank; the documents of ``dev`` go from ``TRAINING`` to a folder ``DEV``."""
    files: dict[str, str] = {}
    for number, name in enumerate((*TRAINING, *TEST)):
        part = "TEST" if name in TEST else "DEV" if name in dev else "TRAINING"
        files |= _document(f"{MAIN}/{part}", name, number)
        if name in TWICE:
            files |= _document(DOUBLE, name, number, second=True)
    return write(folder, files)


def write_penn(folder):
    """Write the Penn Treebank files of the same documents."""
    files: dict[str, str] = {}
    for number, name in enumerate((*TRAINING, *TEST)):
        penn_name = PENN_NAMES.get(name, name)
        files[f"{penn_name[4:6]}/{penn_name}.mrg"] = _MRG.replace("{who}", _PEOPLE[number])
    return write(folder, files)


def is_crossing(name):
    """Whether an EDU of a document runs from its third sentence into its fourth."""
    return (*TRAINING, *TEST).index(name) % 4 == 1


def _document(part, name, number, second=False):
    base = name if name.startswith("file") else f"{name}.out"
    edus = [edu.replace("{who}", _PEOPLE[number]) for edu in _EDUS]
    if is_crossing(name):
        edus[7:9] = [f"{edus[7]} {edus[8]}"]
    plain = [edu.replace("<P>", "") for edu in edus]
    return {
        f"{part}/{base}": f"   {' '.join(plain[:3])}\n\n   {' '.join(plain[3:])}\n",
        f"{part}/{base}.edus": "".join(f"    {edu}\n" for edu in plain),
        f"{part}/{base}.dis": _tree(edus, two_relations=number % 4 == 2, second=second),
    }


def _tree(edus, *, two_relations, second):
    def leaf(number, role, relation, comment=""):
        text = f"(text _!{edus[number - 1]}_!)"
        return f"( {role} (leaf {number}) (rel2par {relation}) {text} ){comment}\n"

    last = len(edus)
    rest = (
        leaf(8, "Nucleus", "span") + leaf(9, "Satellite", "circumstance")
        if last == 9
        else leaf(8, "Nucleus", "span")
        + "( Satellite (span 9 10) (rel2par evidence)\n"
        + leaf(9, "Nucleus", "span")
        + leaf(10, "Satellite", "circumstance")
        + ")\n"
    )
    return (
        f"( Root (span 1 {last})\n"
        "( Nucleus (span 1 7) (rel2par span)\n"
        "( Nucleus (span 1 3) (rel2par span)\n"
        "( Nucleus (span 1 2) (rel2par span)\n"
        + leaf(1, "Nucleus", "span", "//TT_ERR")
        + leaf(2, "Satellite", "result" if second else "explanation-argumentative")
        + ")\n"
        + leaf(3, "Satellite", "attribution")
        + ") //TT_ERR\n"
        "( Satellite (span 4 7) (rel2par elaboration-additional)\n"
        + leaf(4, "Satellite", "condition")
        + "( Nucleus (span 5 7) (rel2par span)\n"
        + leaf(5, "Nucleus", "List")
        + leaf(6, "Nucleus", "List")
        + leaf(7, "Nucleus", "Sequence" if two_relations else "List")
        + ")\n)\n)\n"
        f"( Satellite (span 8 {last}) (rel2par elaboration-additional-e)\n{rest})\n)\n"
    )
