/* no_vendor.c: stands in for vendor_cuda.cu in a build without CUDA. */
#include <stdio.h>

#include "cli/compare/vendor.h"

bool cmp_vendor_solve(cmp_vendor *t, char why[256])
{
    (void)t;
    snprintf(why, 256, "this build of gsolve has no CUDA");
    return false;
}
