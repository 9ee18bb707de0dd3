"""Characters in a text that nobody sees.

Bidirectional controls turn the order of letters round, characters without width make two texts differ that look alike,
and controls such as ESC tell a terminal what to show. All let a text say one thing and show another, so no respondent
should be given them to read. (Unicode Technical
Report 36, Unicode Security Considerations; Trojan Source, Boucher and Anderson 2021)

>>> hidden_at("Do you\\u202e smoke?")
6
>>> hidden_at("Do you smoke?") is None
True
"""

import unicodedata

NO_WIDTH = ("Cc", "Cf", "Zl", "Zp", "Cs")  # controls, line and paragraph separators, halves of a character
BLANKS = "\n\t"  # controls that part lines and words, as people see
SEEN = frozenset(map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)))  # Arabic signs
UNSEEN = (  # Default_Ignorable_Code_Point beyond the format controls
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
)  # fmt: skip
JOINERS = "\u200c\u200d"
JOINED = frozenset(  # scripts in which a joiner between two letters changes how they are written
    (
        "ARABIC", "SYRIAC", "MANDAIC", "NKO", "MONGOLIAN", "ADLAM", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI",
        "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "MYANMAR", "KHMER", "TIBETAN", "BALINESE",
        "JAVANESE",
    )
)  # fmt: skip
STYLES = "\ufe0e\ufe0f"  # of a sign: as text, as a picture
KEYCAP = "\u20e3"


def hidden_at(text: str) -> int | None:
    """The index of the first character that nobody sees and that no script needs there."""
    if text.isascii() and text.isprintable():
        return None
    framed = f" {text} "
    for index, character in enumerate(text):
        if _is_unseen(character) and not _is_needed(character, framed[index], framed[index + 2]):
            return index
    return None


def _is_unseen(character: str) -> bool:
    if unicodedata.category(character) in NO_WIDTH:
        return character not in SEEN and character not in BLANKS
    return any(first <= ord(character) <= last for first, last in UNSEEN)


def _is_needed(character: str, before: str, after: str) -> bool:
    """Whether a joiner stands between letters that it joins or parts, or a style beside a sign that has it."""
    if character in JOINERS:
        return _script(before) in JOINED and _script(before) == _script(after)
    return character in STYLES and (unicodedata.category(before) == "So" or after == KEYCAP)


def _script(character: str) -> str | None:
    """The script of a letter or of a mark on one."""
    if unicodedata.category(character)[0] not in "LM":
        return None
    return unicodedata.name(character, "").partition(" ")[0]
