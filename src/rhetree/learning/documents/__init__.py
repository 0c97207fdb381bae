"""Documents: how sentence trees are joined, learnt from trees of whole documents."""
