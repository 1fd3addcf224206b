"""Puts the runs of a page in reading order: columns, tables with and without rules, forms, the numbers of lines."""
