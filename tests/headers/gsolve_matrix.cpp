/* The header alone. */
#include "gsolve_matrix.h"
