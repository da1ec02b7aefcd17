"""What was observed: validated labels of one table and the counts of their patterns."""

from rat_widgets.labels.checks import DataReport
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.table import Labels

__all__ = ["PATTERN_COLUMNS", "DataReport", "Judge", "Labels", "PatternCounts"]
