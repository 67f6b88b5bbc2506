/* halo_body.h: packing, for one value type T. */

/* Row i of v, and the distance of its columns. */
static inline T *FN(row_of)(const gsolve_dense *v, int32_t i)
{
    return (T *)v->value + (v->layout == GSOLVE_ROW_MAJOR ? i * v->stride : (int64_t)i);
}

static inline int64_t FN(column_step)(const gsolve_dense *v)
{
    return v->layout == GSOLVE_ROW_MAJOR ? 1 : v->stride;
}

/* out.buffer = the rows of x that others need, row-major. */
static void FN(pack)(const gs_halo *halo, const gsolve_context *ctx, const gsolve_dense *x)
{
    const int64_t n = halo->out.first[halo->out.count], step = FN(column_step)(x);
    const int threads = gs_threads_for(n * x->ncols, gsolve_threads(ctx));
    T *to = halo->out.buffer;

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < n; k++) {
        const T *row = FN(row_of)(x, halo->pack[k]);
        for (int32_t c = 0; c < x->ncols; c++) to[k * x->ncols + c] = row[c * step];
    }
}

/* Adds the rows of out.buffer to y, in their order. */
static void FN(add)(const gs_halo *halo, const gsolve_dense *y)
{
    const int64_t n = halo->out.first[halo->out.count], step = FN(column_step)(y);
    const T *from = halo->out.buffer;

    for (int64_t k = 0; k < n; k++) {
        T *row = FN(row_of)(y, halo->pack[k]);
        for (int32_t c = 0; c < y->ncols; c++) row[c * step] += from[k * y->ncols + c];
    }
}
