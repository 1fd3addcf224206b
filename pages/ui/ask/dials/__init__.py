"""The dials of the Ask page, each of which changes one setting: the type, the list of all, and the sidebar."""
