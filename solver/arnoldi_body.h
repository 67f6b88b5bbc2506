/* arnoldi_body.h: the kernels of arnoldi.h on vectors, for one type. Rows are taken in pieces that
 * stay in the cache while the basis passes; four vectors at a time, so that what stays is read and
 * written a quarter as often. */

static const T *FN(vector)(const gs_arnoldi_basis *V, int l, int64_t row)
{
    const int64_t at = (int64_t)(l / V->b) * V->apart + l % V->b;

    return (const T *)V->v + at * V->stride + row;
}

/* part[0..4) = (w_0, w_1, w_2, w_3)'v, stride apart. */
static void FN(dots4)(int64_t size, const T *restrict v, const T *const w[4], double *part,
                      int stride)
{
    const T *restrict w0 = w[0], *restrict w1 = w[1], *restrict w2 = w[2], *restrict w3 = w[3];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t r = 0; r < size; r++) {
        const double with = (double)v[r];
        s0 += with * (double)w0[r];
        s1 += with * (double)w1[r];
        s2 += with * (double)w2[r];
        s3 += with * (double)w3[r];
    }
    part[0] = s0, part[stride] = s1, part[2 * stride] = s2, part[3 * stride] = s3;
}

/* part = V'W over size rows: vectors x b, and room for columns up to a multiple of four. */
static void FN(project_piece)(int64_t size, const gs_arnoldi_basis *V, gs_block_columns W,
                              int64_t from, double *part)
{
    const int vectors = V->count * V->b;

    for (int l = 0; l < vectors; l++) {
        const T *v = FN(vector)(V, l, from);
        for (int c = 0; c < V->b; c += 4) {
            const T *w[4];
            for (int i = 0; i < 4; i++) {
                const int column = c + i < V->b ? c + i : V->b - 1;
                w[i] = (const T *)W.v + column * W.stride + from;
            }
            FN(dots4)(size, v, w, part + (int64_t)c * vectors + l, vectors);
        }
    }
}

static gsolve_status FN(project)(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W,
                                 double *C, int64_t ld, void *space)
{
    const int vectors = V.count * V.b, wide = (V.b + 3) / 4 * 4;
    const gs_blocks blocks = gs_blocks_of(n);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;
    double *part = space;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int64_t from = gs_block_begin(&blocks, k), to = gs_block_end(&blocks, k);
        FN(project_piece)(to - from, &V, W, from, part + (int64_t)k * vectors * wide);
    }
    for (int e = 0; e < vectors * V.b; e++) {
        double sum = 0;
        for (int k = 0; k < blocks.count; k++) sum += part[(int64_t)k * vectors * wide + e];
        C[e % vectors + e / vectors * ld] = sum;
    }
    return GSOLVE_OK;
}

/* w += a_0 v_0 + .. + a_3 v_3. */
static void FN(add4)(int64_t size, const T a[4], const T *const v[4], T *restrict w)
{
    const T *restrict v0 = v[0], *restrict v1 = v[1], *restrict v2 = v[2], *restrict v3 = v[3];
    const T a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];

#pragma omp simd
    for (int64_t r = 0; r < size; r++)
        w[r] += (a0 * v0[r] + a1 * v1[r]) + (a2 * v2[r] + a3 * v3[r]);
}

/* W += sign V C over size rows. */
static void FN(combine_piece)(int64_t size, const gs_arnoldi_basis *V, const double *C, int64_t ld,
                              T sign, gs_block_columns W, int64_t from)
{
    const int vectors = V->count * V->b;

    for (int l = 0; l < vectors; l += 4) {
        const T *v[4];
        for (int i = 0; i < 4; i++) v[i] = FN(vector)(V, l + i < vectors ? l + i : l, from);
        for (int c = 0; c < V->b; c++) {
            T a[4];
            for (int i = 0; i < 4; i++) a[i] = l + i < vectors ? sign * (T)C[l + i + c * ld] : 0;
            FN(add4)(size, a, v, (T *)W.v + c * W.stride + from);
        }
    }
}

static gsolve_status FN(combine)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C,
                                 int64_t ld, bool fresh, gs_block_columns W)
{
    enum { PIECE = 512 };
    const gs_blocks blocks = gs_blocks_of(n);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int64_t to = gs_block_end(&blocks, k);
        for (int64_t from = gs_block_begin(&blocks, k); from < to; from += PIECE) {
            const int64_t size = to - from < PIECE ? to - from : PIECE;
            for (int c = 0; fresh && c < V.b; c++) {
                memset((T *)W.v + c * W.stride + from, 0, (size_t)size * sizeof(T));
            }
            FN(combine_piece)(size, &V, C, ld, fresh ? 1 : -1, W, from);
        }
    }
    return GSOLVE_OK;
}
