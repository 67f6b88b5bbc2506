#!/usr/bin/env python3
"""pages.py OUT: writes the documentation as plain HTML pages into the folder OUT, for packages of distributions.

Needs the package markdown (Debian: python3-markdown). The pages need no other host and no script. scripts/docs.sh site builds
the site, which has a search and a navigation."""
import html
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import markdown

import links
import stage

STYLE = """body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; font-family: sans-serif; line-height: 1.45; }
table { border-collapse: collapse; } th, td { border: 1px solid #aaa; padding: 0.2rem 0.5rem; text-align: left; }
pre { background: #f2f2f2; padding: 0.6rem; overflow-x: auto; } img { max-width: 100%; }
"""
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="{top}style.css"></head>
<body><p><a href="{top}index.html">gsolve: documentation</a></p>
{body}
</body></html>
"""
EXTENSIONS = ["tables", "fenced_code", "attr_list", "md_in_html", "toc"]


def to_html(text, top):
    """The page of a Markdown text; top: the way from it to the top folder, "" or "../" and so on."""
    title = re.search(r"^# +(.+)$", text, re.M)
    body = markdown.markdown(text, extensions=EXTENSIONS, extension_configs={"toc": {"slugify": lambda heading, _: links.slug(heading)}})
    body = re.sub(r'(href="(?![a-z]+:)[^"#]*)\.md(#[^"]*)?"', r'\1.html\2"', body)
    return PAGE.format(title=html.escape(title[1].replace("`", "") if title else "gsolve"), top=top, body=body)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "docs"
        stage.stage_docs(staged)
        (staged / "site.css").unlink()
        for page in sorted(staged.glob("**/*.md")):
            top = os.path.relpath(staged, page.parent) + "/"
            page.with_suffix(".html").write_text(to_html(page.read_text(), "" if top == "./" else top))
            page.unlink()
        (staged / "style.css").write_text(STYLE)
        shutil.copytree(staged, out)


if __name__ == "__main__":
    main()
