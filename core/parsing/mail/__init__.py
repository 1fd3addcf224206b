"""Mail to pieces: messages of the internet and of Outlook, with their attachments."""
