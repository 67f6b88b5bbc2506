/* @NAME@_body.h: the kernel for one type, see @NAME@.h. */

/* Each row is summed by one thread, in the order of its columns: the same bits for any number of
 * threads. */
static gsolve_status FN(multiply)(gs_queue *q, const gs_ @NAME @ *m, double alpha, const void *px,
                                  double beta, void *py)
{
    const gsolve_csr *A = &m->csr;
    const T *value = A->value, *x = px;
    T *y = py;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = 0; i < A->nrows; i++) {
        T sum = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            sum += value[k] * x[A->col[k]];
        }
        y[i] = (T)alpha * sum + (beta == 0 ? 0 : (T)beta * y[i]);
    }
    return GSOLVE_OK;
}
