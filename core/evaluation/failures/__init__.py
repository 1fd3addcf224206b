"""Why questions were missed, and which changes of settings would recover them.

``classes`` names the cause of each miss, in addition to the stage that lost it. ``remedies`` asks the missed questions
again with one change of settings at a time.
"""
