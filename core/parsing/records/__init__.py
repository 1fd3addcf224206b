"""JSON whose values are prose, as programs export notes, journals, highlights and the like."""
