"""The pages. Streamlit runs each file named in ``app.py``; what they share is in ``pages.ui``."""
