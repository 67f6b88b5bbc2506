/* arnoldi_body.h: the kernels of block_gmres in block.h on vectors, for one type. They work on
 * pieces of rows that stay in the cache while the basis is read, on two or four vectors with two or
 * four columns at a time, so that each number that is loaded enters several sums. */

enum { FN(PIECE) = 512 };

static const T *FN(vector)(const gs_arnoldi_basis *V, int l, int64_t row)
{
    const int64_t at = (int64_t)(l / V->b) * V->apart + l % V->b;

    return (const T *)V->v + at * V->stride + row;
}

/* W as a basis of one block. */
static gs_arnoldi_basis FN(block)(gs_block_columns W, int b)
{
    return (gs_arnoldi_basis){W.v, W.stride, b, 1, b};
}

/* sum[i][j] += v_i'w_j. */
static void FN(dots2x4)(int64_t size, const T *const v[2], const T *const w[4], double sum[2][4])
{
    const T *restrict v0 = v[0], *restrict v1 = v[1];
    const T *restrict w0 = w[0], *restrict w1 = w[1], *restrict w2 = w[2], *restrict w3 = w[3];
    double s[2][4][GS_LANES] = {{{0}}};

    GS_EACH_LANE(size, {
        const double a = (double)v0[i], b = (double)v1[i];
        s[0][0][lane] += a * (double)w0[i], s[1][0][lane] += b * (double)w0[i];
        s[0][1][lane] += a * (double)w1[i], s[1][1][lane] += b * (double)w1[i];
        s[0][2][lane] += a * (double)w2[i], s[1][2][lane] += b * (double)w2[i];
        s[0][3][lane] += a * (double)w3[i], s[1][3][lane] += b * (double)w3[i];
    });
    for (int k = 0; k < 8; k++) sum[k / 4][k % 4] += gs_sum_lanes(s[k / 4][k % 4]);
}

/* part += V'W over size rows, in tiles of 2 x 4. */
static void FN(project_piece)(int64_t size, const gs_arnoldi_basis *V, const gs_arnoldi_basis *W,
                              int64_t from, double (*part)[2][4])
{
    const int vectors = V->count * V->b;

    for (int l = 0; l < vectors; l += 2) {
        const T *v[2] = {FN(vector)(V, l, from), FN(vector)(V, l + 1 < vectors ? l + 1 : l, from)};
        for (int c = 0; c < W->b; c += 4, part++) {
            const T *w[4];
            for (int i = 0; i < 4; i++) w[i] = FN(vector)(W, c + i < W->b ? c + i : c, from);
            FN(dots2x4)(size, v, w, *part);
        }
    }
}

/* C = the sums over all blocks of rows. */
static void FN(add_up)(int blocks, int vectors, int b, double (*part)[2][4], double *C, int64_t ld)
{
    const int64_t tiles = (b + 3) / 4, all = (vectors + 1) / 2 * tiles;

    for (int e = 0; e < vectors * b; e++) {
        const int l = e % vectors, c = e / vectors;
        double sum = 0;
        for (int k = 0; k < blocks; k++) sum += part[k * all + l / 2 * tiles + c / 4][l % 2][c % 4];
        C[l + c * ld] = sum;
    }
}

static gsolve_status FN(project)(gs_queue *q, int64_t n, gs_arnoldi_basis V, gs_block_columns W,
                                 double *C, int64_t ld, void *space)
{
    const gs_arnoldi_basis block = FN(block)(W, V.b);
    const int64_t all = (int64_t)((V.count * V.b + 1) / 2) * ((V.b + 3) / 4);
    double(*part)[2][4] = space;

    GS_EACH_PIECE(n, {
        memset(part[k * all], 0, (size_t)all * sizeof *part);
        for (int64_t i = from; i < to; i += FN(PIECE)) {
            const int64_t size = to - i < FN(PIECE) ? to - i : FN(PIECE);
            FN(project_piece)(size, &V, &block, i, part + k * all);
        }
    });
    FN(add_up)(blocks.count, V.count * V.b, V.b, part, C, ld);
    return GSOLVE_OK;
}

/* y_j += a[4 j] v_0 + .. + a[4 j + 3] v_3. */
static void FN(add4x2)(int64_t size, const T a[8], const T *const v[4], T *restrict y0,
                       T *restrict y1)
{
    const T *restrict v0 = v[0], *restrict v1 = v[1], *restrict v2 = v[2], *restrict v3 = v[3];
    const T a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const T b0 = a[4], b1 = a[5], b2 = a[6], b3 = a[7];

#pragma omp simd
    for (int64_t r = 0; r < size; r++) {
        y0[r] += (a0 * v0[r] + a1 * v1[r]) + (a2 * v2[r] + a3 * v3[r]);
        y1[r] += (b0 * v0[r] + b1 * v1[r]) + (b2 * v2[r] + b3 * v3[r]);
    }
}

/* y += sign V C over size <= PIECE rows; y has an even number of columns. */
static void FN(combine_piece)(int64_t size, const gs_arnoldi_basis *V, const double *C, int64_t ld,
                              T sign, int64_t from, T (*y)[FN(PIECE)])
{
    const int vectors = V->count * V->b;

    for (int l = 0; l < vectors; l += 4) {
        const T *v[4];
        for (int i = 0; i < 4; i++) v[i] = FN(vector)(V, l + i < vectors ? l + i : l, from);
        for (int c = 0; c < V->b; c += 2) {
            T a[8];
            for (int i = 0; i < 8; i++) {
                const bool in = l + i % 4 < vectors && c + i / 4 < V->b;
                a[i] = in ? sign * (T)C[l + i % 4 + (c + i / 4) * ld] : 0;
            }
            FN(add4x2)(size, a, v, y[c], y[c + 1]);
        }
    }
}

static gsolve_status FN(subtract)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C,
                                  int64_t ld, gs_block_columns W, double *G, void *space)
{
    const int64_t all = (V.b + 1) / 2 * ((V.b + 3) / 4);
    double(*part)[2][4] = space;

    GS_EACH_PIECE(n, {
        memset(part[k * all], 0, (size_t)all * sizeof *part);
        for (int64_t i = from; i < to; i += FN(PIECE)) {
            const int64_t size = to - i < FN(PIECE) ? to - i : FN(PIECE);
            const size_t bytes = (size_t)size * sizeof(T);
            T y[GS_BLOCK][FN(PIECE)];
            const gs_arnoldi_basis Y = {y, FN(PIECE), V.b, 1, V.b};
            for (int c = 0; c < V.b; c++) memcpy(y[c], (T *)W.v + c * W.stride + i, bytes);
            if (V.b % 2) memset(y[V.b], 0, bytes);
            FN(combine_piece)(size, &V, C, ld, -1, i, y);
            for (int c = 0; c < V.b; c++) memcpy((T *)W.v + c * W.stride + i, y[c], bytes);
            FN(project_piece)(size, &Y, &Y, 0, part + k * all);
        }
    });
    FN(add_up)(blocks.count, V.b, V.b, part, G, GS_BLOCK);
    return GSOLVE_OK;
}

static gsolve_status FN(times)(gs_queue *q, int64_t n, gs_arnoldi_basis V, const double *C,
                               int64_t ld, gs_block_columns Y)
{
    GS_EACH_PIECE(n, {
        for (int64_t i = from; i < to; i += FN(PIECE)) {
            const int64_t size = to - i < FN(PIECE) ? to - i : FN(PIECE);
            const size_t bytes = (size_t)size * sizeof(T);
            T y[GS_BLOCK][FN(PIECE)];
            for (int c = 0; c < (V.b + 1) / 2 * 2; c++) memset(y[c], 0, bytes);
            FN(combine_piece)(size, &V, C, ld, 1, i, y);
            for (int c = 0; c < V.b; c++) memcpy((T *)Y.v + c * Y.stride + i, y[c], bytes);
        }
    });
    return GSOLVE_OK;
}
