/* block_body.h: the kernels of block.h for one type. Rows are taken in pieces that stay in the
 * cache while all columns pass. */

/* Runs the statement for every piece k of rows, [from, to). */
#define EACH_PIECE(n, ...)                                                                        \
    const gs_blocks blocks = gs_blocks_of(n);                                                     \
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;                \
    _Pragma("omp parallel for schedule(static) num_threads(threads)") for (int k = 0;             \
                                                                           k < blocks.count; k++) \
    {                                                                                             \
        const int64_t from = gs_block_begin(&blocks, k), to = gs_block_end(&blocks, k);           \
        __VA_ARGS__;                                                                              \
    }

static T *FN(at)(gs_block_columns v, int j, int64_t row)
{
    return (T *)v.v + j * v.stride + row;
}

static double FN(dot)(int64_t size, const T *u, const T *v)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(size, sum[lane] += (double)u[i] * (double)v[i]);
    return gs_sum_lanes(sum);
}

static double FN(weighted_dot)(int64_t size, const T *u, const T *v, const T *d)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(size, sum[lane] += (double)u[i] * (double)v[i] * (double)d[i]);
    return gs_sum_lanes(sum);
}

/* part = U'V, or U'(d V), over size rows, all x b. */
static void FN(gram_piece)(int64_t size, int b, int all, gs_block_columns U, const T *d,
                           gs_block_columns V, int64_t from, double *part)
{
    for (int j = 0; j < b; j++) {
        const T *v = FN(at)(V, j, from);
        for (int l = 0; l < all; l++) {
            const T *u = FN(at)(U, l, from);
            part[j * all + l] = d ? FN(weighted_dot)(size, u, v, d + from) : FN(dot)(size, u, v);
        }
    }
}

static gsolve_status FN(weighted)(gs_queue *q, int64_t n, int b, int all, gs_block_columns U,
                                  const void *d, gs_block_columns V, double *G, void *space)
{
    double *part = space;

    EACH_PIECE(n, FN(gram_piece)(to - from, b, all, U, d, V, from, part + k * all * b));
    for (int e = 0; e < all * b; e++) {
        double sum = 0;
        for (int k = 0; k < blocks.count; k++) sum += part[k * all * b + e];
        G[e % all + e / all * GS_BLOCK] = sum;
    }
    return GSOLVE_OK;
}

static gsolve_status FN(gram)(gs_queue *q, int64_t n, int b, gs_block_columns U, gs_block_columns V,
                              double *G, void *space)
{
    return FN(weighted)(q, n, b, b, U, NULL, V, G, space);
}

static gsolve_status FN(squares)(gs_queue *q, int64_t n, int b, int all, gs_block_columns W,
                                 gs_block_columns Z, const void *d, double *G, double *WW,
                                 void *space)
{
    const gsolve_status status = FN(weighted)(q, n, b, b, W, NULL, W, WW, space);

    if (status != GSOLVE_OK) return status;
    return FN(weighted)(q, n, b, all, W, Z.v ? NULL : d, Z.v ? Z : W, G, space);
}

/* y += sign V c over size rows. */
static void FN(add_piece)(int64_t size, int b, T sign, gs_block_columns V, const double *c,
                          int64_t from, T *restrict y)
{
    for (int l = 0; l < b; l++) {
        const T a = sign * (T)c[l];
        const T *restrict v = FN(at)(V, l, from);
#pragma omp simd
        for (int64_t r = 0; r < size; r++) y[r] += a * v[r];
    }
}

static gsolve_status FN(step)(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                              const double *alpha, const double *xi, gs_block_places X,
                              gs_block_columns W, const int *ended)
{
    EACH_PIECE(
        n, for (int j = 0; j < b; j++) {
            FN(add_piece)(to - from, b, -1, Q, xi + j * GS_BLOCK, from, FN(at)(W, j, from));
            if (ended[j]) continue;
            FN(add_piece)
            (to - from, b, 1, S, alpha + j * GS_BLOCK, from, (T *)X.v + X.at[j] + from);
        });
    return GSOLVE_OK;
}

enum { FN(PIECE) = 256 };

/* S = Z t + S zeta, W = W t over size <= PIECE rows. */
static void FN(turn_piece)(int64_t size, int b, int all, gs_block_columns Z, const T *d,
                           const double *t, const double *zeta, gs_block_columns S,
                           gs_block_columns W, int64_t from)
{
    T fresh[2][GS_BLOCK][FN(PIECE)];
    const size_t bytes = (size_t)size * sizeof(T);

    memset(fresh, 0, sizeof fresh);
    for (int j = 0; j < b; j++) {
        FN(add_piece)(size, b, 1, W, t + j * GS_BLOCK, from, fresh[1][j]);
        if (Z.v) FN(add_piece)(size, b, 1, Z, t + j * GS_BLOCK, from, fresh[0][j]);
        for (int64_t i = 0; i < size && !Z.v; i++) {
            fresh[0][j][i] = d ? d[from + i] * fresh[1][j][i] : fresh[1][j][i];
        }
        if (zeta) FN(add_piece)(size, all, 1, S, zeta + j * GS_BLOCK, from, fresh[0][j]);
    }
    for (int j = 0; j < b; j++) memcpy(FN(at)(S, j, from), fresh[0][j], bytes);
    for (int j = 0; j < b; j++) memcpy(FN(at)(W, j, from), fresh[1][j], bytes);
}

static gsolve_status FN(turn)(gs_queue *q, int64_t n, int b, int all, gs_block_columns Z,
                              const void *d, const double *t, const double *zeta,
                              gs_block_columns S, gs_block_columns W)
{
    EACH_PIECE(
        n, for (int64_t i = from; i < to; i += FN(PIECE)) {
            const int64_t size = to - i < FN(PIECE) ? to - i : FN(PIECE);
            FN(turn_piece)(size, b, all, Z, d, t, zeta, S, W, i);
        });
    return GSOLVE_OK;
}

#undef EACH_PIECE
