"""Tables with rows to select."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

Row = TypeVar("Row")


def select_rows(
    rows: Sequence[Row],
    names: Sequence[object],
    table: Mapping[str, Sequence[object]],
    key: str,
    alt: str,
    columns: Mapping[str, Any] | None = None,
    *,
    several: bool = True,
    first: bool = False,
    height: int | None = None,
) -> list[Row]:
    """Draw a table; returns those of ``rows`` that a person selected.

    ``table``: its columns, in the order of ``rows``. ``names``: identify the rows; the selection is kept while they
    stay the same. ``several``: more than one row can be selected. ``first``: the first row is selected at first.
    ``height``: in pixels, ``None`` for as many as the rows take.
    """
    event = st.dataframe(
        table,
        key=f"{key}.{hash(tuple(names))}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row" if several else "single-row",
        selection_default={"selection": {"rows": [0], "columns": [], "cells": []}} if first else None,
        column_config=columns,
        placeholder="",
        height=height or "content",
        alt=alt,
    )
    return [rows[row] for row in event.selection.rows if row < len(rows)]
