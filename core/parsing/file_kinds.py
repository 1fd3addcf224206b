"""Detects the kind of a file: from its content first, from the name's extension second."""

from __future__ import annotations

import re

from core.errors import UnsupportedKindError
from core.parsing.file_names import display_name, suffix_of
from core.parsing.magic_bytes import IWORK, UNSUPPORTED_SUFFIXES, UNSUPPORTED_TEXT_SUFFIXES, identify
from core.parsing.plain.chat import is_chat
from core.parsing.plain.notebook import is_notebook
from core.parsing.records.prose import holds_prose

# Extension to language, as Markdown fences spell it. Data formats a person edits as text count as code.
LANGUAGES: dict[str, str] = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts", "tsx"), "typescript"),
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl"), "cpp"),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh", "fish"), "bash"),
    **dict.fromkeys(("ps1", "psm1"), "powershell"),
    **dict.fromkeys(("bat", "cmd"), "batch"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    **dict.fromkeys(("pl", "pm"), "perl"),
    **dict.fromkeys(("scala", "sbt"), "scala"),
    **dict.fromkeys(("clj", "cljs", "cljc", "edn"), "clojure"),
    **dict.fromkeys(("ex", "exs"), "elixir"),
    **dict.fromkeys(("erl", "hrl"), "erlang"),
    **dict.fromkeys(("hs", "lhs"), "haskell"),
    **dict.fromkeys(("ml", "mli"), "ocaml"),
    **dict.fromkeys(("fs", "fsi", "fsx"), "fsharp"),
    **dict.fromkeys(("lisp", "cl", "el", "scm", "rkt"), "lisp"),
    **dict.fromkeys(("f", "for", "f77", "f90", "f95", "f03", "f08"), "fortran"),
    **dict.fromkeys(("asm", "s"), "assembly"),
    **dict.fromkeys(("v", "sv", "svh"), "verilog"),
    **dict.fromkeys(("vhd", "vhdl"), "vhdl"),
    **dict.fromkeys(("pas", "pp", "dpr"), "pascal"),
    **dict.fromkeys(("css", "scss", "sass", "less"), "css"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("json", "jsonl", "ndjson", "json5", "geojson", "ipynb"), "json"),
    **dict.fromkeys(("xml", "xsd", "xsl", "xslt", "svg", "plist"), "xml"),
    **dict.fromkeys(("ini", "cfg", "conf", "properties", "env", "editorconfig"), "ini"),
    **dict.fromkeys(("service", "socket", "timer", "mount", "target", "desktop"), "ini"),  # systemd's units, and alike
    **dict.fromkeys(("tpl", "tmpl", "gotmpl", "j2", "jinja", "jinja2", "erb"), "template"),
    **dict.fromkeys(("tf", "tfvars", "hcl"), "hcl"),
    **dict.fromkeys(("proto",), "protobuf"),
    **dict.fromkeys(("graphql", "gql"), "graphql"),
    **dict.fromkeys(("mk", "mak"), "makefile"),
    **dict.fromkeys(("sty", "cls"), "latex"),
    **dict.fromkeys(("m", "mm"), "objectivec"),
    **dict.fromkeys(("vue", "svelte", "astro"), "html"),
    **{
        suffix: suffix
        for suffix in (
            "java go swift dart php lua r julia sql awk tcl groovy gradle nim zig d ada cmake toml cu cuda glsl hlsl "
            "wgsl sol vim diff patch nix dhall wat cob cobol abap vb vbs bas applescript coffee elm purs crystal"
        ).split()
    },
    "rs": "rust",
    "cs": "csharp",
    "jl": "julia",
    "cr": "crystal",
}
_PATTERN_SUFFIXES = frozenset({"sample", "example", "template", "dist", "in"})  # of a file to copy: config.yaml.sample
_CODE_NAMES = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    **dict.fromkeys(("dockerfile", "containerfile"), "dockerfile"),
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "justfile": "makefile",
}
_MARKDOWN_SUFFIXES = frozenset({"md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd", "rmd"})
_SUFFIX_KINDS = {
    **dict.fromkeys(("html", "htm", "xhtml", "xht", "shtml", "mht", "mhtml"), "html"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("rst", "rest"), "rst"),
    "org": "org",
    "eml": "eml",
    **dict.fromkeys(("tex", "ltx", "latex"), "latex"),
    **dict.fromkeys(("bib", "bibtex"), "bibtex"),
    **dict.fromkeys(("ris", "nbib"), "references"),
    **dict.fromkeys(("adoc", "asciidoc"), "asciidoc"),
    **dict.fromkeys(("nxml", "jats"), "jats"),
    **dict.fromkeys(("dita", "dbk", "docbook", "tei", "fb2", "enex", "opml", "rss", "atom"), "xml"),
    **dict.fromkeys(("srt", "vtt"), "subtitles"),
    **dict.fromkeys(("ics", "ical"), "calendar"),
    **dict.fromkeys(("vcf", "vcard"), "contacts"),
    **dict.fromkeys((*"12345678", "man", "mdoc"), "man"),
    **dict.fromkeys(("mediawiki", "wiki", "wikitext"), "mediawiki"),
    "mbox": "mbox",
    "fodp": "odp",
}
_JATS = re.compile(r"<!DOCTYPE\s+article\s+PUBLIC\s+[\"']-//NLM//|<article\b[^>]*\s(?:article-type|dtd-version)=")
# XML is read as prose if its root element is one of these, or if enough of it is running text between tags.
_PROSE_ROOT = re.compile(
    r"\A\s*+(?:<[?!][^<]*+)*+<(?:\w+:)?(?:TEI|TEI\.2|teiCorpus|en-export|FictionBook|opml|rss|feed|akomaNtoso|bill|"
    r"resolution|pLaw|uscDoc|Legislation|refentry)[\s>]"
)
_TEXT_RUN = re.compile(r">([^<>]{40,})(?=<)")
# as in records of patients: a section's title, comments, and its text
_TITLED_TEXT = re.compile(rb"</(?:\w+:)?title>\s*(?:<!--(?:[^-]|-(?!->))*+-->\s*)*<(?:\w+:)?text[\s>]")
_MIN_PROSE_SHARE = 0.2
_REQUIRED_PATTERNS = {  # a text file with the extension of one of these kinds must match, or the extension is wrong
    "latex": re.compile(r"\\[a-zA-Z]+"),
    "bibtex": re.compile(r"@\s*[a-zA-Z]+\s*[{(]"),
    "references": re.compile(r"^(?:TY|PMID) {0,2}- ", re.MULTILINE),
    "jats": re.compile(r"<(?:\w+:)?article\b"),
    "xml": re.compile(r"<\w"),
    "html": re.compile(r"<(?!https?:)[a-zA-Z!?/]|&#?\w+;|^MIME-Version:", re.IGNORECASE | re.MULTILINE),
    "man": re.compile(r"^[.'](?:TH|SH|Dd|Sh)\b", re.MULTILINE),
    "mediawiki": re.compile(r"^==+[^=\n]+==+[ \t]*$|\[\[[^\[\]\n]+\]\]|^\{\|", re.MULTILINE),
    "subtitles": re.compile(r"^WEBVTT|^\s*(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d+\s+-->", re.MULTILINE),
    "mbox": re.compile(r"From "),
    "calendar": re.compile(r"BEGIN:VCALENDAR", re.IGNORECASE),
    "contacts": re.compile(r"BEGIN:VCARD", re.IGNORECASE),
}
_NOTEBOOK_SUFFIXES = frozenset({"ipynb", "json", ""})
_RECORD_SUFFIXES = frozenset({"json", "jsonl", "ndjson", "txt", ""})
_PLAIN_SUFFIXES = frozenset({"txt", "text", "log"})
_BINARY_KINDS = {  # by extension, where the signature is damaged: the reader then reports what is wrong
    "pdf": "pdf",
    **dict.fromkeys(("docx", "docm", "dotx", "dotm"), "docx"),
    **dict.fromkeys(("pptx", "pptm", "ppsx", "ppsm", "potx", "potm"), "pptx"),
    **dict.fromkeys(("xlsx", "xlsm", "xltx", "xltm", "xls", "xlt"), "xlsx"),
    **dict.fromkeys(("odt", "ott", "fodt"), "odt"),
    **dict.fromkeys(("doc", "dot"), "doc"),
    **dict.fromkeys(("ppt", "pps", "pot"), "ppt"),
    **dict.fromkeys(("odp", "otp"), "odp"),
    "pages": "pages",
    **dict.fromkeys(("ods", "ots"), "ods"),
    "epub": "epub",
    "rtf": "rtf",
    "msg": "msg",
    **dict.fromkeys(("png", "jpg", "jpeg", "tif", "tiff", "webp", "bmp", "heic", "heif"), "image"),
}
_PDF_HEADER_WITHIN = 1024  # bytes of junk that PDF readers accept before the header
_SAMPLE_BYTES = 16_384
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BINARY = re.compile(rb"[\0-\x07\x0e-\x1a\x1c-\x1f]")
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_FLAT_ODT = re.compile(r"\s*<\?xml[^>]*>\s*<office:document\s[^>]*mimetype=.application/vnd\.oasis\.opendocument\.text")
_MAIL_HEADER = re.compile(r"([!-9;-~]+):[ \t].*(?:\n[ \t].*)*\n", re.ASCII)
_MAIL_HEADERS = frozenset(
    "from to cc subject date received mime-version message-id return-path delivered-to reply-to content-type".split()
)
_MIN_MAIL_HEADERS = 3
_MAILBOX = re.compile(r"From (?:\S+ .*\d\d:\d\d.*|-? *)\n")
_CUES = re.compile(r"WEBVTT\b|\s*(?:\d{1,5}\s*\n)?(?:\d+:)?\d{1,2}:\d\d[.,]\d+\s+-->")
_CONTENT_LINES = re.compile(r"\s*BEGIN:(VCALENDAR|VCARD)[ \t]*\n", re.IGNORECASE)
_READABLE = (
    "Lectern reads PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx, .xls), OpenDocument (.odt, .ods), web pages, "
    "EPUB, RTF, mail (.eml, .msg, .mbox), calendars (.ics), contacts (.vcf), CSV, reStructuredText, Org, LaTeX, "
    "references (BibTeX, RIS, PubMed), AsciiDoc, XML, Markdown, notebooks, exported chats and notes (.json, .jsonl), "
    "subtitles (.srt, .vtt), plain text, source code and pictures (.png, .jpg, .tiff, .webp, .bmp, .heic); "
    "and, where LibreOffice is installed, .doc, .ppt, .odp and .pages."
)


def language_of(name: str) -> str:
    """The programming language of a file by its name, "" if the name does not tell.

    >>> language_of("src/main.RS"), language_of("Dockerfile"), language_of("notes.txt")
    ('rust', 'dockerfile', '')
    >>> language_of("conf.yml.sample"), language_of("Dockerfile.alpine"), language_of("letter.example")
    ('yaml', 'dockerfile', '')
    """
    shown = display_name(name).lower()
    stem, _, suffix = shown.rpartition(".")
    if suffix in _PATTERN_SUFFIXES and stem:
        return language_of(stem)
    if language := _CODE_NAMES.get(shown) or LANGUAGES.get(suffix_of(name), ""):
        return language
    is_document = suffix in _MARKDOWN_SUFFIXES | _PLAIN_SUFFIXES or suffix in _SUFFIX_KINDS or suffix in _BINARY_KINDS
    return "" if is_document else _CODE_NAMES.get(stem, "")


def detect_kind(data: bytes, name: str) -> str:
    """The kind of the file, a key of ``PARSERS``. Content decides first, then the extension; the default is "text".

    Raises ``UnsupportedKindError``, which says what the file is, where no parser reads it.

    >>> detect_kind(b"%PDF-1.7", "notes.md"), detect_kind(b"# Hello", "notes.md"), detect_kind(b"x = 1", "x.py")
    ('pdf', 'markdown', 'code')
    """
    shown, suffix = display_name(name), suffix_of(name)
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN] and (suffix == "pdf" or data.lstrip().startswith(b"%PDF-")):
        return "pdf"
    file_type = identify(data)
    if file_type and file_type.kind:
        return file_type.kind
    if file_type is IWORK and suffix == "pages":
        return "pages"
    if file_type:
        disguise = "" if suffix in UNSUPPORTED_SUFFIXES else f", not the {_spoken(suffix)} its name says"
        raise UnsupportedKindError(f"{shown} is {file_type.what}{disguise}.", file_type.remedy or _READABLE)
    return _kind_by_name(data, shown, suffix)


def _kind_by_name(data: bytes, shown: str, suffix: str) -> str:
    """The kind of a file without a known signature."""
    if suffix in _NOTEBOOK_SUFFIXES and is_notebook(data, shown):
        return "notebook"
    if suffix in ("json", "") and is_chat(data, shown):
        return "chat"
    if suffix in _RECORD_SUFFIXES and holds_prose(data, shown):
        return "records"
    if suffix == "xml" and _JATS.search(_head(data)):
        return "jats"
    if suffix == "xml" and _is_prose(data):
        return "xml"
    if language_of(shown):
        return "code"
    if suffix in _MARKDOWN_SUFFIXES:
        return "markdown"
    if suffix in _PLAIN_SUFFIXES:
        return "subtitles" if _CUES.match(_head(data)) else "text"
    is_text = _is_text(data)
    if kind := _SUFFIX_KINDS.get(suffix):
        required = _REQUIRED_PATTERNS.get(kind)
        return kind if not is_text or not required or required.search(_head(data)) else _kind_of_text(data) or "text"
    kind = _kind_of_text(data) if is_text and suffix not in UNSUPPORTED_TEXT_SUFFIXES else ""
    if kind and (suffix != "pdf" or kind == "html"):  # what a website sent in place of a PDF
        return kind
    if is_text and _BINARY_KINDS.get(suffix) == "xlsx" and not _head(data).lstrip().startswith("<"):
        return "csv"  # as many programs export their tables
    if suffix in _BINARY_KINDS and (suffix == "pdf" or not is_text):
        return _BINARY_KINDS[suffix]
    if suffix in UNSUPPORTED_SUFFIXES and (suffix in UNSUPPORTED_TEXT_SUFFIXES or not is_text):
        unsupported = UNSUPPORTED_SUFFIXES[suffix]
        problem = f"{shown} is {unsupported.what}, which is not read."
        raise UnsupportedKindError(problem, unsupported.remedy or _READABLE)
    return "text"


def _is_text(data: bytes) -> bool:
    """Whether the bytes begin like text of any encoding. Empty data is not text."""
    sample = data[:_SAMPLE_BYTES]
    return bool(sample.strip()) and (sample.startswith(_BYTE_ORDER_MARKS) or not _BINARY.search(sample))


def _head(data: bytes) -> str:
    """The first ``_SAMPLE_BYTES`` as text, with ``\\n`` as line ends."""
    sample = data[:_SAMPLE_BYTES]
    encoding = "utf-16" if sample.startswith(_BYTE_ORDER_MARKS[1:]) else "utf-8"
    return sample.decode(encoding, "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _kind_of_text(data: bytes) -> str:
    """The kind of a text by its content alone, "" for plain text."""
    head = _head(data)
    if _HTML.match(head):
        return "html"
    if _FLAT_ODT.match(head):
        return "odt"
    if _JATS.search(head[:_PDF_HEADER_WITHIN]):
        return "jats"
    if _PROSE_ROOT.match(head) or (head.startswith("<?xml") and _is_prose(data)):
        return "xml"
    if _CUES.match(head):
        return "subtitles"
    if _REQUIRED_PATTERNS["references"].match(head):
        return "references"
    if match := _CONTENT_LINES.match(head):
        return "calendar" if match[1].upper() == "VCALENDAR" else "contacts"
    if _MAILBOX.match(head) and _is_mail(head.partition("\n")[2]):
        return "mbox"
    return "eml" if _is_mail(head) else ""


def _is_mail(head: str) -> bool:
    """Whether a text begins with mail headers, at least three of them common ones, and then a blank line.

    >>> _is_mail("From: a@b.c\\nTo: d@e.f\\nSubject: x\\n\\nHello"), _is_mail("Subject: x\\n\\nHello")
    (True, False)
    """
    names: set[str] = set()
    end = 0
    while match := _MAIL_HEADER.match(head, end):
        names.add(match[1].lower())
        end = match.end()
    is_complete = end == len(head) or head[end] == "\n" or len(head) >= _SAMPLE_BYTES - 4
    return is_complete and len(names & _MAIL_HEADERS) >= _MIN_MAIL_HEADERS


def _is_prose(data: bytes) -> bool:
    """Whether XML is marked-up text rather than data: by its root element, by a text after its title, or by the share
    of running text in it.

    The share is measured in a sample from the middle of the file.
    """
    if _PROSE_ROOT.match(_head(data)) or _TITLED_TEXT.search(data):
        return True
    middle = len(data) // 2 if len(data) > 2 * _SAMPLE_BYTES and not data.startswith(_BYTE_ORDER_MARKS[1:]) else 0
    sample = _head(data[middle:])
    characters = sum(len(text) for text in _TEXT_RUN.findall(sample) if text.strip().count(" ") > 3)
    return characters >= _MIN_PROSE_SHARE * max(1, len(sample))


def _spoken(suffix: str) -> str:
    return f".{suffix} file" if suffix else "text"
