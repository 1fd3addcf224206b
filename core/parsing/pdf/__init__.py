"""PDF: lines put in order, paragraphs, tables, headings and boxes."""
