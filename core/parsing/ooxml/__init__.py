"""What Word, slides and sheets of the Office formats share: the package, charts, formulas."""
