"""Runs a network over text: decoding loops and batching in NumPy, whatever computes the network."""
