/* The header alone. */
#include "gsolve_auto.h"
