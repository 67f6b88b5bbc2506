/* blocked_type.h: the type of a matrix of dense blocks. */
#ifndef GS_SPGEMM_BLOCKED_BLOCKED_TYPE_H
#define GS_SPGEMM_BLOCKED_BLOCKED_TYPE_H

#include "matrix/csr.h"

/* A matrix of dense blocks within the library. csr counts rows, columns and entries in blocks;
 * csr.value holds height x width numbers for each entry, row-major. Blocks of 1 x 1 make an
 * ordinary matrix. The public type, gsolve_blocked, holds no gsolve_csr, so that a caller cannot
 * pass blocks where numbers are expected. */
typedef struct gs_blocked {
    gsolve_csr csr;
    int32_t height, width;
} gs_blocked;

#endif
