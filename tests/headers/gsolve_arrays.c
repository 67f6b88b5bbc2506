/* The header alone. */
#include "gsolve_arrays.h"
