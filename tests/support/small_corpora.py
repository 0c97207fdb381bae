"""Tiny treebanks in the layouts that we know, written into a folder; every text is our own."""

DIS = """( Root (span 1 3)
  ( Nucleus (span 1 2) (rel2par span)
    ( Nucleus (leaf 1) (rel2par span) (text _!He came ,_!) )
    ( Satellite (leaf 2) (rel2par causal-cause) (text _!because it rained ._!) )
  )
  ( Satellite (leaf 3) (rel2par elaboration-additional) (text _!It poured ._!) )
)
"""

RS4 = """<rst>
  <header><relations><rel name="causal-cause" type="rst"/><rel name="elaboration-additional" type="rst"/></relations></header>
  <body>
    <segment id="1" parent="4" relname="span">He came ,</segment>
    <segment id="2" parent="1" relname="causal-cause">because it rained .</segment>
    <segment id="3" parent="4" relname="elaboration-additional">It poured .</segment>
    <group id="4" type="span" parent="5" relname="span"/>
    <group id="5" type="span"/>
  </body>
</rst>
"""

RSD = (
    "1\tHe came ,\t0\t_\t_\t_\t0\tROOT\t_\t_\n"
    "2\tbecause it rained .\t0\t_\t_\t_\t1\tcausal-cause_r\t_\t_\n"
    "3\tIt poured .\t1\t_\t_\t_\t1\telaboration-additional_r\t_\t_\n"
)

SENTENCES = [["He", "came", ",", "because", "it", "rained", "."], ["It", "poured", "."]]
EDU_STARTS = {("He", 0), ("because", 3), ("It", 0)}


def conllu(name, sentences=SENTENCES, edu_starts=EDU_STARTS, genre="weather"):
    lines = [f"# newdoc id = {name}", f"# meta::genre = {genre}"]
    for sentence in sentences:
        lines.append(f"# text = {' '.join(sentence)}")
        for number, form in enumerate(sentence):
            label = "Discourse=x" if (form, number) in edu_starts else "_"
            lines.append("\t".join([str(number + 1), form, *["_"] * 7, label]))
        lines.append("")
    return "\n".join([*lines, ""])


def write(folder, files):
    """The files, each with its path inside the folder."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def gum_layout(folder, names=("a", "b", "c"), trees=".dis"):
    files = {"train.txt": "a\n\n# the rest\nb\n", "test.txt": "c\n", "LICENSE.txt": "Ours.\n"}
    for name in names:
        files[f"conllu/{name}.conllu"] = conllu(name)
        if trees == ".dis":
            files[f"trees/{name}.dis"] = DIS
        else:
            files[f"rs4/{name}.rs4"] = RS4
    return write(folder, files)


SPLITS_MD = """# Splits

The standard splits of the corpus; test2 is of other genres.

  * no document

## dev

  * GUM_news_dev

## test

  * GUM_news_test

## test2

  * GENTLE_poetry_rain

## train

  * GUM_news_train
  * GUM_reddit_rain
"""
"""As in GUM's repository."""


def gum_repository(folder):
    """GUM as it is cloned: trees in four formats, CoNLL-U in ``dep``, ``splits.md``, one masked document."""
    files = {"splits.md": SPLITS_MD, "README.md": "Ours.\n"}
    for name in ("GUM_news_dev", "GUM_news_test", "GENTLE_poetry_rain", "GUM_news_train", "GUM_reddit_rain"):
        files[f"rst/lisp_binary/{name}.dis"] = files[f"rst/lisp_nary/{name}.dis"] = DIS
        files[f"rst/rstweb/{name}.rs4"] = RS4
        files[f"rst/dependencies/{name}.rsd"] = RSD
        files[f"dep/{name}.conllu"] = conllu(name)
    masked = [["_" * len(form) for form in sentence] for sentence in SENTENCES]
    # Its comment does not fit its tokens: a masked file need not be CoNLL-U that can be read.
    files["dep/GUM_reddit_rain.conllu"] = conllu("GUM_reddit_rain", masked, ()).replace(
        "# text = __", "# text = _"
    )
    return write(folder, files)


# The words of RST-DT's kind of file: running text, paragraphs, relations of its own.

PLAN_DIS = """( Root (span 1 4)
  ( Nucleus (span 1 3) (rel2par span)
    ( Satellite (leaf 1) (rel2par attribution) (text _!"The plan (half of it) is off,_!) )
    ( Nucleus (span 2 3) (rel2par span)
      ( Nucleus (leaf 2) (rel2par List) (text _!as the mayor's wife told the U.S._!) )
      ( Nucleus (leaf 3) (rel2par List) (text _!and he nodded."<P>_!) )
    )
  )
  ( Satellite (leaf 4) (rel2par elaboration-additional-e) (text _!Nobody paid $1/2._!) )
)
"""
PLAN_EDUS = [
    '"The plan (half of it) is off,',
    "as the mayor's wife told the U.S.",
    'and he nodded."',
    "Nobody paid $1/2.",
]
PLAN_TEXT = f"  {PLAN_EDUS[0]}\n{PLAN_EDUS[1]}  {PLAN_EDUS[2]} \n\n{PLAN_EDUS[3]}\n"
PLAN_MRG = r"""
( (S (`` ``) (NP (DT The) (NN plan) (PRN (-LRB- -LRB-) (NN half) (IN of) (PRP it) (-RRB- -RRB-) )) (VBZ is) (RP off) (, ,)
   (IN as) (NP (NP (DT the) (NN mayor) (POS 's) ) (NN wife) ) (VBD told) (NP (-NONE- *T*-1) ) (DT the) (NNP U.S.)
   (CC and) (PRP he) (VBD nodded) (. .) ('' '') ))
( (S (NN Nobody) (VBD paid) ($ $) (CD 1\/2) (. .) ))
"""


def rst_dt_layout(folder, names=("wsj_0001", "wsj_0002"), test=("wsj_0003",), double=("wsj_0001",)):
    files = {}
    parts = {
        "RSTtrees-WSJ-main-1.0/TRAINING": names,
        "RSTtrees-WSJ-main-1.0/TEST": test,
        "RSTtrees-WSJ-double-1.0": double,
    }
    for part, documents in parts.items():
        for name in documents:
            base = name if name.startswith("file") else f"{name}.out"
            files[f"{part}/{base}"] = PLAN_TEXT
            files[f"{part}/{base}.edus"] = "\n".join(f"    {edu}" for edu in PLAN_EDUS)
            files[f"{part}/{base}.dis"] = PLAN_DIS
    return write(folder, files)
