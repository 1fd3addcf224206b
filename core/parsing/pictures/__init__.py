"""Pages as pictures: rendered for display and for OCR, measured for ink; and picture files."""
