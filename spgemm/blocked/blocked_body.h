/* blocked_body.h: the conversions on the CPU for one value type, see blocked.h. */

/* Visits the blocks of block row I of A by ascending block columns. Unless B is NULL, writes them
 * to B. Returns their number. The next block is the one of the least column that is left in these
 * rows. */
static int64_t FN(walk)(int32_t height, int32_t width, const gsolve_csr *A, int32_t I,
                        const gs_csr_arrays *B)
{
    int64_t at[GS_MAX_BLOCK], end[GS_MAX_BLOCK], left = 0, count = 0;

    for (int32_t r = 0; r < height; r++) {
        at[r] = gs_start(A, I * height + r);
        end[r] = gs_start(A, I * height + r + 1);
        left += end[r] - at[r];
    }
    for (; left > 0; count++) {
        const int64_t to = B ? gs_start(&B->csr, I) + count : 0;
        T *block = B ? (T *)B->value + to * height * width : NULL;
        int32_t least = INT32_MAX;
        for (int32_t r = 0; r < height; r++) {
            if (at[r] < end[r] && A->col[at[r]] < least) least = A->col[at[r]];
        }
        const int32_t J = least / width, from = J * width;
        if (B) {
            B->col[to] = J;
            memset(block, 0, (size_t)height * (size_t)width * sizeof *block);
        }
        for (int32_t r = 0; r < height; r++) {
            for (; at[r] < end[r] && A->col[at[r]] - from < width; at[r]++, left--) {
                if (B) block[r * width + A->col[at[r]] - from] = ((const T *)A->value)[at[r]];
            }
        }
    }
    return count;
}

static gsolve_status FN(count)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A,
                               int64_t *count)
{
#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < B->csr.nrows; I++) {
        count[I] = FN(walk)(B->height, B->width, A, I, NULL);
    }
    return GSOLVE_OK;
}

static gsolve_status FN(fill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B->csr);

#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < B->csr.nrows; I++) FN(walk)(B->height, B->width, A, I, &to);
    return GSOLVE_OK;
}

/* Writes row r of block row I of A to its blocks. They already hold 0 where A has no entry. */
static void FN(refill_row)(const gs_blocked *B, T *value, const gsolve_csr *A, int32_t I, int32_t r)
{
    const int64_t i = (int64_t)I * B->height + r;
    int64_t to = gs_start(&B->csr, I);

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const int32_t J = A->col[k] / B->width;
        while (B->csr.col[to] < J) to++;
        value[(to * B->height + r) * B->width + A->col[k] - J * B->width] =
            ((const T *)A->value)[k];
    }
}

static gsolve_status FN(refill)(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    T *value = gs_owned_block(ctx, B->csr.value);

#pragma omp parallel for schedule(dynamic, 1024) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < B->csr.nrows; I++) {
        for (int32_t r = 0; r < B->height; r++) FN(refill_row)(B, value, A, I, r);
    }
    return GSOLVE_OK;
}

/* Writes the rows of A in block row I. Row r of each block becomes a part of row r. */
static void FN(spread_row)(const gs_csr_arrays *A, const gs_blocked *B, bool column_major,
                           int32_t I)
{
    const int32_t h = B->height, w = B->width;
    const int32_t by_row = column_major ? 1 : w, by_column = column_major ? h : 1;
    const int64_t from = gs_start(&B->csr, I), n = gs_start(&B->csr, I + 1) - from;
    const T *value = B->csr.value;
    int64_t to = from * h * w;

    for (int32_t r = 0; r < h; r++) {
        gs_set_start(A, (int64_t)I * h + r, to);
        for (int64_t k = from; k < from + n; k++) {
            for (int32_t j = 0; j < w; j++, to++) {
                A->col[to] = B->csr.col[k] * w + j;
                ((T *)A->value)[to] = value[k * h * w + r * by_row + j * by_column];
            }
        }
    }
}

static gsolve_status FN(spread)(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B,
                                bool column_major)
{
    const int32_t n = B->csr.nrows;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, A);

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < n; I++) FN(spread_row)(&to, B, column_major, I);
    gs_set_start(&to, A->nrows, gs_start(&B->csr, n) * B->height * B->width);
    return GSOLVE_OK;
}
