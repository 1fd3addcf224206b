"""From a question to its analysis: operators, intent, corrected spelling, and texts by a language model."""
