/* block_jacobi_body.h: the kernel for one type, see block_jacobi.h. */

/* z = B r with B of m x m, its columns size apart. */
static void FN(multiply)(int32_t m, int32_t size, const T *B, const T *r, T *z)
{
    T sum[GS_MOST_BLOCK] = {0};

    for (int32_t j = 0; j < m; j++) {
#pragma omp simd
        for (int32_t i = 0; i < m; i++) sum[i] += B[j * size + i] * r[j];
    }
    for (int32_t i = 0; i < m; i++) z[i] = sum[i];
}

static void FN(multiply_transpose)(int32_t m, int32_t size, const T *B, const T *r, T *z)
{
    for (int32_t i = 0; i < m; i++) {
        T sum = 0;
        for (int32_t j = 0; j < m; j++) sum += B[i * size + j] * r[j];
        z[i] = sum;
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_block_jacobi_data *M, bool transposed,
                               const void *pr, void *pz)
{
    const T *r = pr, *inverse = M->inverse;
    T *z = pz;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (M->n > 4096)
    for (int32_t b = 0; b < M->blocks; b++) {
        const int64_t first = (int64_t)b * M->size;
        const int32_t m = M->n - first < M->size ? (int32_t)(M->n - first) : M->size;
        const T *B = inverse + first * M->size;
        (transposed ? FN(multiply_transpose) : FN(multiply))(m, M->size, B, r + first, z + first);
    }
    return GSOLVE_OK;
}
