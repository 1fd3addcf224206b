"""Why a place is not in the context, and the smallest change that would admit it."""
