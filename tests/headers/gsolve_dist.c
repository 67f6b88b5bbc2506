/* The header alone. */
#include "gsolve_dist.h"
