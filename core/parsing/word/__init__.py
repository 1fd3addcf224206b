"""Reads Word documents (docx, docm) as pieces."""
