"""Text formats whose canonical text is the file's own: plain text, Markdown, code, tables, notebooks."""
