"""The command line: its parser, one file for each group of commands, and the JSON that they print."""
