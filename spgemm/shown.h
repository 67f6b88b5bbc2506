/* shown.h: what the handles of products show of their C. */
#ifndef GS_SPGEMM_SHOWN_H
#define GS_SPGEMM_SHOWN_H

#include "spgemm/spgemm.h"

typedef struct gs_shown {
    gsolve_location location; /* where the caller sees C */
    gsolve_csr copy;          /* there, if C lies elsewhere; made when first asked for */
    bool stale;               /* copy has old values */
} gs_shown;

/* *view of C. */
gsolve_status gs_show(gs_shown *s, gsolve_context *ctx, const gsolve_csr *C, gsolve_csr *view);

/* What P tells of itself; info's other members are 0. */
void gs_describe_product(const gs_product *P, int64_t entries, gsolve_product_info *info);

#endif
