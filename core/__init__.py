"""Lectern's core: documents in, spans out. Imports no Streamlit and nothing heavy."""
