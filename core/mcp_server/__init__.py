"""Access to a library for other programs by the Model Context Protocol: its tools and their server."""
