/* The header alone. */
#include "gsolve_solver.h"
