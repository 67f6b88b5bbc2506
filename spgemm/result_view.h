/* result_view.h: what the handles of products show of their C. */
#ifndef GS_SPGEMM_RESULT_VIEW_H
#define GS_SPGEMM_RESULT_VIEW_H

#include "spgemm/spgemm.h"

typedef struct gs_result_view {
    gsolve_location location; /* where the caller sees C */
    gsolve_csr copy;          /* there, if C lies elsewhere; made when first asked for */
    bool stale;               /* copy has old values */
} gs_result_view;

/* *view of C. */
gsolve_status gs_view_result(gs_result_view *s, gsolve_context *ctx, const gsolve_csr *C,
                             gsolve_csr *view);

/* What P tells of itself; info's other members are 0. */
void gs_describe_product(const gs_product *P, int64_t entries, gsolve_product_info *info);

#endif
