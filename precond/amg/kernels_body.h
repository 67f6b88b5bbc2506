/* kernels_body.h: the kernels of kernels.h on the CPU for one value type. */

static gsolve_status FN(transpose_values)(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R,
                                          void *value)
{
    const T *p = P->value;
    T *r = value;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t c = 0; c < R->nrows; c++) {
        for (int64_t k = gs_start(R, c); k < gs_start(R, c + 1); k++) {
            r[k] = p[gs_entry_at(P, R->col[k], c)];
        }
    }
    return GSOLVE_OK;
}

/* One row of M times several columns of b. */
static void FN(dense_row)(int32_t n, int32_t columns, const T *row, const T *b, T *x)
{
    double sum[GS_AMG_COLUMNS] = {0};

    for (int32_t j = 0; j < n; j++) {
        for (int32_t c = 0; c < columns; c++) {
            sum[c] += (double)row[j] * (double)b[(int64_t)j * columns + c];
        }
    }
    for (int32_t c = 0; c < columns; c++) x[c] = (T)sum[c];
}

static gsolve_status FN(dense)(gs_queue *q, int32_t n, int32_t columns, const void *pM,
                               const void *pb, void *px, int64_t *count)
{
    const T *M = pM, *b = pb;
    T *x = px;

    (void)q;
    for (int32_t i = 0; columns > 1 && i < n; i++) {
        FN(dense_row)(n, columns, M + (int64_t)i * n, b, x + (int64_t)i * columns);
    }
    for (int32_t l = 0; columns == 1 && l < n; l++) {
        const T *row = M + (int64_t)l * n;
        double sum[GS_LANES] = {0};
        GS_EACH_LANE(n, sum[lane] += (double)row[i] * (double)b[i]);
        x[l] = (T)gs_sum_lanes(sum);
    }
    *count += columns;
    return GSOLVE_OK;
}
