"""Why a place is not read, and the smallest change that has it read."""
