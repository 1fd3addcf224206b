"""The reader of a document's text and chunks: two components, their data and their scripts."""
