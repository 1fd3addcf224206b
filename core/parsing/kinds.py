"""What kind of file bytes are: by their content first, by the name's extension second."""

from __future__ import annotations

from core.errors import UnsupportedKindError
from core.parsing.names import display_name, suffix_of

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
    **dict.fromkeys(("tf", "tfvars", "hcl"), "hcl"),
    **dict.fromkeys(("proto",), "protobuf"),
    **dict.fromkeys(("graphql", "gql"), "graphql"),
    **dict.fromkeys(("mk", "mak"), "makefile"),
    **dict.fromkeys(("tex", "sty", "cls", "bib"), "latex"),
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
_CODE_NAMES = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "justfile": "makefile",
}
_MARKDOWN_SUFFIXES = frozenset({"md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd", "rmd"})
_NOT_YET = {
    **dict.fromkeys(("html", "htm", "xhtml", "mhtml"), "a web page"),
    **dict.fromkeys(("docx", "doc", "docm", "rtf", "odt"), "a word processor's document"),
    **dict.fromkeys(("pptx", "ppt", "odp"), "a presentation"),
    **dict.fromkeys(("xlsx", "xls", "xlsm", "ods", "parquet"), "a spreadsheet"),
    **dict.fromkeys(("eml", "msg", "mbox"), "mail"),
    **dict.fromkeys(("epub", "mobi", "azw3"), "an electronic book"),
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "heic"), "a picture"),
    **dict.fromkeys(("zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar"), "an archive"),
    **dict.fromkeys(("mp3", "mp4", "wav", "ogg", "avi", "mov", "mkv", "flac"), "sound or film"),
}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"\0\0\1\0", "an icon"),
    (b"PK\5\6", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\7", "a RAR archive"),
    (b"(\xb5/\xfd", "a Zstandard archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a compiled Java class or program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a compiled WebAssembly module"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"fLaC", "a FLAC recording"),
    (b"{\\rtf", "an RTF document"),
    (b"PAR1", "a Parquet table"),
    (b"\x93NUMPY", "a NumPy array"),
)
_ZIP_MEMBERS = (
    (b"word/", "a Word document"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"xl/", "an Excel workbook"),
    (b"mimetypeapplication/epub+zip", "an electronic book (EPUB)"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"),
)
_PDF_MARK_WITHIN = 1024  # readers accept junk before the header up to here
_READABLE = "Lectern reads Markdown, plain text, source code and PDF so far."


def language_of(name: str) -> str:
    """The language of a source file by its name, "" when the name does not say.

    >>> language_of("src/main.RS"), language_of("Dockerfile"), language_of("notes.txt")
    ('rust', 'dockerfile', '')
    """
    return _CODE_NAMES.get(display_name(name).lower()) or LANGUAGES.get(suffix_of(name), "")


def detect_kind(data: bytes, name: str) -> str:
    """ "markdown", "text", "code" or "pdf": content decides, then the extension; unknown extensions are "text".

    Raises ``UnsupportedKindError`` naming what the file really is when nothing here reads it.

    >>> detect_kind(b"%PDF-1.7", "notes.md"), detect_kind(b"# Hello", "notes.md"), detect_kind(b"x = 1", "x.py")
    ('pdf', 'markdown', 'code')
    """
    shown, suffix = display_name(name), suffix_of(name)
    if b"%PDF-" in data[:_PDF_MARK_WITHIN] and (suffix == "pdf" or data.lstrip().startswith(b"%PDF-")):
        return "pdf"
    found = _signature(data)
    if found:
        disguise = "" if suffix in _NOT_YET else f", not the {_spoken(suffix)} its name says"
        raise UnsupportedKindError(f"{shown} is {found}{disguise}.", _READABLE)
    if suffix == "pdf":
        # A damaged PDF: its parser says so, in a better sentence than a text parser could.
        return "pdf"
    if language_of(name):
        return "code"
    if suffix in _MARKDOWN_SUFFIXES:
        return "markdown"
    if suffix in _NOT_YET:
        raise UnsupportedKindError(f"{shown} is {_NOT_YET[suffix]}, which is not yet read.", _READABLE)
    return "text"


def _spoken(suffix: str) -> str:
    return f".{suffix} file" if suffix else "text"


def _signature(data: bytes) -> str | None:
    """What the first bytes say the file is; ``None`` for text and for the unknown."""
    if data.startswith(b"PK\3\4"):
        head = data[:4096] + data[-65_536:]
        return next((what for member, what in _ZIP_MEMBERS if member in head), "a ZIP archive")
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "a WebP picture", b"WAVE": "a WAV recording", b"AVI ": "a film"}[data[8:12]]
    if data[4:8] == b"ftyp" and data[:1] == b"\0":
        return "a film or picture (MPEG-4 family)"
    if data[257:262] == b"ustar":
        return "a tar archive"
    return next((what for mark, what in _SIGNATURES if data.startswith(mark)), None)
