"""ATN901: a suppression that suppresses nothing; `attncheck.suppress`, which sees both, finds it."""

from attncheck.rule import Rule

RULE = Rule(
    "ATN901", "unused-suppression", "a suppression that suppresses nothing", "warning", fix="safe"
)
