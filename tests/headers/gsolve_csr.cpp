/* The header alone. */
#include "gsolve_csr.h"
