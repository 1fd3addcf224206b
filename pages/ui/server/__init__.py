"""What the server lets in: hosts, origins, browsers with a key or a login; and one run of a script at a time."""
