/* block_body.h: the kernels of block.h for one type. They work on pieces of rows that stay in
 * the cache while all columns are read. */

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

/* The operands of FN(products): G = U'V, or U'(d V), all x b. */
typedef struct FN(operands) {
    int b, all;
    gs_block_columns U, V;
    const T *d; /* or NULL */
    double *G;
} FN(operands);

/* part = the product f over `size` rows from `from` on. */
static void FN(gram_piece)(int64_t size, const FN(operands) * f, int64_t from, double *part)
{
    for (int j = 0; j < f->b; j++) {
        const T *v = FN(at)(f->V, j, from);
        for (int l = 0; l < f->all; l++) {
            const T *u = FN(at)(f->U, l, from);
            part[j * f->all + l] =
                f->d ? FN(weighted_dot)(size, u, v, f->d + from) : FN(dot)(size, u, v);
        }
    }
}

static gsolve_status FN(products)(gs_queue *q, int64_t n, FN(operands) f, void *space)
{
    const int b = f.b, all = f.all;
    double *part = space, *G = f.G;

    GS_EACH_PIECE(n, FN(gram_piece)(to - from, &f, from, part + k * all * b));
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
    return FN(products)(q, n, (FN(operands)){b, b, U, V, NULL, G}, space);
}

static gsolve_status FN(squares)(gs_queue *q, int64_t n, const gs_block_small *a,
                                 gs_block_columns W, gs_block_columns Z, const void *d, void *space)
{
    const FN(operands) of_WW = {a->b, a->b, W, W, NULL, a->WW};
    const FN(operands) of_G = {a->b, a->all, W, Z.v ? Z : W, Z.v ? NULL : d, a->G};
    const gsolve_status status = FN(products)(q, n, of_WW, space);

    return status == GSOLVE_OK ? FN(products)(q, n, of_G, space) : status;
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

static gsolve_status FN(step)(gs_queue *q, int64_t n, const gs_block_small *a, gs_block_columns S,
                              gs_block_columns Q, gs_block_places X, gs_block_columns W,
                              const int *ended)
{
    const int b = a->b;

    GS_EACH_PIECE(
        n, for (int j = 0; j < b; j++) {
            T *x = (T *)X.v + X.at[j] + from;
            FN(add_piece)(to - from, b, -1, Q, a->xi + j * GS_BLOCK, from, FN(at)(W, j, from));
            if (ended[j]) continue;
            FN(add_piece)(to - from, b, 1, S, a->alpha + j * GS_BLOCK, from, x);
        });
    return GSOLVE_OK;
}

enum { FN(PIECE) = 256 };

typedef struct FN(combination) {
    gs_block_factors by;
    gs_block_columns Z, S, W;
    const T *d;
} FN(combination);

/* S = Z t + S zeta, W = W t over size <= PIECE rows. */
static void FN(combine_piece)(int64_t size, const FN(combination) * f, int64_t from)
{
    T next[2][GS_BLOCK][FN(PIECE)]; /* S and W */
    const size_t bytes = (size_t)size * sizeof(T);
    const int b = f->by.b;

    memset(next, 0, sizeof next);
    for (int j = 0; j < b; j++) {
        const double *t = f->by.t + j * GS_BLOCK;
        FN(add_piece)(size, b, 1, f->W, t, from, next[1][j]);
        if (f->Z.v) FN(add_piece)(size, b, 1, f->Z, t, from, next[0][j]);
        for (int64_t i = 0; i < size && !f->Z.v; i++) {
            next[0][j][i] = f->d ? f->d[from + i] * next[1][j][i] : next[1][j][i];
        }
        if (!f->by.zeta) continue;
        FN(add_piece)(size, f->by.all, 1, f->S, f->by.zeta + j * GS_BLOCK, from, next[0][j]);
    }
    for (int j = 0; j < b; j++) memcpy(FN(at)(f->S, j, from), next[0][j], bytes);
    for (int j = 0; j < b; j++) memcpy(FN(at)(f->W, j, from), next[1][j], bytes);
}

static gsolve_status FN(combine)(gs_queue *q, int64_t n, const gs_block_factors *by,
                                 gs_block_columns Z, const void *d, gs_block_columns S,
                                 gs_block_columns W)
{
    const FN(combination) f = {*by, Z, S, W, d};

    GS_EACH_PIECE(
        n, for (int64_t i = from; i < to; i += FN(PIECE)) {
            FN(combine_piece)(to - i < FN(PIECE) ? to - i : FN(PIECE), &f, i);
        });
    return GSOLVE_OK;
}
