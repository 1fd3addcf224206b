"""Words are told from data, markup and programs, in every script."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.answer.prose import is_prose


@given(st.lists(st.sampled_from("tea is free on Fridays a river gate opens".split()), min_size=4, max_size=20))
def test_words_are_prose_however_they_are_marked(found):
    said = " ".join(found).capitalize() + "."
    for text in (said, f"- {said}", f"> {said}", f"1. {said}", f"“{said}”", f"**{said}**", f"# {said}", f"// {said}"):
        assert is_prose(text)
        assert is_prose(text, in_code=True)
    fields = json.dumps({word: word for word in found})
    assert not is_prose(fields)
    assert not is_prose(f"| {' | '.join(found)} |")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("東京支社の営業時間は午前九時から午後六時までです。", True),
        ("访问令牌的有效期为3600秒，之后失效。", True),
        ("「受付」は九時に開きます。", True),
        ("東京", False),
        ("สำนักงานเปิดเวลาเก้าโมงเช้า", True),
        ("ฝน", False),
        ("कार्यालय सुबह नौ बजे खुलता है।", True),
        ("कार्यालय", False),
        ("اللغةُ العربيّةُ جميلةٌ جدًّا، نعم.", True),
        ("הַמִּשְׂרָד נִפְתָּח בְּתֵשַׁע.", True),
        (unicodedata.normalize("NFD", "Das Büro öffnet früh."), True),
        (unicodedata.normalize("NFD", "사무실은 아홉 시에 문을 엽니다."), True),
        ("می‌شود و نمی‌شود.", True),  # joiners stand within words
        ("¿Cuándo „abre“?", True),
        ("| 東京 | 九時 | 六時 |", False),
        ('"営業時間": "午前九時から"', False),
        ("受付 = 開く(九時) + 閉じる(六時)", False),
    ],
)
def test_words_of_every_script_are_words(text, said):
    assert is_prose(text) is said


def test_a_comment_of_a_script_without_capitals_is_whole_where_it_is_ended():
    for text in ("受付は九時に開きます。", "कार्यालय सुबह नौ बजे खुलता है।"):
        assert is_prose(f"# {text}", in_code=True)
        assert not is_prose(f"# {text[:-1]}", in_code=True)


@given(st.text(max_size=80))
def test_any_text_is_judged_and_more_strictly_in_a_listing(text):
    assert is_prose(text) or not is_prose(text, in_code=True)
