/* ps_body.h: the product on the CPU for one value type T. */

static T FN(sum_of)(const T *product, int64_t n)
{
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        s0 += product[k];
        s1 += product[k + 1];
        s2 += product[k + 2];
        s3 += product[k + 3];
    }
    for (; k < n; k++) s0 += product[k];
    return (s0 + s1) + (s2 + s3);
}

static void FN(multiply)(int64_t n, const T *value, const int32_t *col, const T *x, T *product)
{
#pragma omp simd
    for (int64_t k = 0; k < n; k++) product[k] = value[k] * x[col[k]];
}

/* The task-th rows, a piece of products after the other. */
static void FN(task)(const gs_ps *s, int64_t task, T alpha, const T *x, T beta, T *y)
{
    const gsolve_csr *A = &s->csr;
    const int32_t last = row_at(A, (task + 1) * GS_PS_TASK);
    const int64_t end = gs_start(A, last);
    int32_t i = row_at(A, task * GS_PS_TASK);
    int64_t at = gs_start(A, i);
    T product[GS_PS_PIECE], sum = 0;

    while (i < last) {
        const int64_t n = end - at < GS_PS_PIECE ? end - at : GS_PS_PIECE;
        int64_t k = 0; /* products that have been added */
        FN(multiply)(n, (const T *)A->value + at, A->col + at, x, product);
        for (; i < last; i++, sum = 0) {
            const int64_t stop = gs_start(A, i + 1) - at;
            sum += FN(sum_of)(product + k, (stop < n ? stop : n) - k);
            k = stop < n ? stop : n;
            if (stop > n) break; /* the row goes on in the next piece */
            y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
        }
        at += n;
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_ps *s, double alpha, const void *x,
                               double beta, void *y)
{
    const int64_t tasks = s->entries / GS_PS_TASK + 1;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (tasks > 2)
    for (int64_t t = 0; t < tasks; t++) FN(task)(s, t, (T)alpha, x, (T)beta, y);
    return GSOLVE_OK;
}
