"""Why questions were missed, and what would have had them.

``classes`` names the cause of each miss beside the stage that lost it; ``remedies`` asks the missed ones again with
one thing changed at a time.
"""
