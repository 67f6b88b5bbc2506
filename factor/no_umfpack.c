/* no_umfpack.c: replaces umfpack.c in a build without GSOLVE_UMFPACK. */
#include "factor/factor.h"

const gs_factor_library gs_umfpack = {
    .name = "umfpack", .package = "libsuitesparse-dev", .option = "GSOLVE_UMFPACK"};
