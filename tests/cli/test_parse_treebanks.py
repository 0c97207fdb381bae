"""Treebank files as input of ``rhetree parse``, and its ``.rs3`` files as input of the other commands."""

import json

import pytest

from rhetree.cli.main import main
from rhetree.formats import read_one
from support.fake_model import fake_parser
from support.parse_commands import CONLLU, STORY, command

pytestmark = pytest.mark.usefixtures("model")

TOK = """# newdoc id = rain
1\tIt\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
2\train-ed\t_\t_\t_\t_\t_\t_\t_\tSeg=O
3\t.\t_\t_\t_\t_\t_\t_\t_\tSeg=O
4\tWe\t_\t_\t_\t_\t_\t_\t_\tSeg=O
5\tleft\t_\t_\t_\t_\t_\t_\t_\tSeg=O
6\t.\t_\t_\t_\t_\t_\t_\t_\tSeg=O

# newdoc id = sun
1\tGood\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg

"""
EDUS = ["He said", "that it rained,", "so we stayed."]
FILES = {
    "edus": "\n".join(EDUS) + "\n",
    "dis": """( Root (span 1 3)
  ( Nucleus (span 1 2) (rel2par span)
    ( Satellite (leaf 1) (rel2par attribution) (text _!He said_!) )
    ( Nucleus (leaf 2) (rel2par span) (text _!that it rained,_!) ) )
  ( Satellite (leaf 3) (rel2par result) (text _!so we stayed._!) ) )
""",
    "rs3": """<rst><header><relations><rel name="result" type="rst"/></relations></header><body>
<segment id="1" parent="2" relname="attribution">He said</segment>
<segment id="2" parent="4" relname="span">that it rained,</segment>
<segment id="3" parent="4" relname="result">so we stayed.</segment>
<group id="4" type="span" parent="5" relname="span"/><group id="5" type="span"/></body></rst>
""",
}


def texts_of(record):
    return [
        record["text"][sentence["offsets"][start][0] : sentence["offsets"][end - 1][1]]
        for sentence in record["sentences"]
        for start, end in sentence["edus"]
    ]


@pytest.fixture(params=FILES)
def annotated(request, tmp_path):
    path = tmp_path / f"story.{request.param}"
    path.write_text(FILES[request.param], encoding="utf-8")
    return path


def test_edus_of_a_treebank_file_are_kept(annotated, capsys):
    assert command(annotated) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert (record["id"], texts_of(record)) == ("story", EDUS)
    assert "1 document came with EDUs, which were kept; --edus auto finds them anew" in captured.err
    tokens = [token for sentence in record["sentences"] for token in sentence["tokens"]]
    assert tokens[4:6] == ["rained", ","]


def test_edus_of_a_treebank_file_are_found_anew_on_request(annotated, tmp_path, capsys):
    text = tmp_path / "story.txt"
    text.write_text(" ".join(EDUS), encoding="utf-8")
    found = []
    for path in (annotated, text):
        assert command(path, "--edus", "auto") == 0
        found.append(json.loads(capsys.readouterr().out)["sentences"])
    assert found[0] == found[1]


def test_tokens_of_tok_are_taken_as_they_are_and_sentences_are_found(tmp_path, capsys):
    (tmp_path / "in.tok").write_text(TOK, encoding="utf-8")
    assert command(tmp_path / "in.tok") == 0
    rain, sun = map(json.loads, capsys.readouterr().out.splitlines())
    assert [sentence["tokens"] for sentence in rain["sentences"]] == [
        ["It", "rain-ed", "."],
        ["We", "left", "."],
    ]
    assert sun["id"] == "sun"


def test_gold_edus_of_tok_lie_inside_sentences(tmp_path, capsys):
    (tmp_path / "in.tok").write_text(TOK, encoding="utf-8")
    assert command(tmp_path / "in.tok", "--edus", "gold") == 0
    rain, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert [len(sentence["tokens"]) for sentence in rain["sentences"]] == [6]
    (tmp_path / "in.tok").write_text(TOK.replace("Seg=B-seg", "_").replace("Seg=O", "_"), encoding="utf-8")
    assert command(tmp_path / "in.tok", "--edus", "gold") == 2
    assert "it has no EDUs to keep, and gold EDUs were asked for" in capsys.readouterr().err


def test_a_wrong_text_comment_is_a_note_if_we_are_lenient(tmp_path, capsys, caplog):
    path = tmp_path / "in.conllu"
    path.write_text(CONLLU.replace("# text = Good", "# text = Bad"), encoding="utf-8")
    assert command(path) == 2
    assert "# text is not what the tokens say: found 'Bad'" in capsys.readouterr().err
    assert command(path, "--lenient") == 0
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ["rain", "sun"]
    assert "# text is not what the tokens say" in caplog.text


def test_xml_may_declare_its_encoding(tmp_path, capsys):
    text = (
        '<?xml version="1.0" encoding="iso-8859-1"?><rst><body><segment id="1">Un café</segment></body></rst>'
    )
    (tmp_path / "old.rs3").write_bytes(text.encode("iso-8859-1"))
    assert command(tmp_path / "old.rs3") == 0
    assert json.loads(capsys.readouterr().out)["text"] == "Un café"


def test_trees_of_sentences_in_rs3_go_through_all_commands(tmp_path, capsys):
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    for format in ("rs3", "jsonl"):
        assert command(tmp_path / "story.txt", "-o", tmp_path / f"story.{format}") == 0
    parsed, wanted = read_one(tmp_path / "story.rs3"), read_one(tmp_path / "story.jsonl")
    assert parsed.sentence_trees == wanted.sentence_trees
    assert parsed.sentences == wanted.sentences
    capsys.readouterr()
    assert main(["draw", str(tmp_path / "story.rs3")]) == 0
    assert "rained" in capsys.readouterr().out
    assert main(["score", str(tmp_path / "story.jsonl"), str(tmp_path / "story.rs3"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parseval"]["rst"]["full"]["f1"] == 1
    assert main(["convert", str(tmp_path / "story.rs3"), str(tmp_path / "again.json")]) == 0
    assert read_one(tmp_path / "again.json").sentence_trees == wanted.sentence_trees
    capsys.readouterr()
    assert command(tmp_path / "story.rs3") == 0
    again = json.loads(capsys.readouterr().out)
    assert [sentence["splits"] for sentence in again["sentences"]] == [
        [[s.start, s.split, s.end, s.nuclearity, s.relation] for s in tree.splits]
        for tree in wanted.sentence_trees
    ]


def test_rs3_declares_all_relations_of_the_model(tmp_path):
    assert command("It rained.", "-o", tmp_path / "x.rs3") == 0
    header = (tmp_path / "x.rs3").read_text(encoding="utf-8").partition("</header>")[0]
    labels = fake_parser().model.labels
    assert len(labels) > 1
    for label in labels:
        relation, _, nuclearity = label.rpartition("-")
        assert f'<rel name="{relation}" type="{"multinuc" if nuclearity == "NN" else "rst"}"/>' in header


def test_a_text_file_may_say_that_its_lines_are_edus(tmp_path, capsys):
    path = tmp_path / "in.edus.txt"
    path.write_text("".join(f"{edu}\n" for edu in EDUS), encoding="utf-8")
    assert main(["parse", str(path), "--format", "edus"]) == 0
    assert capsys.readouterr().out.split("\n")[:3] == EDUS


def test_an_edu_without_words_is_named(tmp_path, capsys):
    path = tmp_path / "in.edus"
    path.write_text("He left\n\u200b\nbecause it rained.\n", encoding="utf-8")
    assert main(["parse", str(path)]) == 2
    assert f"{path}: EDU 2 has no text" in capsys.readouterr().err
