/* ilu_host.c: instances of ilu_body.h. Only tests run them. */
#include "precond/amg/smoothers/ilu.h"

#include "core/try.h"

#define SMALL static inline
#include "precond/amg/smoothers/ilu_rule.h"

/* The entries [*from, *to) of row i above the diagonal if upper, else below it. */
static void find_side(const gsolve_csr *A, bool upper, int32_t i, int64_t *from, int64_t *to)
{
    *from = gs_start(A, i);
    *to = gs_start(A, i + 1);
    if (upper) {
        while (*from < *to && A->col[*from] <= i) ++*from;
    } else {
        while (*from < *to && A->col[*to - 1] >= i) --*to;
    }
}

static gsolve_status side(gsolve_csr *T, gsolve_context *ctx, const gsolve_csr *A, bool upper)
{
    int64_t entries = 0, from, to;
    gsolve_status status;

    for (int32_t i = 0; i < A->nrows; i++) {
        find_side(A, upper, i, &from, &to);
        entries += to - from;
    }
    TRY(gs_csr_new_at(T, ctx, gs_location(ctx), A->nrows, A->nrows, entries, A->type));
    const gs_csr_arrays to_T = gs_csr_arrays_of(ctx, T);
    entries = 0;
    for (int32_t i = 0; i < A->nrows; i++) {
        gs_set_start(&to_T, i, entries);
        find_side(A, upper, i, &from, &to);
        while (from < to) to_T.col[entries++] = A->col[from++];
    }
    gs_set_start(&to_T, A->nrows, entries);
done:
    return status;
}

#define GS_BODY "precond/amg/smoothers/ilu_body.h"
#include "core/each_type.h"

const gs_ilu_kernels gs_ilu_host[GSOLVE_TYPE_COUNT] = {{side, sweep_f32, put_f32},
                                                       {side, sweep_f64, put_f64}};
