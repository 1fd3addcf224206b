"""Tables whose rows are ticked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

Row = TypeVar("Row")


def ticked(
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
    """Draw rows as the columns of ``table``; returns those that a person ticked.

    ``names``: of the rows; ticks hold while these stay the same. ``several``: more than one can be ticked. ``first``:
    the first one is at the beginning. ``height``: pixels, ``None`` for as many as the rows take.
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
        height=height or "auto",
        alt=alt,
    )
    return [rows[row] for row in event.selection.rows if row < len(rows)]
