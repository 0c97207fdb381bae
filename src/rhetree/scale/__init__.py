"""A hundred million sentences: the same job on a cluster, with Ray Data (the extra ``ray``).

``plan`` divides the inputs into shards that are always the same; ``shards`` parses one and writes it once;
``storage`` is the folder where they lie, on a disk or in a cloud; ``manifest`` says what is there; ``engine``
has Ray do it. ``dataset`` is for people who have a Ray dataset already.
"""

from rhetree.scale.dataset import parse_dataset

__all__ = ["parse_dataset"]
