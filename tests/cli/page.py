#!/usr/bin/env python3
"""page.py: the HTML pages of gsolve.

    page.py GSOLVE            reads the pages: they hold the JSON exactly, and no name of a file breaks out of its place
    page.py GSOLVE --browser [--pictures FOLDER]
                              opens them in headless Chromium at three widths, in light and dark, without scripts and for print.
                              Exit code 77 if there is no Chromium. --pictures keeps a picture of each
"""
import argparse
import html.parser
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

HOSTILE = "a<!--<script></script><img src=x onerror=alert(1)>'\"&.mtx"
MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n"
MARK = '<script type="application/json" id="result">'
WIDTHS = ((1200, False), (1200, True), (768, False), (768, True), (375, False), (375, True))
VOID = {"meta", "link", "br", "wbr", "hr", "img", "input"}
PAGES = {  # name: exit code, arguments
    "solve": (0, ["-A", "gen:poisson3d,n=12", "--solver", "cg", "--precond", "amg", "--profile"]),
    "failed": (2, ["-A", "gen:poisson2d,n=30", "--rtol", "1e-16", "--maxit", "300"]),
    "attempts": (0, ["-A", "gen:jump3d,n=20", "--maxit", "2"]),
    "columns": (0, ["-A", "gen:convdiff3d,n=6", "-b", "random,k=3", "--plot"]),
    "few_iterations": (0, ["-A", HOSTILE]),
    "rectangular": (0, ["-A", "gen:lp"]),
    "formats": (0, ["compare", "gen:poisson2d,n=20", "--repeat", "3"]),
    "formats_three": (0, ["compare", "gen:poisson2d,n=20", HOSTILE, "gen:rmat,scale=6", "--repeat", "1", "--formats", "sell,bsr,coo"]),
    "solvers": (0, ["compare", "gen:poisson3d,n=8", HOSTILE, "gen:convdiff3d,n=6", "--solvers", "cg,bicgstab,gmres", "--preconds", "jacobi,ilu",
                    "--repeat", "3"]),
}
faults = []


def fault(*words):
    faults.append(" ".join(map(str, words)))
    print("FAILED:", faults[-1])


class Parser(html.parser.HTMLParser):
    """Counts elements, and finds those that are not closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.count, self.words, self.wrong = [], {}, [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)
        self.wrong += [name for name, _ in attributes if name.startswith("on") or name == "src"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, text):
        self.words.append(text)


def json_of(text):
    """The JSON of a page, and the page without it."""
    at = text.index(MARK) + len(MARK)
    end = text.index("</script>", at)
    return text[at:end], text[:at] + text[end:]


def run(gsolve, folder, name):
    code, arguments = PAGES[name]
    command = [gsolve] + arguments + ["--html", f"{name}.html", "--json", f"{name}.json", "--threads", "2"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)
    if done.returncode != code:
        fault(name, "exit code", done.returncode, done.stderr)
    return done.stdout


def compare(name, given, page):
    """The JSON of the page is that of --json, and what only the page has."""
    given, shown = json.loads(given), json.loads(page)
    extra = shown.pop("page", None)
    if shown != given:
        fault(name, "the JSON of the page is not that of --json")
    if not extra or not extra["command"].startswith("gsolve ") or "UTC" not in extra["date"]:
        fault(name, "the page has no command or date")
    return extra


def check_page(folder, name):
    text = Path(folder, f"{name}.html").read_text(encoding="utf-8")
    page, rest = json_of(text)
    if "<" in page:
        fault(name, "'<' stands in the JSON")
    extra = compare(name, Path(folder, f"{name}.json").read_text(encoding="utf-8"), page)
    parser = Parser(rest)
    if parser.wrong:
        fault(name, "elements:", parser.wrong)
    if parser.count.get("script") != 2 or parser.count.get("img") or parser.count["table"] < 3:
        fault(name, "elements:", parser.count)
    text = text.replace('"http://www.w3.org/2000/svg"', "")  # a name, not an address
    if any(word in text for word in ("http://", "https://", "@import", "url(")):
        fault(name, "the page needs something else")
    return extra, parser


def check_all(gsolve, folder):
    for name in PAGES:
        run(gsolve, folder, name)
    for name in PAGES:
        extra, parser = check_page(folder, name)
        if "few" in name and (HOSTILE not in "".join(parser.words) or HOSTILE.replace("'", "'\\''") not in extra["command"]):
            fault(name, "the name of the file is not shown")
        if name == "solve" and (sum(extra["spy"]["counts"]) != 11232 or extra["spy"]["rows"] != 64 or sum(extra["row_lengths"]) != 1728):
            fault(name, "the entries are not all counted")
        if name == "failed" and extra["success"]:
            fault(name, "the page shows a success")
        if name in ("failed", "attempts") and (len(extra["curves"]) < 1 + (name == "attempts") or not extra["curves"][0]["points"]):
            fault(name, "an attempt has no curve")
        if name == "formats_three" and len(extra["matrices"]) != 3:
            fault(name, "a matrix has no pattern")
    check_stdout(gsolve, folder)


def check_stdout(gsolve, folder):
    done = subprocess.run([gsolve, "-A", HOSTILE, "--html", "-"], cwd=folder, stdout=subprocess.PIPE, timeout=100, check=True)
    if not done.stdout.startswith(b"<!doctype html>") or not done.stdout.endswith(b"</html>\n"):
        fault("--html -: standard output is not the page alone")


# --- in a browser ----------------------------------------------------------------------------------

def check_layout(chromium, folder, name, pictures):
    layout = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")
    for width, dark in WIDTHS:
        what = f"{name} {width} px{' dark' if dark else ''}"
        messages = chromium.open(Path(folder, f"{name}.html"), width, dark)
        found = chromium.evaluate(layout)
        for text in messages + found["faults"]:
            fault(what, text)
        if found["texts"] < 30:
            fault(what, "the page is empty")
        if pictures:
            chromium.picture(Path(pictures, f"{name}_{width}{'_dark' if dark else ''}.png"))


def check_use(chromium, folder):
    """Reading values with the keyboard, copying, opening the JSON."""
    chromium.open(Path(folder, "solve.html"), 1200)
    chromium.evaluate("document.querySelector('.chart svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))")
    if not chromium.evaluate("document.querySelector('.readout').textContent").startswith("iteration 0: 1"):
        fault("solve: the arrow keys show no value")
    chromium.evaluate("document.querySelector('button').click(); new Promise(done => setTimeout(done, 300))")
    if chromium.evaluate("document.querySelector('button').textContent") != "Copied":
        fault("solve: the button copies nothing")
    chromium.evaluate("document.querySelector('details').open = true; new Promise(done => setTimeout(done, 100))")
    if not chromium.evaluate("JSON.parse(document.querySelector('details pre').textContent).outcome") == "converged":
        fault("solve: the JSON is not shown")
    nameless = chromium.evaluate("[...document.querySelectorAll('svg')].filter(s => !s.getAttribute('aria-label') && !s.ariaHidden).length"
                                 " + [...document.querySelectorAll('table')].filter(t => !t.caption).length")
    if nameless:
        fault("solve:", nameless, "pictures or tables have no name")


def check_without_scripts(chromium, folder, pictures):
    chromium.open(Path(folder, "failed.html"), 768, scripts=False)
    text = chromium.evaluate("document.body.innerText")
    if text is not None and ("Scripts are off" not in text or "outcome" not in text):
        fault("failed: no tables without scripts")
    if pictures:
        chromium.picture(Path(pictures, "failed_without_scripts.png"))


def check_in_browser(folder, pictures):
    chromium = browser.Browser(browser.find(), os.path.join(folder, "profile"))
    try:
        for name in PAGES:
            check_layout(chromium, folder, name, pictures)
        check_use(chromium, folder)
        check_without_scripts(chromium, folder, pictures)
        chromium.open(Path(folder, "solve.html"), 720, media="print")
        if chromium.evaluate("getComputedStyle(document.querySelector('button')).display") != "none":
            fault("solve: print shows buttons")
    finally:
        chromium.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gsolve")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    gsolve = os.path.abspath(options.gsolve)
    if options.browser and not browser.find():
        print("skipped: no Chromium (Debian: apt-get install chromium)")
        return 77
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, HOSTILE).parent.mkdir()  # the name has a slash
        Path(folder, HOSTILE).write_text(MATRIX, encoding="ascii")
        if options.browser:
            for name in PAGES:
                run(gsolve, folder, name)
            check_in_browser(folder, options.pictures)
        else:
            check_all(gsolve, folder)
    print(f"{len(PAGES)} pages, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
