"""The language of a text, and questions that find it in other inflections than its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.analysis import analyse, fold
from core.text.languages import ENGLISH, LANGUAGES, language_of, question_tokens, stems

WRITTEN = {
    "arabic": "يمكن لأي من الطرفين إنهاء العقد في نهاية السنة، على أن يكون ذلك قبل ثلاثة أشهر من هذا التاريخ.",
    "greek": "Η σύμβαση μπορεί να λυθεί από τα δύο μέρη, και η προθεσμία είναι τρεις μήνες μέχρι το τέλος του έτους.",
    "hindi": "अनुबंध को दोनों पक्षों द्वारा समाप्त किया जा सकता है और इसकी अवधि तीन महीने की है।",
    "persian": "قرارداد را هر یک از طرفین می‌تواند فسخ کند و مهلت آن سه ماه تا پایان سال است.",
    "turkish": "Sözleşme her iki tarafça da feshedilebilir ve bu süre üç aydır, ama bunun için bir yazı gerekir.",
    "catalan": "El contracte pot ser rescindit per les dues parts, i el termini és de tres mesos des de la carta.",
    "czech": "Smlouvu může vypovědět kterákoli strana. Výpověď musí být písemná a lhůta je tři měsíce.",
    "dutch": "De overeenkomst kan door beide partijen worden opgezegd, en de termijn is drie maanden.",
    "english": "The contract can be terminated by both parties, and the period is three months.",
    "finnish": "Sopimuksen voi irtisanoa kumpi osapuoli tahansa, ja se on tehtävä kirjallisesti.",
    "french": "Le contrat peut être résilié par les deux parties, et le délai est de trois mois.",
    "german": "Der Vertrag kann von beiden Parteien gekündigt werden, und die Frist beträgt drei Monate.",
    "hungarian": "A szerződést bármelyik fél felmondhatja, és a határidő három hónap az év végéig.",
    "indonesian": "Kontrak dapat diakhiri oleh kedua belah pihak dan jangka waktunya adalah tiga bulan.",
    "italian": "Il contratto può essere disdetto da entrambe le parti, e il termine è di tre mesi.",
    "norwegian": "Avtalen kan sies opp av begge parter, og fristen er tre måneder til årets slutt.",
    "polish": "Umowa może zostać rozwiązana przez obie strony, a termin wynosi trzy miesiące do końca roku.",
    "portuguese": "O contrato pode ser rescindido por ambas as partes, e o prazo é de três meses.",
    "romanian": "Contractul poate fi reziliat de oricare dintre părți, iar termenul este de trei luni.",
    "russian": "Договор может быть расторгнут любой из сторон, и срок составляет три месяца.",
    "spanish": "El contrato puede ser rescindido por ambas partes, y el plazo es de tres meses.",
    "swedish": "Avtalet kan sägas upp av båda parter, och tiden är tre månader till årets slut.",
}


@pytest.mark.parametrize("language", WRITTEN)
def test_the_language_of_a_paragraph(language):
    assert language_of(WRITTEN[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def total(rows):\n    return sum(row.value for row in rows)\n",
        "| id | total | a |\n|---|---|---|\n| 7 | 12 | x |\n",
        "2024-03-01 12:00:01 ERROR worker-7 connection reset by peer",
        "東京都の人口",
        "\n".join(f"wasi_call(fd{number}, buffer, length, errno); wasi_free(list);" for number in range(9)),
    ],
)
def test_what_is_in_no_language_is_taken_for_english(text):
    assert language_of(text) == ENGLISH


@pytest.mark.parametrize(
    ("language", "question", "document"),
    [
        ("german", "Kündigung", "Kündigungen sind schriftlich einzureichen"),
        ("german", "Versicherungen", "die Versicherung endet"),
        ("french", "chevaux", "le cheval blanc"),
        ("spanish", "contratar", "lo que contrató la empresa"),
        ("italian", "disdetta", "le disdette scritte"),
        ("dutch", "opzegging", "opzeggingen schriftelijk"),
        ("swedish", "uppsägning", "uppsägningar och avtal"),
        ("finnish", "sopimuksen", "sopimuksia on monta"),
        ("russian", "договор", "условия договора"),
        ("arabic", "الكتاب", "وكتاب جديد"),
        ("greek", "πόλεων", "στην πόλη"),
        ("hindi", "लड़कियाँ", "उस लड़की का नाम"),
        ("turkish", "kitap", "evdeki kitapları aldı"),
    ],
)
def test_a_question_finds_another_inflection(language, question, document):
    assert not set(analyse(question)) & set(analyse(document)), "the analysis alone would not find it"
    assert set(question_tokens(question, [language])) & {*analyse(document), *stems(document, language)}


def test_a_language_of_many_endings_is_known_by_fewer_function_words():
    text = (
        "Kütüphanenin raflarında duran eski kitaplar yıllarca okunmadan bekledi. Köyün öğretmeni bunları bir gün "
        "tozlarından arındırdı ve çocukların okuyabileceği yeni bir odaya taşıdı. Kapıda açılış saatleri "
        "yazıyordu. Okuyucular her sabah erkenden gelip pencere kenarında otururdu, çünkü ışık en çok oraya düşüyordu. "
        "Akşamları lamba yakılır, öğretmen yolculuk hikâyeleri anlatırdı ama kimse sıkılmazdı. "
        "Yaşlı marangoz rafları onardı, demirci kilitleri yeniledi, gençler bahçeyi düzenledi."
    )
    assert language_of(text) == "turkish"


def test_vowel_signs_are_parts_of_words():
    assert analyse("किताबों में लिखा था") == ["किताबों", "में", "लिखा", "था"]
    assert not set(analyse("किताब")) & set(analyse("कताबी"))


def test_function_words_of_the_questions_language_are_not_looked_for():
    asked = question_tokens("Wie kann der Vertrag gekündigt werden?", ["german"])
    assert not set(asked) & {fold(word) for word in ("wie", "kann", "der", "werden")}
    assert {"vertrag", "gekundigt"} <= set(asked)
    # The same letters in an English question name something.
    assert "war" in question_tokens("causes of the war in the north", ["german"])


@given(st.text(), st.sampled_from(LANGUAGES))
def test_stems_are_tokens_the_analysis_does_not_make(text, language):
    found = stems(text, language)
    assert all(token and token == fold(token) for token in found)
    assert question_tokens(text, []) == list(dict.fromkeys(analyse(text)))
    assert set(found) <= set(question_tokens(text, [language])), "a question finds what was written in its words"


@given(st.text(), st.sampled_from(LANGUAGES))
def test_english_has_no_stems_of_its_own(text, language):
    assert stems(text, ENGLISH) == []
    assert language_of(text, ()) == ENGLISH
    assert language_of(text, (language,)) in (ENGLISH, language)
