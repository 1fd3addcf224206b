"""Ingestion: finding files, parsing, chunking, encoding and storing them, in durable background jobs."""
