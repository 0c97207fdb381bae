"""Tokens and sentences as the treebanks have them. All texts are made up."""

import pytest

from rhetree.domain.document import Document
from rhetree.formats import read_one
from rhetree.text import tokenize

TOKENS = [
    # contractions and possessives
    ("I don't, can't, DIDN'T", "I do n't , ca n't , DID N'T"),
    ("they’ll say it’s Jo's", "they ’ll say it ’s Jo 's"),
    ("the dogs' gonna cannot!", "the dogs ' gon na can not !"),
    ("O'Reilly's at five o'clock", "O'Reilly 's at five o'clock"),
    ("do n't 's already", "do n't 's already"),
    # hyphens and dashes
    ("a well-known non-profit co-founder", "a well - known non-profit co-founder"),
    ("th- that is--or was—so, 1990–95", "th- that is -- or was — so , 1990 – 95"),
    ("a U.S.-style and/or m/s", "a U.S. - style and / or m / s"),
    # quotes, brackets, ellipses
    ("“So…” (he said) [...] wait...", "“ So … ” ( he said ) [ ... ] wait ..."),
    ('("Yes.")', '( " Yes . " )'),
    ("the friend(s) of (a) and (b)", "the friend(s) of (a) and (b)"),
    # numbers
    ("$1,000.50 is 5% of 1/2 in the 1930's", "$ 1,000.50 is 5 % of 1/2 in the 1930's"),
    ("at 10:30, 20°C, 6+7=13", "at 10:30 , 20 ° C , 6 + 7 = 13"),
    # addresses and names
    ("see https://a.org/b-c_d?e=F(1), or", "see https://a.org/b-c_d?e=F(1 ) , or"),
    ("(www.a-b.com) me.too-x@y-z.org.", "( www.a-b.com ) me.too-x@y-z.org ."),
    ("@some_one likes #twoWords and YouTube :-)", "@some_one likes #twoWords and YouTube :-)"),
    # emoji
    ("Fine👩🏽\u200d💻🇳🇱🇧🇪❤️!", "Fine 👩🏽\u200d💻 🇳🇱 🇧🇪 ❤️ !"),
    # abbreviations
    ("Mr. J. B. Cee of D.C. left, etc., i.e. now.", "Mr. J. B. Cee of D.C. left , etc. , i.e. now ."),
    ("It was the U.S.", "It was the U.S."),
    ("Bread, milk etc.", "Bread , milk etc."),
    ("It was plan B.", "It was plan B ."),
    ("3. Mix 2. eggs", "3. Mix 2 . eggs"),
    ("It was No. 5, no. Said no.", "It was No. 5 , no . Said no ."),
]

SENTENCES = [
    "He came. | She left!",
    "Mr. Smith of the U.S. Army left at 5 p.m. on Jan. 3. | He was late.",
    "One; two: three. | Four?",
    "It rained. [1] [2] | He left. [3]",
    "“Why now?” Jo asked. | “Go!” he said.",
    "“Why now?” | She asked nothing.",
    "(He left.) | Then it rained.",
    "1. The first step. | It is easy.",
]


@pytest.mark.parametrize(("text", "expected"), TOKENS)
def test_tokens_are_cut_as_in_the_treebanks(text, expected):
    assert [token.form for token in tokenize(text).tokens] == expected.split(" ")


@pytest.mark.parametrize("expected", SENTENCES)
def test_sentences_end_as_in_the_treebanks(expected):
    document = tokenize(expected.replace(" |", ""))
    assert [document.text_of(sentence) for sentence in document.sentences] == expected.split(" | ")


def test_gum_is_tokenized_as_its_annotators_did(gum):
    """The best of the libraries in ``docs/experiments.md`` have 99.6 and 94.9."""
    tokens, sentences = Matches(), Matches()
    for name in (gum / "dev.txt").read_text().split():
        gold = read_one(gum / "conllu" / f"{name}.conllu")
        predicted = tokenize(gold.text)
        tokens.count(token_ranges(gold), token_ranges(predicted))
        sentences.count(sentence_ranges(gold), sentence_ranges(predicted))
    assert tokens.f1() > 0.997
    assert sentences.f1() > 0.945


class Matches:
    def __init__(self):
        self.matched = self.both = 0

    def count(self, gold, predicted):
        self.matched += len(gold & predicted)
        self.both += len(gold) + len(predicted)

    def f1(self):
        return 2 * self.matched / self.both


def token_ranges(document: Document):
    return {(token.start, token.end) for token in document.tokens}


def sentence_ranges(document: Document):
    return {(document.tokens[s.start].start, document.tokens[s.end - 1].end) for s in document.sentences}
