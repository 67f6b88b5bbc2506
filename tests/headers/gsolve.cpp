/* The header alone. */
#include "gsolve.h"

gsolve_result gsolve_header_result();
gsolve_result gsolve_header_result()
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    return result;
}
