/* result_view.h: the result C of a product handle at the caller's location. */
#ifndef GS_SPGEMM_RESULT_VIEW_H
#define GS_SPGEMM_RESULT_VIEW_H

#include "spgemm/spgemm.h"

typedef struct gs_result_view {
    gsolve_location location; /* where the caller sees C */
    gsolve_csr copy; /* a copy at that location if C is elsewhere; the first request makes it */
    bool stale;      /* copy holds old values */
} gs_result_view;

/* *view = C at s->location; copies C or its values if necessary. */
gsolve_status gs_view_result(gs_result_view *s, gsolve_context *ctx, const gsolve_csr *C,
                             gsolve_csr *view);

/* Describes P in *info; info's other members are set to 0. */
void gs_describe_product(const gs_product *P, int64_t entries, gsolve_product_info *info);

#endif
