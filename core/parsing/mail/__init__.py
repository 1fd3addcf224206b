"""Reads mail (EML, Outlook messages and mailboxes) as pieces, with attachments."""
