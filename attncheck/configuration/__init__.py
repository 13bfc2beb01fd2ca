"""From configuration files and the command line to `Settings`: read, checked, laid on each other.

`values` checks one value, `layers` puts what several sources say together, `files` finds and reads
the files, `show` prints what is in force.
"""
