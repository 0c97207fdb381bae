"""Rhetree inside the tools that people already use: one module per tool, imported only by those who use it."""
