/* bce_places.h: which block of bce a row belongs to, and in which order the rows are stored. */
#ifndef GS_SPMV_BCE_BCE_PLACES_H
#define GS_SPMV_BCE_BCE_PLACES_H

#include "matrix/csr.h"
#include "spmv/bce/opa.h"

#define GS_BCE_LONGEST 2048

/* Where rows go. */
typedef struct gs_bce_places {
    int32_t window;                       /* rows that blocks are laid out in */
    int32_t windows;                      /* ceil(nrows / window) */
    int32_t blocks;                       /* the widest is the first */
    uint8_t block_of[GS_BCE_LONGEST + 1]; /* by a row's length; longer rows count as empty */
} gs_bce_places;

/* Entries of a row as its block sees them; csr on the host. */
static inline int32_t gs_bce_length(const gsolve_csr *csr, int32_t i)
{
    const int64_t length = gs_start(csr, i + 1) - gs_start(csr, i);
    return length > GS_BCE_LONGEST ? 0 : (int32_t)length;
}

#endif
