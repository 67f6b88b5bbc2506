/* kernels_body.h: the kernels for one type, see kernels.h. */

static gsolve_status FN(reciprocals)(gs_queue *q, const gsolve_csr *A, gs_inverse_diagonal kind,
                                     void *pd)
{
    const T *value = A->value;
    T *d = pd;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0, diagonal = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const double a = (double)value[k];
            sum += gs_inverse_term(kind, a);
            if (A->col[k] == i) diagonal = a;
        }
        d[i] = (T)gs_inverse_of(kind, diagonal, sum);
    }
    return GSOLVE_OK;
}

static gsolve_status FN(noise)(gs_queue *q, int64_t n, uint64_t seed, void *py)
{
    T *y = py;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) y[i] = (T)gs_amg_noise(seed, i);
    return GSOLVE_OK;
}

static gsolve_status FN(constant)(gs_queue *q, int64_t n, int32_t block, int32_t c, void *py)
{
    T *y = py;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) y[i] = i % block == c;
    return GSOLVE_OK;
}

static void FN(first)(int64_t n, T a, const T *restrict d, const T *restrict b, T *restrict p,
                      T *restrict x)
{
    if (p) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) x[i] = p[i] = a * d[i] * b[i];
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) x[i] = a * d[i] * b[i];
    }
}

static void FN(next)(int64_t n, T a, T c, const T *restrict d, const T *restrict b,
                     const T *restrict Ax, T *restrict p, T *restrict x)
{
    if (p && c != 0) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            p[i] = a * d[i] * (b[i] - Ax[i]) + c * p[i];
            x[i] += p[i];
        }
    } else if (p) {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            p[i] = a * d[i] * (b[i] - Ax[i]);
            x[i] += p[i];
        }
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; i++) x[i] += a * d[i] * (b[i] - Ax[i]);
    }
}

static gsolve_status FN(step)(gs_queue *q, int64_t n, double a, double c, const void *pd,
                              const void *pb, const void *pAx, void *pp, void *px)
{
    const gs_blocks blocks = gs_blocks_of(n);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;
    const T *d = pd, *b = pb, *Ax = pAx;
    T *p = pp, *x = px;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int64_t at = gs_block_begin(&blocks, k), size = gs_block_end(&blocks, k) - at;
        T *own = p ? p + at : NULL;
        if (Ax) {
            FN(next)(size, (T)a, (T)c, d + at, b + at, Ax + at, own, x + at);
        } else {
            FN(first)(size, (T)a, d + at, b + at, own, x + at);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(transpose_values)(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R)
{
    const T *p = P->value;
    T *r = (void *)(uintptr_t)R->value;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t c = 0; c < R->nrows; c++) {
        for (int64_t k = gs_start(R, c); k < gs_start(R, c + 1); k++) {
            r[k] = p[entry_of(P, R->col[k], c)];
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(dense)(gs_queue *q, int32_t n, const void *pM, const void *pb, void *px,
                               int64_t *count)
{
    const T *M = pM, *b = pb;
    T *x = px;

    (void)q;
    for (int32_t i = 0; i < n; i++) {
        const T *row = M + (int64_t)i * n;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int32_t j = 0; j < n; j++) sum += (double)row[j] * (double)b[j];
        x[i] = (T)sum;
    }
    *count += 1;
    return GSOLVE_OK;
}
