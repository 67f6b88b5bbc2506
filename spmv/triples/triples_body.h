/* triples_body.h: values and sums on the CPU for one value type T. */

/* --- values ----------------------------------------------------------------------------------- */

/* Entries [from, to) of t, of which the rows are there, from csr. */
static void FN(copy_entries)(const gs_triples *t, int64_t from, int64_t to, bool columns)
{
    const T *value = t->csr.value;
    T *own = t->value;
    int64_t first = first_of_row(t, t->row[from]);

    for (int64_t k = from; k < to; k++) {
        if (k > from && t->row[k] != t->row[k - 1]) first = k;
        const int64_t at = gs_start(&t->csr, t->row[k]) + t->skip + k - first;
        own[k] = value[at];
        if (columns) t->col[k] = t->csr.col[at];
    }
}

static void FN(copy_all)(const gs_triples *t, gsolve_context *ctx, bool columns)
{
    const int64_t tasks = (t->entries + GS_TRIPLES_HOST - 1) / GS_TRIPLES_HOST;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (tasks > 2)
    for (int64_t i = 0; i < tasks; i++) {
        FN(copy_entries)(t, i * GS_TRIPLES_HOST, end_of(t, i), columns);
    }
}

static gsolve_status FN(refill)(const gs_triples *t, gsolve_context *ctx)
{
    FN(copy_all)(t, ctx, false);
    return GSOLVE_OK;
}

static gsolve_status FN(make)(gs_triples *t, gsolve_context *ctx)
{
    T *value;
    gsolve_status status;

    t->scattered = gs_is_scattered(&t->csr);
    TRY(name_rows(t, ctx));
    if (t->skip == 0) goto done;
    ALLOC(ctx, gs_place(ctx), t->col, t->entries);
    ALLOC(ctx, gs_place(ctx), value, t->entries);
    t->value = value;
    FN(copy_all)(t, ctx, true);
done:
    return status;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* How a row's sum gets into y. */
typedef struct FN(target) {
    T alpha, beta;
    T *y;
    bool all; /* rows without entries too: beta is not 1 */
} FN(target);

static inline void FN(put)(const FN(target) * to, int32_t i, T sum)
{
    T *y = &to->y[i];

    *y = to->beta == 0 ? to->alpha * sum : to->alpha * sum + to->beta * *y;
}

/* Rows from .. to - 1, which have no entries. */
static inline void FN(put_empty)(const FN(target) * to, int32_t from, int32_t end)
{
    for (int32_t i = from; to->all && i < end; i++) FN(put)(to, i, 0);
}

/* The sum of row[k]'s entries from k on that lie before end; *k: past them. Entries of a row go to
 * four sums in turn while four are left, then to the first; with a scattered x to one. */
static inline __attribute__((always_inline)) T FN(row_sum)(const gs_triples *t, int64_t *at,
                                                           int64_t end, const T *x, bool scattered,
                                                           int64_t ahead)
{
    const int32_t *row = t->row, *col = t->col, i = row[*at];
    const T *value = t->value;
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = *at;

    for (; !scattered && k + 4 <= end && row[k + 3] == i; k += 4) {
        s0 += value[k] * x[col[k]];
        s1 += value[k + 1] * x[col[k + 1]];
        s2 += value[k + 2] * x[col[k + 2]];
        s3 += value[k + 3] * x[col[k + 3]];
    }
    for (; k < end && row[k] == i; k++) {
        if (scattered) __builtin_prefetch(&x[col[k + ahead]]);
        s0 += value[k] * x[col[k]];
    }
    *at = k;
    return (s0 + s1) + (s2 + s3);
}

/* Entries from .. to - 1, of whole rows, and the rows from `next` on without entries before each.
 */
static inline __attribute__((always_inline)) void FN(whole_rows)(const gs_triples *t, int64_t from,
                                                                 int64_t to, int32_t next,
                                                                 const FN(target) * put, const T *x,
                                                                 bool scattered, int64_t ahead)
{
    const bool plain = put->alpha == 1 && put->beta == 0;
    T *y = put->y;

    while (from < to) {
        const int32_t i = t->row[from];
        const T sum = FN(row_sum)(t, &from, to, x, scattered, ahead);
        if (next < i) FN(put_empty)(put, next, i);
        if (plain) {
            y[i] = sum;
        } else {
            FN(put)(put, i, sum);
        }
        next = i + 1;
    }
}

/* Interval n of t, and the rows without entries before each of its rows, see triples.h. */
static void FN(sum_interval)(const gs_triples *t, int64_t n, const FN(target) * to, const T *x)
{
    const int64_t begin = n * GS_TRIPLES_HOST, end = end_of(t, n);
    const int64_t ahead = gs_ahead(end, t->entries);
    const int32_t next = begin > 0 ? t->row[begin - 1] + 1 : 0;
    int64_t from = begin, last = end; /* the row that goes on after the interval begins there */

    if (is_within(t, begin)) ((T *)t->head)[n] = FN(row_sum)(t, &from, end, x, false, ahead);
    while (is_within(t, end) && last > from && t->row[last - 1] == t->row[end]) last--;
    if (t->scattered) {
        FN(whole_rows)(t, from, last, next, to, x, true, ahead);
    } else {
        FN(whole_rows)(t, from, last, next, to, x, false, ahead);
    }
    const int32_t after = last > begin ? t->row[last - 1] + 1 : next;
    FN(put_empty)(to, after, last < end ? t->row[last] : end == t->entries ? t->csr.nrows : after);
    if (last < end) ((T *)t->tail)[n] = FN(row_sum)(t, &last, end, x, false, ahead);
}

/* The row that begins in interval n and reaches over its end, if there is one. */
static void FN(add_parts)(const gs_triples *t, int64_t n, const FN(target) * to)
{
    const int64_t begin = n * GS_TRIPLES_HOST, end = end_of(t, n);
    const int32_t i = t->row[end - 1];
    T sum = ((const T *)t->tail)[n];

    if (!is_within(t, end) || (t->row[begin] == i && is_within(t, begin))) return;
    for (int64_t v = n + 1; v < t->intervals && t->row[v * GS_TRIPLES_HOST] == i; v++) {
        sum += ((const T *)t->head)[v];
    }
    FN(put)(to, i, sum);
}

static gsolve_status FN(apply)(gs_queue *q, const gs_triples *t, double alpha, const void *x,
                               double beta, void *y)
{
    const FN(target) to = {(T)alpha, (T)beta, y, beta != 1};

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (t->intervals > 2)
    for (int64_t n = 0; n < t->intervals; n++) FN(sum_interval)(t, n, &to, x);
    for (int64_t n = 0; n < t->intervals; n++) FN(add_parts)(t, n, &to);
    return GSOLVE_OK;
}

static gsolve_status FN(add)(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y)
{
    return FN(apply)(q, t, alpha, x, 1, y);
}
