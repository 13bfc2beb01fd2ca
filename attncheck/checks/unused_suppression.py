"""ATN901: a suppression that suppresses nothing. Found by `attncheck.suppress`, which sees both."""

from attncheck.rule import Rule

RULE = Rule(
    "ATN901", "unused-suppression", "a suppression that suppresses nothing", "warning", fix="safe"
)
