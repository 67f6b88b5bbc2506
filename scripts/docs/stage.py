#!/usr/bin/env python3
"""stage.py OUT: makes OUT/docs and OUT/mkdocs.yml, from which MkDocs builds the site.

OUT/docs is a copy of docs/, with CONTRIBUTING.md, CHANGELOG.md and SECURITY.md as pages. Links between pages are adapted; a link
to a file that is no page, such as a source file, becomes plain text. In the navigation, "- FOLDER/*" becomes
a line for each page of that folder."""
import os
import re
import shutil
import sys
from pathlib import Path

from headers import TOP
from links import LINK

MOVED = {"CONTRIBUTING.md": "develop/contributing.md", "CHANGELOG.md": "releases.md", "README.md": "index.md",
         "SECURITY.md": "develop/security.md"}


def page_of(path):
    """The page of the site that a file of the repository is, or None."""
    if path in MOVED:
        return MOVED[path]
    return path[len("docs/"):] if path.startswith("docs/") else None


def adapt(text, source, page):
    """text of the file source as the page of that name: both relative to the top, and to docs."""
    def link(match):
        whole, target = match.group(), match.group(1)
        if re.match(r"[a-z]+:|#", target):
            return whole
        name, hash_, anchor = target.partition("#")
        leads_to = page_of(os.path.normpath(os.path.join(os.path.dirname(source), name)))
        if leads_to is None:
            return re.match(r"\[(.*)\]\(", whole, re.S).group(1)
        return whole[:-len(target) - 1] + os.path.relpath(leads_to, os.path.dirname(page) or ".") + hash_ + anchor + ")"

    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def stage_docs(out):
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(TOP / "docs", out, ignore=shutil.ignore_patterns("Doxyfile", "*.1"))
    for page in out.glob("**/*.md"):
        name = str(page.relative_to(out))
        page.write_text(adapt(page.read_text(), f"docs/{name}", name))
    for source, name in MOVED.items():
        if not (out / name).exists():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(adapt((TOP / source).read_text(), source, name))


def stage_navigation(docs, target):
    def expand(match):
        indent, folder = match.groups()
        return "\n".join(f"{indent}- {path.relative_to(docs)}" for path in sorted((docs / folder).glob("*.md"))
                         if path.name != "index.md")

    text = re.sub(r"^( *)- ([\w/]+)/\*$", expand, (TOP / "mkdocs.yml").read_text(), flags=re.M)
    target.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    stage_docs(folder / "docs")
    stage_navigation(folder / "docs", folder / "mkdocs.yml")
