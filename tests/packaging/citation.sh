#!/bin/sh
# citation.sh SOURCE: cffconvert accepts CITATION.cff. Skipped (77) without it.
set -eu
command -v cffconvert >/dev/null || { echo "skipped: cffconvert is not installed (PyPI)"; exit 77; }
cffconvert --validate -i "$1/CITATION.cff"
cffconvert -f apalike -i "$1/CITATION.cff" | grep -q 'The gsolve developers.*(version [0-9.]*)'
