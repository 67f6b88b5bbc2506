/* no_cholmod.c: replaces cholmod.c in a build without GSOLVE_CHOLMOD. */
#include "factor/factor.h"

const gs_factor_library gs_cholmod = {
    .name = "cholmod", .package = "libsuitesparse-dev", .option = "GSOLVE_CHOLMOD"};
