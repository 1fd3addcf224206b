"""OCR of scanned pages: which pages are scans, the engines that read them, and the order of their lines."""
