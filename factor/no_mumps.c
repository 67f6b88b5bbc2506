/* no_mumps.c: replaces mumps.c in a build without GSOLVE_MUMPS. */
#include "factor/factor.h"

const gs_factor_library gs_mumps = {
    .name = "mumps", .package = "libmumps-seq-dev", .option = "GSOLVE_MUMPS"};
