#!/bin/sh
# check_includes.sh ROOT: reads the #include lines of all sources under ROOT and refuses those that
# go against the directions of the house:
#
#   include <- core <- vector <- matrix <- dist <- { spmv, spgemm, io, factor } <- precond
#   { dist, factor } <- solver,  { factor, spmv } <- partition,  include <- mpi,  cli, petsc, examples -> include
#
# Formats (folders in spmv/), ways to multiply matrices (folders in spgemm/) and preconditioners (folders in
# precond/) do not include each other. Exceptions are the folders that several share, see "shared" below.
# A "#define GS_BODY" or GS_COLUMNS_BODY counts as an include.
# Besides, the folders that CUDA is linked into hold no conditional compilation: what a build lacks is absent by linking. Allowed are include guards and
# __cplusplus. Prints each offence as FILE:LINE: sentence; exit code 1 if there is any.
set -eu
cd "${1:?usage: check_includes.sh ROOT}"

folders=
for folder in include core vector matrix dist mpi factor spmv spgemm io precond solver partition cli petsc examples; do
    if [ -d "$folder" ]; then folders="$folders $folder"; fi
done

# shellcheck disable=SC2086,SC2016 # the folders are words, the $0 are those of awk
find $folders -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sort |
    LC_ALL=C xargs awk '
BEGIN {
    count = split("include core vector matrix dist mpi factor spmv spgemm io precond solver partition cli petsc examples", name, " ")
    for (k = 1; k <= count; k++) folder[name[k]] = 1
    may["include"] = " "
    may["core"] = " core "
    may["vector"] = " core vector "
    may["matrix"] = " core vector matrix "
    may["dist"] = " core vector matrix dist "
    may["mpi"] = " mpi "
    base = " core vector matrix dist "
    may["factor"] = base "factor "
    may["spmv"] = base "spmv "
    may["spgemm"] = base "spgemm "
    may["io"] = base "io "
    may["precond"] = base "factor spmv spgemm io precond "
    may["solver"] = base "factor solver "
    may["partition"] = base "factor spmv partition "
    may["cli"] = " cli "
    may["petsc"] = " petsc "
    may["examples"] = " examples "
    # Folders that all their siblings may include, and single directions FROM>TO.
    shared = " spmv/sliced spmv/multi_rhs precond/incomplete precond/chebyshev " \
             "spmv/auto>spmv/csr spmv/residual>spmv/operator spmv/residual>spmv/distributed spgemm/galerkin>spgemm/hash "
    plain = " core vector matrix dist mpi factor spmv spgemm precond solver partition " # no conditional compilation in their .c and .h
}

function offence(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; failed = 1 }

# "spmv/csr" for spmv/csr/csr.h, "" for what lies in spmv/ itself.
function kind_of(path,   part) { return split(path, part, "/") > 2 ? part[1] "/" part[2] : "" }

FNR == 1 { split(FILENAME, path, "/"); own = path[1]; directives = 0; guard = "" }

/^[ \t]*#[ \t]*(include|define[ \t]+GS_(COLUMNS_)?BODY)[ \t]*[<"]/ {
    target = $0
    sub(/^[^<"]*[<"]/, "", target)
    system_header = $0 ~ /^[^"]*</
    sub(/[>"].*$/, "", target)
    top = target ~ /\// ? substr(target, 1, index(target, "/") - 1) : ""
    if (target ~ /(^|\/)\.\.?(\/|$)/) {
        offence("\"" target "\" is relative; paths count from the root")
    } else if (top == "" && !system_header && target !~ /^gsolve(_[a-z]+)?\.h$/) {
        offence("\"" target "\" lacks its folder; paths count from the root")
    } else if (top in folder) {
        if (index(may[own], " " top " ") == 0) {
            offence(own "/ must not include " top "/ (" target ")")
        } else if (own == top && (own == "spmv" || own == "spgemm" || own == "precond") && \
                   kind_of(FILENAME) != "" && kind_of(target) != "" && \
                   kind_of(FILENAME) != kind_of(target) && !index(shared, " " kind_of(target) " ") && \
                   !index(shared, " " kind_of(FILENAME) ">" kind_of(target) " ")) {
            offence(kind_of(FILENAME) " must not include its sibling " kind_of(target))
        }
    }
}

/^[ \t]*#/ && index(plain, " " own " ") && FILENAME ~ /\.[ch]$/ {
    directive = $0
    sub(/^[ \t]*#[ \t]*/, "", directive)
    directives++
    split(directive, word, /[ \t(]+/)
    if (word[1] == "ifndef" && directives == 1) {
        guard = word[2] # of a header, if the next line defines it
    } else if (directives == 2 && guard != "" && !(word[1] == "define" && word[2] == guard)) {
        offence("#ifndef " guard " is not an include guard")
    } else if (word[1] ~ /^(if|ifdef|ifndef|elif|elifdef|elifndef|else)$/ && \
               directive !~ /^ifdef[ \t]+__cplusplus/) {
        offence("#" word[1] ": no conditional compilation here; leave out by linking (no_cuda.c)")
    }
}

END { exit failed }
'
