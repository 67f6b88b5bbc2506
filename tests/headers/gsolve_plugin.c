/* The header alone. */
#include "gsolve_plugin.h"
