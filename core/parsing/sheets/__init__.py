"""Reads spreadsheets as tables of typed cells."""
