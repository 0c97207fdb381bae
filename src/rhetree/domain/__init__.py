"""The values that all other rooms work with: spans, trees, documents and relation inventories.

Only the standard library is imported here. Every value is frozen and checks itself when built,
so code that receives one need not check it again.
"""
