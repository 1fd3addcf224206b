"""The reader, which shows a document's text with its chunks: two Streamlit components, their data and scripts."""
