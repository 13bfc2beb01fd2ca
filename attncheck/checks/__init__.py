"""The rules, one file each: what each is called, what it looks at, and what it says.

A rule's module has ``RULE``, ``ON`` (the kinds of event or of contradiction it subscribes to) and
``check(operation, view)``, which yields reports. Nothing lists the rules: they are found by walking
this package.
"""
