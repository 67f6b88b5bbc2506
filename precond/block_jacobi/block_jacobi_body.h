/* block_jacobi_body.h: the kernel for one type, see block_jacobi.h. */

/* z = B r, or B' r, with B of m x m, its columns size apart; m and size constant where they can be.
 */
static inline __attribute__((always_inline)) void FN(multiply)(const int32_t m, const int32_t size,
                                                               bool transposed, const T *restrict B,
                                                               const T *restrict r, T *restrict z)
{
    T sum[GS_MOST_BLOCK] = {0};

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

/* So many whole blocks; those of the commonest sizes through code of their own. */
static void FN(whole)(int32_t size, bool transposed, int64_t blocks, const T *B, const T *r, T *z)
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

static gsolve_status FN(apply)(gs_queue *q, const gs_block_jacobi_data *M, bool transposed,
                               const void *pr, void *pz)
{
    enum { PIECE = 512 }; /* blocks a task */
    const int64_t size = M->size, whole = M->n / size, rest = M->n % size;
    const T *r = pr, *B = M->inverse;
    T *z = pz;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (M->n > 8192)
    for (int64_t b = 0; b < whole; b += PIECE) {
        FN(whole)
        (M->size, transposed, whole - b < PIECE ? whole - b : PIECE, B + b * size * size,
         r + b * size, z + b * size);
    }
    if (rest > 0) {
        FN(multiply)
        ((int32_t)rest, M->size, transposed, B + whole * size * size, r + whole * size,
         z + whole * size);
    }
    return GSOLVE_OK;
}
