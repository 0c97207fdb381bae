"""The paper's networks, each to be read from top to bottom: encoder, pointer, segmenter, parser, joint."""
