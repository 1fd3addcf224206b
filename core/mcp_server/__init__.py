"""Other programs ask a library by the Model Context Protocol: what its tools say, and the server that lends them."""
