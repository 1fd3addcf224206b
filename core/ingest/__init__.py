"""The way in: files gathered, read, cut, encoded and stored, by jobs that outlive the page; and cut anew."""
