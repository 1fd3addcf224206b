"""The command line: its parser, one file a group of commands, and the JSON they print."""
