"""Ask's dials: a file a part of the way, of which each dial names the setting it turns."""
