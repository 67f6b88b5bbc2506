/* diagonal.h: looks up single entries and the diagonal of a matrix with sorted rows. */
#ifndef GS_PRECOND_DIAGONAL_H
#define GS_PRECOND_DIAGONAL_H

#include <float.h>

#include "matrix/csr.h"

#define SMALL static inline
#include "matrix/row_rule.h"

/* The position of entry (i, j) of csr, whose rows are sorted, or -1. */
static inline int64_t gs_entry_at(const gsolve_csr *csr, int32_t i, int32_t j)
{
    return gs_row_find(csr->col, gs_start(csr, i), gs_start(csr, i + 1), j);
}

static inline int64_t gs_diagonal_at(const gsolve_csr *csr, int32_t i)
{
    return gs_entry_at(csr, i, i);
}

/* The largest magnitude of a type. */
static inline double gs_largest_value(gsolve_type type)
{
    return type == GSOLVE_F32 ? FLT_MAX : DBL_MAX;
}

typedef struct gs_reciprocals {
    void *d;     /* for the kernels of the context */
    void *draft; /* on the host, kept for the next values; NULL where the host does not write */
} gs_reciprocals;

/* The numbers on the host, as the host set them last. Only where the matrix was on the host. */
static inline void *gs_reciprocals_on_host(const gs_reciprocals *r)
{
    return r->draft ? r->draft : r->d;
}

/* r->d[i] = 1 / a_ii, or 1 / |a_ii| if absolute, in csr's type. csr is on the host, or where the
 * kernels of ctx read it. Allocates what r lacks.
 * GSOLVE_ZERO_PIVOT: the message names who and the row, and r->d is unchanged. */
gsolve_status gs_diagonal_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                      bool absolute, gs_reciprocals *r);

/* r->d[j] = 1 / |a_j|^2 for the columns a_j of csr, of any shape, in csr's type; 1 for a column
 * that is 0. Else as gs_diagonal_reciprocals. */
gsolve_status gs_column_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                    gs_reciprocals *r);

void gs_reciprocals_free(gs_reciprocals *r, gsolve_context *ctx);

#endif
