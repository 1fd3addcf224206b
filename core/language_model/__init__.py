"""A language model behind an OpenAI-compatible endpoint, which a person set up and agreed to; nothing needs one."""
