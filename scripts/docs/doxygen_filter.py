#!/usr/bin/env python3
"""doxygen_filter.py HEADER: the header with its comments marked for Doxygen, which runs this as its input filter.

A section becomes a group. Declarations that share a comment refer to the first of them."""
import itertools
import re
import sys
from pathlib import Path

import headers


def text(comment):
    """A comment as Doxygen reads it without Markdown: lines that are indented stay as they are."""
    out = []
    for code, lines in itertools.groupby(comment.split("\n"), lambda line: line.startswith("  ")):
        if code:
            out.append("@verbatim\n" + "\n".join(lines) + "\n@endverbatim")
        else:
            out += [escape(line) for line in lines if line]
    return "\n\n".join(out)


def escape(line):
    return line.translate(str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "\\\\", "@": "\\@", "#": "\\#"}))


def mark_members(declaration):
    """Comments within a struct or enum, behind the code of their line or above the next line."""
    def mark(match):
        begin = declaration.rfind("\n", 0, match.start()) + 1
        behind = declaration[begin:match.start()].strip() != ""
        one_line = re.sub(r"\n[ \t]*(?:\*(?!/))?[ \t]*", " ", match.group())  # the comment of a member is one paragraph
        return f"/**{'<' if behind else ''} {text(headers.comment_text(one_line))} */"

    return re.sub(r"/\*.*?\*/", mark, declaration, flags=re.S)


def block_text(block):
    out, first = [], ""
    for d in block.declarations:
        note = block.notes.get(d.name, "")
        comment = block.comment if not first else f"See {first}." if block.comment else ""
        both = "\n\n".join(text(c) for c in (comment, note) if c)
        out.append((f"/** {both} */\n" if both else "") + (d.text if d.kind == "macro" else mark_members(d.text)))
        first = first or d.name + ("()" if d.kind == "function" else "")
    return "\n".join(out)


def main(header):
    head, found = headers.sections(header)
    print(f"/** @{'mainpage C interface' if header == 'gsolve.h' else 'file'}\n{text(headers.comment_text(head))}\n*/")
    print("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#define GSOLVE_ENUM(name, text) name,")
    for section in found:
        title = section.title or Path(header).stem.replace("_", " ")
        group = f"{Path(header).stem}-{re.sub('[^a-z]+', '-', title.split(':')[0].lower()).strip('-')}"
        print(f"/** @defgroup {group} {title[0].upper() + title[1:]}\n@{{ */")
        print("\n\n".join(block_text(b) for b in section.blocks))
        print("/** @} */")


if __name__ == "__main__":
    main(Path(sys.argv[1]).name)
