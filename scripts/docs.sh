#!/usr/bin/env bash
# docs.sh [site|man [OUT]|pictures]: the documentation.
#   site      checks the reference pages and all links, and builds the site into build/site (the default)
#   man [OUT] builds the man pages of the C interface in OUT/man3 (Doxygen); OUT: an absolute path, or build/man
#   pictures  draws docs/pictures/ from the benchmark records and from runs of the command in build-cpu/ or build/
# MkDocs and Matplotlib come from PyPI into build/docs-venv. Doxygen is a package of the system.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-site} venv=build/docs-venv gsolve=build-cpu/cli/gsolve
[ -x $gsolve ] || gsolve=build/cli/gsolve
export PYTHONDONTWRITEBYTECODE=1

prepare() { # the Python packages
  if cmp -s scripts/docs/requirements.txt $venv/installed; then return; fi
  python3 -m venv $venv || { echo "docs.sh: needs python3 with venv (Debian: apt-get install python3-venv)" >&2 && exit 1; }
  $venv/bin/pip install -q --disable-pip-version-check -r scripts/docs/requirements.txt
  cp scripts/docs/requirements.txt $venv/installed
}

has_doxygen() { command -v doxygen >/dev/null || { echo "docs.sh: without Doxygen (Debian: apt-get install doxygen)" >&2 && return 1; }; }

doxygen_into() { # HTML MAN: folders, or empty
  mkdir -p build/doxygen
  (cat docs/Doxyfile && echo "GENERATE_HTML=$([ -n "$1" ] && echo YES || echo NO)" && echo "HTML_OUTPUT=${1:-none}" &&
    echo "GENERATE_MAN=$([ -n "$2" ] && echo YES || echo NO)" && echo "MAN_OUTPUT=${2:-none}") >build/doxygen/Doxyfile
  doxygen build/doxygen/Doxyfile
}

site() {
  prepare
  python3 scripts/docs/headers.py --check
  if [ -x $gsolve ]; then python3 scripts/docs/reference.py $gsolve --check; fi
  python3 scripts/docs/links.py
  python3 scripts/docs/stage.py build/docs-stage
  if has_doxygen; then
    doxygen_into "$PWD/build/docs-stage/docs/c" ""
    printf '\n[The Doxygen pages](../c/index.html) have an index and a search.\n' >>build/docs-stage/docs/reference/c.md
  fi
  NO_MKDOCS_2_WARNING=1 $venv/bin/mkdocs build --strict --clean -f build/docs-stage/mkdocs.yml -d "$PWD/build/site" >build/docs.log 2>&1 ||
    { grep -v '^INFO' build/docs.log >&2 && exit 1; }
  echo "build/site/index.html"
}

man() {
  has_doxygen
  local out=${1:-$PWD/build/man}
  rm -rf "$out"
  doxygen_into "" "$out"
  find "$out/man3" -name '*.3' ! -name 'gsolve*' ! -name 'GSOLVE*' -delete # links of members, and of folders
  find "$out/man3" -name '*.3' -exec sed -i "s/^'/\\\\\&'/" {} + # a line that begins with ' would be taken for a command
  sed -i '/^\.SH NAME$/{n;s/^gsolve\.h$/gsolve.h \\- the header that programs include/}' "$out/man3/gsolve.h.3"
  echo "$(find "$out/man3" -name '*.3' | wc -l) pages in $out/man3: man -M $out gsolve_solve"
}

pictures() {
  prepare
  $venv/bin/python scripts/plots.py
  if [ -x $gsolve ]; then
    python3 scripts/recording.py $gsolve docs/pictures/solve.svg
    $gsolve -A gen:poisson3d,n=60 --profile --threads 1 --html build/solve_page.html -q
    python3 tests/cli/browser.py build/solve_page.html docs/pictures/solve_page.png 1000 1480 # needs Chromium
  fi
}

case $what in
site | man | pictures) $what "${@:2}" ;;
*) sed -n '2,6s/^# //p' "$0" >&2 && exit 1 ;;
esac
