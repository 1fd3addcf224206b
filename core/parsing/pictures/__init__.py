"""Pages as pictures: drawn for people and for OCR, looked at for ink, and files that are pictures alone."""
