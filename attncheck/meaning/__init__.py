"""What masks mean: which positions an element marks, and with which value."""
