"""Sources: files, uploads and attachments; their names, labels, folders and trash, and what a question filters by."""
