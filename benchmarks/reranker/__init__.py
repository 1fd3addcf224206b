"""How the re-ranker that ships is made: pairs of questions and passages, lists mined from them, and the run."""
