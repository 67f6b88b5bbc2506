/* triples_body.h: values and sums of the formats by coordinates on the CPU for one value type T. */

/* Copies t's own entries, where it has any, from csr; columns: column numbers too. */
static void FN(copy)(const gs_triples *t, gsolve_context *ctx, bool columns)
{
    const T *value = t->csr.value;
    T *own_value = gs_owned_block(ctx, t->value);
    int32_t *own_col = gs_owned_block(ctx, t->col);

#pragma omp parallel for schedule(dynamic, 512) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < t->nonempty.nrows; r++) {
        const int64_t from = gs_start(&t->csr, t->row[r]) + t->skip, to = gs_start(&t->nonempty, r);
        const int64_t n = gs_start(&t->nonempty, r + 1) - to;
        memcpy(own_value + to, value + from, (size_t)n * sizeof *value);
        if (columns) memcpy(own_col + to, t->csr.col + from, (size_t)n * sizeof *t->col);
    }
}

static gsolve_status FN(refill)(const gs_triples *t, gsolve_context *ctx)
{
    FN(copy)(t, ctx, false);
    return GSOLVE_OK;
}

static gsolve_status FN(make)(gs_triples *t, gsolve_context *ctx)
{
    T *value, *sum;
    int32_t *col;
    gsolve_status status;

    TRY(find_rows(t, ctx));
    if (t->skip > 0) {
        ALLOC(ctx, gs_location(ctx), col, t->entries);
        t->col = col;
        ALLOC(ctx, gs_location(ctx), value, t->entries);
        t->value = value;
        FN(copy)(t, ctx, true);
    }
    ALLOC(ctx, gs_location(ctx), sum, t->nonempty.nrows);
    t->sum = sum;
    t->nonempty.col = t->col;
    t->nonempty.value = t->value;
    TRY(gs_csr_format.build(&t->form, ctx, &t->nonempty, t->entries, NULL));
done:
    return status;
}

static gsolve_status FN(add)(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y)
{
    const T *sum = t->sum;
    T *to = y;

    (void)alpha, (void)x; /* sum holds the product already */
#pragma omp parallel for schedule(static) \
    num_threads(gs_queue_threads(q)) if (t->nonempty.nrows > SERIAL)
    for (int32_t r = 0; r < t->nonempty.nrows; r++) to[t->row[r]] += sum[r];
    return GSOLVE_OK;
}
