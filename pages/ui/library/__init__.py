"""The parts of the Library page, and the dialog with the judgments, which other pages open, too."""
