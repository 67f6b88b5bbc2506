/* polynomial_body.h: the kernels of polynomial.h on the CPU for one value type. A thread owns
 * blocks of rows. A step moves each of its vectors once. */

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
            sum += gs_row_sum_term(kind, a);
            if (A->col[k] == i) diagonal = a;
        }
        d[i] = (T)gs_inverse_diagonal_of(kind, diagonal, sum);
    }
    return GSOLVE_OK;
}

static gsolve_status FN(random)(gs_queue *q, int64_t n, uint64_t seed, void *py)
{
    T *y = py;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) y[i] = (T)gs_random_uniform(seed, i);
    return GSOLVE_OK;
}

static gsolve_status FN(step_from_f64)(gs_queue *q, int64_t n, double a, const void *pd,
                                       const double *r, void *pb, void *px)
{
    const T *d = pd;
    T *b = pb, *x = px;

#pragma omp parallel for simd schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t i = 0; i < n; i++) {
        b[i] = (T)r[i];
        x[i] = (T)a * d[i] * b[i];
    }
    return GSOLVE_OK;
}

/* The vectors of a step from some row on. */
typedef struct FN(stepped) {
    const T *d, *b, *Ax, *old;
    T *p, *x;
} FN(stepped);

static FN(stepped) FN(stepped_from)(const gs_step_vectors *v, int64_t row, int32_t columns)
{
    const int64_t at = row * columns;

    return (FN(stepped)){(const T *)v->d + row,
                         (const T *)v->b + at,
                         v->Ax ? (const T *)v->Ax + at : NULL,
                         v->old ? (const T *)v->old + at : NULL,
                         v->p ? (T *)v->p + at : NULL,
                         (T *)v->x + at};
}

/* The update of element k, in row i. */
static inline __attribute__((always_inline)) void FN(element)(const FN(stepped) * v, T a, T c,
                                                              int64_t i, int64_t k,
                                                              const bool starts, const bool keeps)
{
    T p = a * v->d[i] * (starts ? v->b[k] : v->b[k] - v->Ax[k]);

    if (c != 0) p += c * v->old[k];
    if (keeps) v->p[k] = p;
    v->x[k] = starts ? p : v->x[k] + p;
}

/* Steps n rows. The compiler sees columns, starts and keeps as constants. */
static inline __attribute__((always_inline)) void FN(step_rows)(int64_t n, const int32_t columns,
                                                                T a, T c, FN(stepped) v,
                                                                const bool starts, const bool keeps)
{
#pragma omp simd
    for (int64_t i = 0; i < (columns == 1 ? n : 0); i++) {
        FN(element)(&v, a, c, i, i, starts, keeps);
    }
    for (int64_t i = 0; i < (columns == 1 ? 0 : n); i++) {
#pragma omp simd
        for (int32_t j = 0; j < columns; j++) {
            FN(element)(&v, a, c, i, i * columns + j, starts, keeps);
        }
    }
}

static inline __attribute__((always_inline)) void FN(step_columns)(int64_t n, const int32_t columns,
                                                                   T a, T c, FN(stepped) v)
{
    if (!v.Ax && v.p) FN(step_rows)(n, columns, a, 0, v, true, true);
    if (!v.Ax && !v.p) FN(step_rows)(n, columns, a, 0, v, true, false);
    if (v.Ax && c != 0 && v.p) FN(step_rows)(n, columns, a, c, v, false, true);
    if (v.Ax && c != 0 && !v.p) FN(step_rows)(n, columns, a, c, v, false, false);
    if (v.Ax && c == 0 && v.p) FN(step_rows)(n, columns, a, 0, v, false, true);
    if (v.Ax && c == 0 && !v.p) FN(step_rows)(n, columns, a, 0, v, false, false);
}

static gsolve_status FN(step)(gs_queue *q, int64_t n, int32_t columns, double a, double c,
                              gs_step_vectors v)
{
    const gs_blocks blocks = gs_blocks_of(n);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int64_t at = gs_block_begin(&blocks, k), size = gs_block_end(&blocks, k) - at;
        const FN(stepped) from = FN(stepped_from)(&v, at, columns);
        switch (columns) {
        case 1: FN(step_columns)(size, 1, (T)a, (T)c, from); break;
        case 8: FN(step_columns)(size, 8, (T)a, (T)c, from); break;
        default: FN(step_columns)(size, columns, (T)a, (T)c, from); break;
        }
    }
    return GSOLVE_OK;
}
