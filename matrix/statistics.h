/* statistics.h: one look at compressed rows of which nothing is known yet. */
#ifndef GS_MATRIX_STATISTICS_H
#define GS_MATRIX_STATISTICS_H

#include "matrix/csr.h"

/* What was found; each holds where nothing above it is bad. */
typedef struct gs_csr_seen {
    int32_t bad_row;   /* the first that ends before it begins; 0 if offset 0 is not 0; or -1 */
    int64_t entries;   /* all of them */
    int64_t bad_entry; /* the first in a column out of range or not finite; or -1 */
    bool ascending;    /* whether columns ascend strictly in every row */
} gs_csr_seen;

typedef struct gs_see_kernels {
    /* All of that at once: a device is waited for once. */
    gsolve_status (*look)(gs_csr_seen *seen, gsolve_context *ctx, const gsolve_csr *csr);
} gs_see_kernels;

extern const gs_see_kernels gs_see_host[GSOLVE_TYPE_COUNT], gs_see_cuda[GSOLVE_TYPE_COUNT];

/* As gs_csr_check, and what was seen; clean may be NULL. */
gsolve_status gs_csr_check_seen(gsolve_context *ctx, const gsolve_csr *csr, gs_csr_seen *seen,
                                bool *clean);

#endif
