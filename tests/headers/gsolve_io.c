/* The header alone. */
#include "gsolve_io.h"
