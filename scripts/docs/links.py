#!/usr/bin/env python3
"""links.py: checks the links of all Markdown pages to files of this repository and to their headings.

Prints a line for each broken link; then the exit code is 1. Links to other hosts are not checked."""
import re
import subprocess
import sys
from pathlib import Path

from headers import TOP

LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")


def plain(text):
    """The text without blocks and spans of code, which hold no links."""
    text = re.sub(r"^( *)(```|~~~).*?^\1\2 *$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "code", text, flags=re.S)


def links(text):
    return LINK.findall(plain(text)) + re.findall(r"<(?:img|source)[^>]* (?:src|srcset)=\"([^\"]+)\"", text)


def slug(heading):
    """The anchor of a heading, as GitHub and the site make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    text, found = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S), set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.M):
        name, k = slug(heading), 0
        while (name if k == 0 else f"{name}-{k}") in found:
            k += 1
        found.add(name if k == 0 else f"{name}-{k}")
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=TOP, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return sorted(path for line in listed.stdout.split() if (path := TOP / line).exists())
    return sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md"), *TOP.glob("bench/**/*.md")])


def main():
    bad, count = 0, 0
    for page in pages():
        for link in links(page.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            if not target.exists():
                print(f"{page.relative_to(TOP)}: there is no {link}")
                bad = 1
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                print(f"{page.relative_to(TOP)}: {name or 'this page'} has no heading #{anchor}")
                bad = 1
    print(f"{count} links checked")
    return bad


if __name__ == "__main__":
    sys.exit(main())
