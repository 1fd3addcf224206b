"""Pages that are pictures, read by OCR: which pages those are, who reads them, and in which order their lines stand."""
