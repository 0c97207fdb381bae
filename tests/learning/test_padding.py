import torch

from rhetree.learning.padding import turn_around, where_present

LENGTHS = torch.tensor([3, 1, 0])


def test_tokens_are_told_from_padding():
    present = where_present(torch.zeros(3, 4, 2), LENGTHS)
    assert present.int().tolist() == [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_a_sentence_is_turned_around_before_its_padding():
    vectors = torch.arange(12).view(3, 4, 1)
    turned = turn_around(vectors, LENGTHS)
    assert turned.squeeze(2).tolist() == [[2, 1, 0, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert torch.equal(turn_around(turned, LENGTHS), vectors)
