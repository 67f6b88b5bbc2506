/* convert.c: copies of compressed rows with values of another type. */
#include <math.h>

#include "core/try.h"
#include "matrix/csr.h"
#include "vector/blocks.h"

/* to[0..n) = from[0..n), of either type. */
static void convert_values(gsolve_context *ctx, int64_t n, gsolve_type to_type, void *to,
                           gsolve_type from_type, const void *from)
{
    const int threads = gs_threads_for(n, gsolve_threads(ctx));

    if (to_type == from_type) {
        gsolve_copy(ctx, to, GSOLVE_HOST, from, GSOLVE_HOST, (size_t)n * gs_type_size(to_type));
    } else if (to_type == GSOLVE_F32) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (int64_t k = 0; k < n; k++) ((float *)to)[k] = (float)((const double *)from)[k];
    } else {
#pragma omp parallel for simd schedule(static) num_threads(threads)
        for (int64_t k = 0; k < n; k++) ((double *)to)[k] = (double)((const float *)from)[k];
    }
}

gsolve_status gs_csr_copy(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                          const gsolve_csr *A)
{
    const int64_t entries = gs_start(A, A->nrows);
    gsolve_csr B;
    gsolve_status status = gs_csr_new(&B, ctx, A->nrows, A->ncols, entries, type);

    if (status != GSOLVE_OK) return status;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B);
    if (B.offset == A->offset) {
        gsolve_copy(ctx, to.start, GSOLVE_HOST, A->start, GSOLVE_HOST,
                    ((size_t)A->nrows + 1) * gs_offset_size(A->offset));
    } else {
        for (int32_t i = 0; i <= A->nrows; i++) gs_set_start(&to, i, gs_start(A, i));
    }
    gsolve_copy(ctx, to.col, GSOLVE_HOST, A->col, GSOLVE_HOST, (size_t)entries * sizeof *A->col);
    convert_values(ctx, entries, type, to.value, A->type, A->value);
    *out = B;
    return GSOLVE_OK;
}

/* --- what single precision cannot hold ----------------------------------------------------------
 */

/* Whether single precision loses value. Values that are not finite are no loss: gs_csr_check
 * refuses them. */
static inline bool is_lost(double value)
{
    const float single = (float)value;
    return (single == 0) != (value == 0) || (isinf(single) && isfinite(value));
}

int64_t gs_first_lost(const gsolve_context *ctx, int64_t n, const double *value)
{
    int64_t first = INT64_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) \
    reduction(min : first) if (n > 10000)
    for (int64_t k = 0; k < n; k++) {
        if (is_lost(value[k]) && k < first) first = k;
    }
    return first == INT64_MAX ? -1 : first;
}

const char *gs_single_words(double value)
{
    return fabs(value) < 1 ? "0" : "infinite";
}

/* Fails if single precision cannot hold an entry of A. */
static gsolve_status need_single(gsolve_context *ctx, const gsolve_csr *A)
{
    const int64_t lost = gs_first_lost(ctx, gs_start(A, A->nrows), A->value);

    if (lost < 0) return GSOLVE_OK;
    return gsolve_fail(
        ctx, GSOLVE_BAD_MATRIX,
        "the entry in row %d and column %d (counted from 1) is %g, which would be %s in "
        "single precision; scale the matrix, or compute in double precision",
        gs_row_of_entry(A, lost) + 1, A->col[lost] + 1, gs_value(A, lost),
        gs_single_words(gs_value(A, lost)));
}

gsolve_status gsolve_csr_convert(gsolve_csr *out, gsolve_context *ctx, gsolve_type type,
                                 const gsolve_csr *A)
{
    gsolve_status status;

    TRY(gs_csr_check_host(ctx, A));
    if (type == GSOLVE_F32 && A->type == GSOLVE_F64) TRY(need_single(ctx, A));
    TRY(gs_csr_copy(out, ctx, type, A));
done:
    return status;
}
