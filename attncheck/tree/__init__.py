"""libcst's nodes, made from CPython's own tree.

`libcst.parse_module` costs about fifteen times what `ast.parse` does, mostly for whitespace, commas
and brackets that nobody who follows shapes looks at. A tree made here has the same nodes without
them. Where nodes stand is asked of the tree that libcst parses itself, once there is something to
print; `attncheck.tree.pairs` says which node there is which here. Code on which the two grammars do
not obviously agree is left to libcst altogether.
"""
