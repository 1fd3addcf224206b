"""Spreadsheets to tables of typed cells."""
