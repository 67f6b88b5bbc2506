#!/usr/bin/env bash
# lint.sh [--all]: runs clang-format, shellcheck and codespell on new files and those that differ from the last commit, or on all files,
# and checks the directions of includes. Names each tool that is missing. As a hook: ln -s ../../scripts/lint.sh .git/hooks/pre-commit
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
code=0 words=coo,upto,lates,cant,fro,nin,nd # that codespell takes for mistakes
changed() { git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard; }
if [ "${1:-}" = --all ]; then list=(git ls-files); else list=(changed); fi

check() { # PATTERN TOOL ARGUMENT...: TOOL on the files whose names match
  mapfile -t files < <("${list[@]}" | grep -E "$1" | grep -vE '\.mtx|\.svg$|\.json$|^scripts/new/' || true)
  [ ${#files[@]} -gt 0 ] || return 0
  command -v "$2" >/dev/null || { echo "lint.sh: without $2" && return 0; }
  "${@:2}" "${files[@]}" || code=1
}

formatter=$(command -v clang-format-18 || command -v clang-format || echo clang-format)
case $($formatter --version 2>/dev/null) in
  *version\ 18.*) check '\.(c|h|cu|cuh|cpp|hpp)$' "$formatter" --dry-run -Werror ;;
  *) echo "lint.sh: without clang-format 18 (pip install clang-format==18.1.8)" ;;
esac
check '\.sh$|^\.ci/run$' shellcheck -x -S warning
check '\.(md|c|h|cu|cuh|sh|py)$' codespell -L "$words"
sh tests/check_includes.sh . || code=1
exit $code
