/* block_jacobi_body.h: the product with the inverse blocks on the CPU for one value type. */

/* z = B r, or B' r. B is m x m, with `size` numbers from column to column. The compiler sees m and
 * size as constants where the caller passes constants. */
static inline __attribute__((always_inline)) void FN(multiply)(const int32_t m, const int32_t size,
                                                               bool transposed, const T *restrict B,
                                                               const T *restrict r, T *restrict z)
{
    T sum[GS_BLOCK_JACOBI_MAX] = {0};

    if (transposed) {
        for (int32_t i = 0; i < m; i++) {
            for (int32_t j = 0; j < m; j++) sum[i] += B[i * size + j] * r[j];
        }
    } else {
        for (int32_t j = 0; j < m; j++) {
            for (int32_t i = 0; i < m; i++) sum[i] += B[j * size + i] * r[j];
        }
    }
    for (int32_t i = 0; i < m; i++) z[i] = sum[i];
}

static inline __attribute__((always_inline)) void FN(run)(const int32_t size, bool transposed,
                                                          int64_t blocks, const T *B, const T *r,
                                                          T *z)
{
    for (int64_t b = 0; b < blocks; b++) {
        FN(multiply)(size, size, transposed, B + b * size * size, r + b * size, z + b * size);
    }
}

/* Multiplies this many full blocks. The most frequent sizes have code of their own. */
static void FN(full_blocks)(int32_t size, bool transposed, int64_t blocks, const T *B, const T *r,
                            T *z)
{
    switch (size) {
    case 1: FN(run)(1, transposed, blocks, B, r, z); break;
    case 2: FN(run)(2, transposed, blocks, B, r, z); break;
    case 3: FN(run)(3, transposed, blocks, B, r, z); break;
    case 4: FN(run)(4, transposed, blocks, B, r, z); break;
    case 5: FN(run)(5, transposed, blocks, B, r, z); break;
    case 6: FN(run)(6, transposed, blocks, B, r, z); break;
    case 8: FN(run)(8, transposed, blocks, B, r, z); break;
    default: FN(run)(size, transposed, blocks, B, r, z); break;
    }
}

/* Multiplies full blocks from the first on, and then the last block if it is smaller, for all
 * columns while the blocks are in the cache. */
static void FN(piece)(const gs_block_jacobi_data *M, bool transposed, int64_t first, int64_t blocks,
                      int32_t rest, gsolve_dense r, gsolve_dense z)
{
    const int64_t size = M->size, at = first * size, last = at + blocks * size;
    const T *B = (const T *)M->inverse;

    for (int32_t c = 0; c < r.ncols; c++) {
        const T *rc = (const T *)r.value + c * r.stride;
        T *zc = (T *)z.value + c * z.stride;
        FN(full_blocks)(M->size, transposed, blocks, B + at * size, rc + at, zc + at);
        if (rest > 0) {
            FN(multiply)(rest, M->size, transposed, B + last * size, rc + last, zc + last);
        }
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_block_jacobi_data *M, bool transposed,
                               gsolve_dense r, gsolve_dense z)
{
    enum { PIECE = 512 }; /* blocks per task */
    const int64_t full = M->n / M->size, pieces = (full + PIECE) / PIECE;
    const int32_t rest = M->n % M->size;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (M->n > 8192)
    for (int64_t p = 0; p < pieces; p++) {
        const bool last = p + 1 == pieces;
        FN(piece)
        (M, transposed, p * PIECE, last ? full - p * PIECE : PIECE, last ? rest : 0, r, z);
    }
    return GSOLVE_OK;
}
