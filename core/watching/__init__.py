"""Watched folders: ``planning`` compares them with the library, ``folder_sync`` applies plans, ``watcher`` runs it."""
