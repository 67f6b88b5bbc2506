#!/usr/bin/env python3
"""recording.py GSOLVE OUT.svg: runs two solves on a terminal and draws what they print as an animated SVG.

The first solve converges. The second one fails, and gsolve names the cause. The text also goes to standard output: copy it to
"The recording" in docs/start/command.md. A viewer without animation shows the last picture. The times are those of the runs,
so run it on a quiet machine. GSOLVE is a build for the CPU, as scripts/solve.sh makes it."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS, ROWS = 92, 60
COMMANDS = [
    "-A gen:elasticity3d,n=30 -b ones",
    "-A gen:neumann2d,n=60 -b random --solver cg --precond ic",
]
TYPING, AFTER_TYPING, PAUSE, LAST = 0.035, 0.4, 2.5, 6.0  # seconds; TYPING for each character
FONT, WIDTH, HEIGHT, LEFT, TOP = 12, 7.25, 15.5, 14, 44  # of a character; of the text's corner


def run(argv):
    """(seconds, bytes) as a command writes them to a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    begin = time.monotonic()
    with subprocess.Popen(["gsolve", *argv[1:]], executable=argv[0], stdout=theirs, stdin=subprocess.DEVNULL, stderr=theirs, env=environment) as process:
        os.close(theirs)
        while True:
            if not select.select([ours], [], [], 0.5)[0] and process.poll() is not None:
                break
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            yield time.monotonic() - begin, data
    os.close(ours)


def write(lines, data):
    """lines after the terminal has got data, which holds no control characters but line feeds and returns."""
    lines = list(lines)
    for part in re.findall(r"\r|\n|[^\r\n]+", data.decode()):
        if part == "\n":
            lines.append("")
            write.column = 0
        elif part == "\r":
            write.column = 0
        else:
            line = lines[-1].ljust(write.column)
            lines[-1] = line[:write.column] + part + line[write.column + len(part):]
            write.column += len(part)
    return lines


def record(gsolve):
    """The screen as (seconds, lines), from the first prompt to the last."""
    now, lines, screens = 0.0, ["$ "], [(0.0, ["$ "])]
    for k, command in enumerate(COMMANDS):
        now += AFTER_TYPING
        for character in "gsolve " + command:
            now += TYPING
            lines = lines[:-1] + [lines[-1] + character]
            screens.append((now, lines))
        now += AFTER_TYPING
        lines, write.column = [*lines, ""], 0
        for seconds, data in run([gsolve, *command.split()]):
            lines = write(lines, data)
            screens.append((now + seconds, lines))
        now = screens[-1][0]
        if k + 1 < len(COMMANDS):
            now += PAUSE
            lines = [*lines, "$ "]
            screens.append((now, lines))
    return screens, now + LAST


def intervals(screens):
    """(row, text, begin, end) of each text that a row shows; end None: until the end."""
    showing = {}
    for seconds, lines in screens:
        for row in range(max(len(lines), len(showing))):
            text = lines[row].rstrip() if row < len(lines) else ""
            old = showing.get(row, ("", 0.0))
            if old[0] != text:
                if old[0]:
                    yield row, old[0], old[1], seconds
                showing[row] = (text, seconds)
    yield from ((row, text, begin, None) for row, (text, begin) in showing.items() if text)


def draw(screens, total):
    shown = sorted(intervals(screens), key=lambda i: (i[0], i[2]))
    rows = 1 + max(row for row, *_ in shown)
    width, height = COLUMNS * WIDTH + 2 * LEFT, TOP + rows * HEIGHT + 4
    style, body, names = [], [], {}
    for row, text, begin, end in shown:
        name = names.setdefault((begin, end), f"k{len(names)}")
        prompt = f'<tspan class="p">$</tspan>{escape(text[1:])}' if text.startswith("$") else escape(text)
        body.append(f'<text class="{name}{"" if end is None else " gone"}" x="{LEFT}" y="{TOP + row * HEIGHT:.1f}" '
                    f'textLength="{len(text) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">{prompt}</text>')
    for (begin, end), name in names.items():
        steps = f"0%{{visibility:hidden}}{100 * begin / total:.3f}%{{visibility:visible}}"
        steps += f"{100 * end / total:.3f}%,100%{{visibility:hidden}}" if end else "100%{visibility:visible}"
        style.append(f"@keyframes {name}{{{steps}}}.{name}{{animation:{name} {total:.2f}s step-end infinite}}")
    dots = "".join(f'<circle cx="{18 + 18 * k}" cy="14" r="5.5" fill="{c}"/>' for k, c in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">
<title>A terminal: a solve converges; then a second solve fails, and gsolve names the cause and the remedy</title>
<style>
text{{font:{FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6e6e6;white-space:pre}}
.p{{fill:#5fd787}}.gone{{visibility:hidden}}
@media(prefers-reduced-motion:no-preference){{
{chr(10).join(style)}
}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1e2228"/>{dots}
<g xml:space="preserve">
{chr(10).join(body)}
</g>
</svg>
"""


def main(gsolve, out):
    screens, total = record(os.path.abspath(gsolve))
    Path(out).write_text(draw(screens, total), encoding="utf-8")
    print("\n".join(line.rstrip() for line in screens[-1][1]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
