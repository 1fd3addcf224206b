"""The second reading of a file by other code, and the words that the first one missed."""
