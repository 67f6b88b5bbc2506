/* halo_body.h: the functions of gs_halo_kernels on the host, for one value type T. */

/* Row i of v, and the distance of its columns. */
static inline T *FN(row_of)(const gsolve_dense *v, int32_t i)
{
    return (T *)v->value + (v->layout == GSOLVE_ROW_MAJOR ? i * v->stride : (int64_t)i);
}

static inline int64_t FN(column_step)(const gsolve_dense *v)
{
    return v->layout == GSOLVE_ROW_MAJOR ? 1 : v->stride;
}

static gsolve_status FN(pack)(gs_queue *q, int64_t n, const int32_t *pack, const gsolve_dense *x,
                              void *packed)
{
    const int64_t step = FN(column_step)(x);
    const int threads = gs_threads_for(n * x->ncols, gs_queue_threads(q));
    T *to = packed;

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < n; k++) {
        const T *row = FN(row_of)(x, pack[k]);
        for (int32_t c = 0; c < x->ncols; c++) to[k * x->ncols + c] = row[c * step];
    }
    return GSOLVE_OK;
}

static gsolve_status FN(add)(gs_queue *q, int64_t n, const int32_t *pack, const void *packed,
                             const gsolve_dense *y)
{
    const int64_t step = FN(column_step)(y);
    const T *from = packed;

    (void)q;
    for (int64_t k = 0; k < n; k++) {
        T *row = FN(row_of)(y, pack[k]);
        for (int32_t c = 0; c < y->ncols; c++) row[c * step] += from[k * y->ncols + c];
    }
    return GSOLVE_OK;
}
