#!/usr/bin/env bash
# new.sh format|method|precond|generator NAME: creates a plug-in that compiles and works, with a test and a page, and adds it
# to the lists of its kind. NAME: letters a-z, digits and '_'. The templates are in scripts/new/.
set -euo pipefail
cd "$(dirname "$0")/.."
templates=scripts/new

fail() { echo "new.sh: $*" >&2; exit 1; }
usage() { sed -n '2,3s/^# //p' "$0" >&2; exit 1; }

[ $# -eq 2 ] || usage
kind=$1 name=$2
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || fail "'$name' holds other characters than a-z, 0-9 and '_', or does not begin with a letter"
grep -qsE "\bgs_${name}(_format)?\b" spmv/formats.c solver/methods.c precond/kinds.c io/generate.c && fail "there is a plug-in $name"
format=csr solver=cg precond=jacobi matrix=poisson2d,n=10 # of the test
also=
clang_format=$(command -v clang-format-18 || command -v clang-format || true)
case $($clang_format --version 2>/dev/null) in *version\ 18.*) ;; *) clang_format= ;; esac

make() { # TEMPLATE FILE
  [ ! -e "$2" ] || fail "$2 exists"
  mkdir -p "$(dirname "$2")"
  sed -e "s/template_name/$name/g; s/TEMPLATE_NAME/${name^^}/g; s/@KIND@/$kind/g" \
    -e "s/@FORMAT@/$format/; s/@SOLVER@/$solver/; s/@PRECOND@/$precond/; s/@MATRIX@/$matrix/" "$templates/$1" >"$2"
  case $2 in *.[ch]) if [ "$clang_format" ]; then "$clang_format" -i "$2"; fi ;; esac
  echo "  new      $2"
}

changed() { # FILE: FILE.new takes its place
  mv "$1.new" "$1"
  case $1 in *.[ch]) if [ "$clang_format" ]; then "$clang_format" -i "$1"; fi ;; esac
  echo "  changed  $1"
}

insert() { # FILE PATTERN LINE: LINE before the first line of FILE that matches
  grep -qE -- "$2" "$1" || fail "$1 has no line like '$2'"
  awk -v pattern="$2" -v line="$3" '!done && $0 ~ pattern {print line; done = 1} {print}' "$1" >"$1.new"
  changed "$1"
}

declare_last() { # FILE PATTERN NAME: NAME at the end of the declaration that begins on the line that matches
  grep -qE -- "$2" "$1" || fail "$1 has no line like '$2'"
  awk -v pattern="$2" -v name="$3" '$0 ~ pattern {found = 1} found && !done && sub(/;$/, ", " name ";") {done = 1} {print}' \
    "$1" >"$1.new"
  changed "$1"
}

sources() { # FOLDER FILES: for CMake, into the list of their folder, or as a list of their own in alphabetical order
  awk -v files="${*:2}" -v folder="$(dirname "$2")" '
    function flush() { if (held != "") print held; held = "" }
    /^gsolve_sources\($/ {flush(); held = $0; next}
    held != "" && !done {
      own = $2; if (!sub(/\/.*/, "", own)) own = "."
      if (own == folder) {sub(/C /, "C " files " "); done = 1}
      else if (own > folder) {print "gsolve_sources(\n  C " files ")"; done = 1}
    }
    {flush(); print}
    END {flush(); if (!done) print "gsolve_sources(\n  C " files ")"}' "$1/CMakeLists.txt" >"$1/CMakeLists.txt.new"
  changed "$1/CMakeLists.txt"
}

apart() { # the test of the new plug-in runs on the device apart, too
  sed "s/^foreach(name formats outcomes /&$name /" tests/CMakeLists.txt >tests/CMakeLists.txt.new
  changed tests/CMakeLists.txt
}

case $kind in
format)
  format=$name
  for part in .h .c _body.h _host.c; do make "format$part" "spmv/$name/$name$part"; done
  insert spmv/formats.c '&gs_auto_format\.plugin' "    &gs_${name}_format.plugin,"
  insert spmv/handle.h '^extern const gsolve_format gs_auto_format;' "extern const gsolve_format gs_${name}_format;"
  sources spmv "$name/$name.c" HOST "$name/${name}_host.c"
  page=docs/understand/formats/$name.md
  make page_format.md "$page"
  insert docs/understand/formats.md '\(formats/auto\.md\)' "| [\`$name\`](formats/$name.md) | FILL-IN: compressed rows, one after the other | own |"
  list=spmv/formats.c
  suites="formats spmm same_bits failures"
  try="compare gen:poisson3d,n=60 --formats csr,$name"
  source=spmv/$name/${name}_body.h
  more="the format works on the CPU alone. For a GPU: ${name}_cuda.cu with gs_${name}_cuda[], a line in spmv/no_cuda.c, the kernels
chosen by GS_KERNELS in $name.c, and the format in the list cuda[] of spmv/formats.c"
  guide=docs/howto/write_a_format.md
  ;;
method)
  solver=$name
  make method.c "solver/methods/$name.c"
  insert solver/methods.c 'NULL,$' "    &gs_$name.plugin,"
  declare_last solver/method.h '^extern const gs_method gs_cg' "gs_$name"
  sources solver "methods/$name.c"
  page=docs/reference/methods/$name.md
  make page.md "$page"
  list=solver/methods.c
  also="
     docs/howto/choose_a_method.md, docs/howto/not_converged.md: a word, where users choose. tests/test_solvers.c: the arrays in nonsymmetric
     and indefinite, if the method solves such systems."
  suites="solvers ended profile outcomes"
  try="-A gen:poisson3d,n=30 -b ones --solver $name --precond ic --format csr --profile"
  source=solver/methods/$name.c
  more="the method needs no code for a device: the operations of solver/operations/operations.h run on both"
  guide=docs/howto/write_a_method.md
  ;;
precond)
  precond=$name
  make precond.c "precond/$name/$name.c"
  insert precond/kinds.c 'NULL,$' "    &gs_$name.plugin,"
  declare_last precond/handle.h '^extern const gsolve_precond_kind gs_none' "gs_$name"
  sources precond "$name/$name.c"
  page=docs/reference/preconditioners/$name.md
  make page.md "$page"
  list=precond/kinds.c
  suites="precond_kinds precond_columns solvers failures"
  try="-A gen:poisson3d,n=30 -b ones --precond $name"
  source=precond/$name/$name.c
  more="own kernels for both devices: see precond/jacobi/"
  guide=docs/howto/write_a_preconditioner.md
  ;;
generator)
  matrix=$name,n=100
  make generator.c "io/generate_$name.c"
  insert io/generate.c 'NULL,$' "    &gs_$name.plugin,"
  declare_last io/generators.h '^extern const gs_generator ' "gs_$name"
  sources io "generate_$name.c"
  page=docs/reference/generators.md
  list=io/generate.c
  suites="generate_each"
  try="info gen:$name"
  source=io/generate_$name.c
  more="a line in tests/test_generate_each.c says what the matrix must be"
  guide=io/generators.h
  ;;
*) usage ;;
esac
make test.c "tests/test_$name.c"
[ "$kind" = generator ] || apart
cat <<END

The new $kind compiles and works. Next steps ($guide has the rules):

  1. $list: gsolve list prints names in this order; move the line beside its relatives.
  2. $source: write what the $kind is meant to do. Replace every FILL-IN.
  3. $page: replace every FILL-IN.
     README.md, table "What there is": the name in the row that fits (formats and methods have a row for each device and treatment of
     several columns). CHANGELOG.md: a line under the heading of its kind.$also
  4. cmake --preset cpu && cmake --build --preset cpu
  5. ctest --preset cpu -R '^((apart_)?$name|${suites// /|})\$'
     tests/test_$name.c is its own test: add what only this $kind promises.
  6. build-cpu/cli/gsolve $try
  7. make format lint, then make reference man, then ctest --preset cpu -R '^(lists|pages|docs_.*)\$'
  8. make test

${more^}.
END
