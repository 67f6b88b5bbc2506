/* segmented_body.h: the products on the CPU for one value type T. */

enum { FN(LANES) = 64 / (int)sizeof(T) }; /* segments of a group: a register of their sums */

static gsolve_status FN(fill)(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    const T *value = s->csr.value;
    T *stored = s->value;

#pragma omp parallel for schedule(static) \
    num_threads(gs_threads_for(s->stored, gsolve_threads(ctx)))
    for (int32_t g = 0; g < s->groups; g++) {
        for (int l = 0; l < FN(LANES); l++) {
            const int64_t i = (int64_t)g * FN(LANES) + l;
            const int64_t from = i < s->segments ? gs_segment_from(s, (int32_t)i) : 0;
            const int64_t size = i < s->segments ? gs_segment_size(s, (int32_t)i) : 0;
            int64_t at = s->first[g] + l;
            for (int32_t j = 0; at < s->first[g + 1]; j++, at += FN(LANES)) {
                if (columns) s->col[at] = j < size ? s->csr.col[from + j] : -1;
                stored[at] = j < size ? value[from + j] : 0;
            }
        }
    }
    return GSOLVE_OK;
}

/* The sums of group g. Padding reads x[0], whatever that is, and adds 0 times 0. */
static inline void FN(group_sums)(const gs_segmented *s, int32_t g, const T *restrict x,
                                  T sum[FN(LANES)])
{
    for (int l = 0; l < FN(LANES); l++) sum[l] = 0;
    for (int64_t at = s->first[g]; at < s->first[g + 1]; at += FN(LANES)) {
        const int32_t *col = s->col + at;
        const T *value = (const T *)s->value + at;
#pragma omp simd
        for (int l = 0; l < FN(LANES); l++) {
            const T read = x[col[l] < 0 ? 0 : col[l]];
            sum[l] += value[l] * (col[l] < 0 ? 0 : read);
        }
    }
}

/* The same from the expanded vector. */
static inline void FN(expanded_sums)(const gs_segmented *s, int32_t g, T sum[FN(LANES)])
{
    const T *value = s->value, *expanded = s->expanded;

    for (int l = 0; l < FN(LANES); l++) sum[l] = 0;
    for (int64_t at = s->first[g]; at < s->first[g + 1]; at += FN(LANES)) {
#pragma omp simd
        for (int l = 0; l < FN(LANES); l++) sum[l] += value[at + l] * expanded[at + l];
    }
}

/* sum of value[k] x[col[k]], or of value[k] x[k] where col is NULL; the last n mod 4 entries are
 * added to the first of four sums. */
static inline __attribute__((always_inline)) T FN(segment_sum)(int64_t n, const T *value,
                                                               const int32_t *col, const T *x)
{
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        s0 += value[k] * x[col ? col[k] : k];
        s1 += value[k + 1] * x[col ? col[k + 1] : k + 1];
        s2 += value[k + 2] * x[col ? col[k + 2] : k + 2];
        s3 += value[k + 3] * x[col ? col[k + 3] : k + 3];
    }
    for (; k < n; k++) s0 += value[k] * x[col ? col[k] : k];
    return (s0 + s1) + (s2 + s3);
}

/* The sums of a row's segments of at most length entries, added. */
static inline T FN(row_sum)(int64_t length, int64_t n, const T *value, const int32_t *col,
                            const T *x)
{
    T sum = 0;

    if (n <= length) return FN(segment_sum)(n, value, col, x);
    for (int64_t k = 0; k < n; k += length) {
        const int64_t left = n - k;
        sum += FN(segment_sum)(left < length ? left : length, value + k, col + k, x);
    }
    return sum;
}

/* The same for a scattered x, elements of which are asked for ahead entries before their use. One
 * loop: where a row ends is not foreseen, and a loop for each segment would be wrong twice. */
static inline T FN(scattered_row)(int64_t length, int64_t n, const T *value, const int32_t *col,
                                  const T *x, int64_t ahead)
{
    T sum = 0, s = 0;

    for (int64_t k = 0; k < n; k++) {
        __builtin_prefetch(&x[col[k + ahead]]);
        s += value[k] * x[col[k]];
        if (((k + 1) & (length - 1)) == 0) {
            sum += s;
            s = 0;
        }
    }
    return sum + s;
}

/* The same from the expanded vector. */
static inline T FN(expanded_row)(int64_t length, int64_t n, const T *value, const T *expanded)
{
    T sum = 0;

    if (n <= length) return FN(segment_sum)(n, value, NULL, expanded);
    for (int64_t k = 0; k < n; k += length) {
        const int64_t left = n - k;
        sum += FN(segment_sum)(left < length ? left : length, value + k, NULL, expanded + k);
    }
    return sum;
}

static inline void FN(put)(const gs_segmented *s, int32_t i, T sum, T alpha, T beta, T *y)
{
    const int32_t to = s->target ? s->target[i] : i;

    if (to < 0) {
        ((T *)s->partial)[~to] = sum;
    } else {
        y[to] = beta == 0 ? alpha * sum : alpha * sum + beta * y[to];
    }
}

/* Segments begin to end, of which begin is the first of a group. */
static void FN(by_lanes)(const gs_segmented *s, int32_t begin, int32_t end, T alpha, const T *x,
                         T beta, T *y)
{
    T sum[FN(LANES)];

    for (int32_t i = begin; i < end; i += FN(LANES)) {
        if (s->expanded) {
            FN(expanded_sums)(s, i / FN(LANES), sum);
        } else {
            FN(group_sums)(s, i / FN(LANES), x, sum);
        }
        if (!s->target && alpha == 1 && beta == 0 && end - i >= FN(LANES)) {
            memcpy(&y[i], sum, sizeof sum);
            continue;
        }
        for (int l = 0; l < FN(LANES) && i + l < end; l++) {
            FN(put)(s, i + l, sum[l], alpha, beta, y);
        }
    }
}

static void FN(by_segments)(const gs_segmented *s, int32_t begin, int32_t end, T alpha, const T *x,
                            T beta, T *y)
{
    const T *value = s->csr.value, *expanded = s->expanded;

    for (int32_t i = begin; i < end; i++) {
        const int64_t from = gs_segment_from(s, i), n = gs_segment_size(s, i);
        const T sum = expanded ? FN(expanded_row)(s->length, n, value + from, expanded + from)
                               : FN(row_sum)(s->length, n, value + from, s->csr.col + from, x);
        FN(put)(s, i, sum, alpha, beta, y);
    }
}

static void FN(by_irregular)(const gs_segmented *s, int32_t begin, int32_t end, T alpha, const T *x,
                             T beta, T *y)
{
    const T *value = s->csr.value;

    for (int32_t i = begin; i < end; i++) {
        const int64_t from = gs_segment_from(s, i), n = gs_segment_size(s, i);
        const int64_t ahead = from + n + GS_AHEAD > s->entries ? 0 : GS_AHEAD; /* none is there */
        FN(put)
        (s, i, FN(scattered_row)(s->length, n, value + from, s->csr.col + from, x, ahead), alpha,
         beta, y);
    }
}

/* expanded[k] = x[col[k]] for all that is stored. */
static void FN(expand)(gs_queue *q, const gs_segmented *s, const T *x)
{
    const int32_t *col = s->reduce ? s->csr.col : s->col;
    T *expanded = s->expanded;

#pragma omp parallel for schedule(static) \
    num_threads(gs_threads_for(s->stored, gs_queue_threads(q)))
    for (int64_t k = 0; k < s->stored; k++) expanded[k] = col[k] < 0 ? 0 : x[col[k]];
}

/* The rows of several segments: their sums in the order of the row. */
static void FN(finish)(const gs_segmented *s, int threads, T alpha, T beta, T *y)
{
    const T *partial = s->partial;

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int32_t m = 0; m < s->many; m++) {
        T sum = 0, *to = &y[s->row[m]];
        for (int32_t k = s->begin[m]; k < s->begin[m + 1]; k++) sum += partial[k];
        *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
    }
}

/* w'y and y'y over n rows. */
static void FN(block_dots)(int32_t n, const T *w, const T *y, double *wy, double *yy)
{
    double with[GS_LANES] = {0}, own[GS_LANES] = {0};

    GS_EACH_LANE(n, {
        with[lane] += (double)w[i] * (double)y[i];
        own[lane] += (double)y[i] * (double)y[i];
    });
    *wy = gs_sum_lanes(with);
    *yy = gs_sum_lanes(own);
}

static gsolve_status FN(apply)(gs_queue *q, const gs_segmented *s, double alpha, const void *px,
                               double beta, void *py, const gs_product_sums *dots)
{
    const gs_blocks all = blocks_of(s);
    const bool on_the_way = dots && !s->target;
    const int threads = gs_queue_threads(q);
    void (*sums)(const gs_segmented *, int32_t, int32_t, T, const T *, T, T *) =
        !s->reduce                     ? FN(by_lanes)
        : s->scattered && !s->expanded ? FN(by_irregular)
                                       : FN(by_segments);
    T *y = py;

    if (s->column_blocks.count > 0) {
        return gs_column_blocks_apply(&s->column_blocks, q, &s->csr, alpha, px, beta, py, dots);
    }
    if (s->expanded) FN(expand)(q, s, px);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (all.count > 1)
    for (int b = 0; b < all.count; b++) {
        const int32_t begin = (int32_t)gs_block_begin(&all, b);
        const int32_t end = (int32_t)gs_block_end(&all, b);
        sums(s, begin, end, (T)alpha, px, (T)beta, y);
        if (on_the_way) {
            const T *w = (const T *)dots->w + begin;
            FN(block_dots)(end - begin, w, y + begin, &s->dots[b], &s->dots[GS_MAX_BLOCKS + b]);
        }
    }
    FN(finish)(s, s->chosen.finish == GS_FINISH_HOST ? 1 : threads, (T)alpha, (T)beta, y);
    if (on_the_way) {
        *dots->wy = gs_sum(all.count, s->dots);
        if (dots->yy) *dots->yy = gs_sum(all.count, s->dots + GS_MAX_BLOCKS);
        return GSOLVE_OK;
    }
    return dots ? gs_sum_product(&gs_vector_host[s->csr.type], q, s->csr.nrows, y, dots)
                : GSOLVE_OK;
}

/* --- many columns by rows --------------------------------------------------------------------- */

typedef T FN(columns) __attribute__((vector_size(32)));
enum { FN(WIDE) = 32 / (int)sizeof(T) };

/* to[0..] = the sums of row i with wide vectors of columns of x, segment after segment. */
static inline __attribute__((always_inline)) void FN(row_of_columns)(const gs_segmented *s,
                                                                     int32_t i, const T *x,
                                                                     int64_t stride, const int wide,
                                                                     T *to)
{
    const int64_t from = gs_start(&s->csr, i), end = gs_start(&s->csr, i + 1);
    const int64_t ahead = s->scattered && end + GS_AHEAD <= s->entries ? GS_AHEAD : 0;
    const int32_t *col = s->csr.col;
    const T *value = s->csr.value;
    FN(columns) all[2] = {{0}}, sum[2] = {{0}}, v;

    for (int64_t k = from; k < end; k++) {
        const T *at = x + col[k] * stride;
        if (ahead) __builtin_prefetch(x + col[k + ahead] * stride);
        for (int w = 0; w < wide; w++) {
            memcpy(&v, at + w * FN(WIDE), sizeof v);
            sum[w] += value[k] * v;
        }
        if (((k + 1 - from) & (s->length - 1)) > 0) continue;
        for (int w = 0; w < wide; w++) all[w] += sum[w];
        memset(sum, 0, sizeof sum);
    }
    for (int w = 0; w < wide; w++) all[w] += sum[w];
    memcpy(to, all, (size_t)wide * sizeof v);
}

/* The same of one column. */
static T FN(row_of_column)(const gs_segmented *s, int32_t i, const T *x, int64_t stride)
{
    const int64_t from = gs_start(&s->csr, i), end = gs_start(&s->csr, i + 1);
    const T *value = s->csr.value;
    T all = 0, sum = 0;

    for (int64_t k = from; k < end; k++) {
        sum += value[k] * x[s->csr.col[k] * stride];
        if (((k + 1 - from) & (s->length - 1)) > 0) continue;
        all += sum;
        sum = 0;
    }
    return all + sum;
}

static void FN(row_by_rows)(const gs_segmented *s, int32_t i, T alpha, gsolve_dense x, T beta,
                            gsolve_dense y)
{
    T sum[2 * FN(WIDE)];

    for (int32_t j = 0, n; j < x.ncols; j += n) {
        const int32_t left = x.ncols - j;
        const T *from = (const T *)x.value + j;
        T *to = (T *)y.value + i * y.stride + j;
        n = left >= 2 * FN(WIDE) ? 2 * FN(WIDE) : left >= FN(WIDE) ? FN(WIDE) : 1;
        if (n == 2 * FN(WIDE)) {
            FN(row_of_columns)(s, i, from, x.stride, 2, sum);
        } else if (n == FN(WIDE)) {
            FN(row_of_columns)(s, i, from, x.stride, 1, sum);
        } else {
            sum[0] = FN(row_of_column)(s, i, from, x.stride);
        }
        for (int32_t l = 0; l < n; l++) {
            to[l] = beta == 0 ? alpha * sum[l] : alpha * sum[l] + beta * to[l];
        }
    }
}

static gsolve_status FN(multiply)(gsolve_context *ctx, const void *self, double alpha,
                                  gsolve_dense x, double beta, gsolve_dense y, void *sums)
{
    const gs_segmented *s = self;
    (void)sums; /* rows are walked through whole */

#pragma omp parallel for schedule(dynamic, 256) \
    num_threads(gsolve_threads(ctx)) if (s->csr.nrows > 512)
    for (int32_t i = 0; i < s->csr.nrows; i++) {
        FN(row_by_rows)(s, i, (T)alpha, x, (T)beta, y);
    }
    return GSOLVE_OK;
}
