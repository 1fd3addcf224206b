"""An optional language model behind an OpenAI-compatible endpoint that the user has set up and agreed to."""
