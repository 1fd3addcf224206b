"""Making the re-ranker that Lectern ships, from pairs of questions and passages, on this machine."""
