"""What a question asks for: operators, intent, parts, and what a language model writes for it."""
