"""Scores of EDUs and trees, agreement of annotators, and whether a difference means anything.

Start at :func:`rhetree.metrics.report.evaluate`. Every score says its convention and keeps the
counts behind it; counts add up, so a corpus is scored by adding its documents.
"""
