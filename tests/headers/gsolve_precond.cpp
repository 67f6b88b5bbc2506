/* The header alone. */
#include "gsolve_precond.h"
