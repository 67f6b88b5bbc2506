/* The header alone. */
#include "gsolve.h"
