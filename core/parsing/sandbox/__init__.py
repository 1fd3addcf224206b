"""The worker processes that read files: kept warm, recycled, with bounded memory and no access to the system."""
