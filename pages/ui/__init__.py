"""What the pages share: components, session state, cached services, words."""
