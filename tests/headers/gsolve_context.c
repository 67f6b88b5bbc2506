/* The header alone. */
#include "gsolve_context.h"
