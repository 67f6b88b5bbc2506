/* column_blocks.c: see column_blocks.h. */
#include "spmv/multi_rhs/column_blocks.h"

#include "core/try.h"

#define SMALL static inline
#include "matrix/row_rule.h"

#define LARGE (1 << 20) /* bytes of x; a smaller x stays in the caches without blocks */
#define DENSE 32        /* mean entries of a row in a block, at least */
#define TALL  256       /* rows at least: fewer do not reuse a block of x enough */

/* Whether more than half of a sample of rows span more than half of the columns. */
static bool span_many_columns(const gsolve_csr *A)
{
    const int32_t step = A->nrows / 1024 + 1;
    int32_t far = 0, sampled = 0;

    for (int32_t i = 0; i < A->nrows; i += step) {
        const int64_t at = gs_start(A, i), end = gs_start(A, i + 1);
        far += at < end && A->col[end - 1] - A->col[at] > A->ncols / 2;
        sampled++;
    }
    return far > sampled / 2;
}

gsolve_status gs_column_blocks_make(gs_column_blocks *column_blocks, gsolve_context *ctx,
                                    const gsolve_csr *csr)
{
    const int32_t width = gs_column_block_width(csr->type), n = csr->nrows;
    const int32_t count = csr->ncols / width + 1;
    gsolve_status status = GSOLVE_OK;

    *column_blocks = (gs_column_blocks){0};
    if (n < TALL || (size_t)csr->ncols * gs_type_size(csr->type) <= LARGE) goto done;
    if (gs_start(csr, n) < (int64_t)DENSE * count * n || !span_many_columns(csr)) goto done;
    ALLOC(ctx, GSOLVE_HOST, column_blocks->cut, ((size_t)count + 1) * (size_t)n);
    column_blocks->count = count;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) {
        const int64_t from = gs_start(csr, i), to = gs_start(csr, i + 1);
        for (int32_t s = 0; s < count; s++) {
            const int64_t before = gs_row_first(csr->col, from, to, (int64_t)s * width) - from;
            column_blocks->cut[(int64_t)s * n + i] = (int32_t)(before / 8 * 8);
        }
        column_blocks->cut[(int64_t)count * n + i] = (int32_t)(to - from);
    }
done:
    return status;
}

void gs_column_blocks_drop(gs_column_blocks *column_blocks, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, column_blocks->cut);
}
