"""Pictures of trees: in the terminal, as SVG, as a page for the browser, as PNG, in a notebook.

Every picture is made of :mod:`panels <rhetree.draw.panel>`, one per tree. Nothing here reads or
writes files, and nothing recurses: a tree may be as deep as a text is long.
"""
