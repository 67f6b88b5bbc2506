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

/* All of row i that is in interval n; goes_on: the row began before. */
static inline void FN(leave)(const gs_triples *t, int64_t n, int32_t i, T sum, bool goes_on,
                             T alpha, T *y)
{
    if (goes_on) {
        ((T *)t->head)[n] = sum;
    } else {
        y[i] += alpha * sum;
    }
}

/* Interval n of t, see triples.h. The products come first: where rows end is seldom foreseen, and a
 * read of x that was begun too far would be lost. */
static void FN(add_interval)(const gs_triples *t, int64_t n, T alpha, const T *x, T *y)
{
    const int32_t *row = t->row, *col = t->col;
    const T *value = t->value;
    const int64_t begin = n * GS_TRIPLES_HOST, end = end_of(t, n);
    bool goes_on = is_within(t, begin); /* row i began before the interval */
    int32_t i = row[begin];
    T sum = 0, product[PIECE];

    for (int64_t base = begin; base < end; base += PIECE) {
        const int64_t count = end - base < PIECE ? end - base : PIECE;
        for (int64_t k = 0; k < count; k++) product[k] = value[base + k] * x[col[base + k]];
        for (int64_t k = 0; k < count; k++) {
            if (row[base + k] != i) {
                FN(leave)(t, n, i, sum, goes_on, alpha, y);
                i = row[base + k];
                sum = 0;
                goes_on = false;
            }
            sum += product[k];
        }
    }
    if (!goes_on && is_within(t, end)) {
        ((T *)t->tail)[n] = sum;
    } else {
        FN(leave)(t, n, i, sum, goes_on, alpha, y);
    }
}

/* The row that begins in interval n and reaches over its end, if there is one. */
static void FN(add_parts)(const gs_triples *t, int64_t n, T alpha, T *y)
{
    const int64_t begin = n * GS_TRIPLES_HOST, end = end_of(t, n);
    const int32_t i = t->row[end - 1];
    T sum = ((const T *)t->tail)[n];

    if (!is_within(t, end) || (t->row[begin] == i && is_within(t, begin))) return;
    for (int64_t v = n + 1; v < t->intervals && t->row[v * GS_TRIPLES_HOST] == i; v++) {
        sum += ((const T *)t->head)[v];
    }
    y[i] += alpha * sum;
}

static gsolve_status FN(add)(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (t->intervals > 2)
    for (int64_t n = 0; n < t->intervals; n++) FN(add_interval)(t, n, (T)alpha, x, y);
    for (int64_t n = 0; n < t->intervals; n++) FN(add_parts)(t, n, (T)alpha, y);
    return GSOLVE_OK;
}
