"""From configuration files and the command line to `Settings`: read, checked, laid on each other.

`values` checks one value, `layers` puts what several sources say together, `files` reads the files,
`finder` finds the one that counts, `show` prints what is in force.
"""
