/* esc_body.h: the values of a product from the order of its terms, for one type. */

/* The sum of the n terms of an entry of C, in the order of esc.h. Without its mark, order[p] is the
 * number of term p among the products of the segment. */
static T FN(sum)(const uint32_t *order, int64_t n, const T *product)
{
    T part[GS_ESC_LANES] = {0}, sum = 0;

    if (n <= GS_ESC_STRAIGHT) {
        for (int64_t p = 0; p < n; p++) sum += product[order[p] & ~FIRST_TERM];
        return sum;
    }
    for (int64_t p = 0; p < n; p++) part[p % GS_ESC_LANES] += product[order[p] & ~FIRST_TERM];
    for (int l = 0; l < GS_ESC_LANES; l++) sum += part[l];
    return sum;
}

/* c += a b, r x s times s x t. */
static inline void FN(multiply_add)(int r, int s, int t, const T *restrict a, const T *restrict b,
                                    T *restrict c)
{
    for (int i = 0; i < r; i++) {
        for (int q = 0; q < s; q++) {
            const T x = a[i * s + q];
            for (int j = 0; j < t; j++) c[i * t + j] += x * b[q * t + j];
        }
    }
}

/* The two blocks of a product. */
typedef struct FN(pointers) {
    const T *a, *b;
} FN(pointers);

/* c = the sum of the n terms of an entry of C, which are products of blocks. */
static void FN(sum_blocks)(const uint32_t *order, int64_t n, const FN(pointers) * product, int r,
                           int s, int t, T *c)
{
    const int parts = n <= GS_ESC_STRAIGHT ? 1 : GS_ESC_LANES, size = r * t;
    T part[GS_ESC_LANES * 64] = {0};

    for (int64_t p = 0; p < n; p++) {
        const FN(pointers) one = product[order[p] & ~FIRST_TERM];
        FN(multiply_add)(r, s, t, one.a, one.b, part + p % parts * size);
    }
    for (int k = 0; k < size; k++) {
        c[k] = part[k];
        for (int l = 1; l < parts; l++) c[k] += part[l * size + k];
    }
}

typedef struct FN(product) {
    const esc_plan *plan;
    const gs_blocked *A, *B;
    gs_csr_arrays C;
    bool columns; /* whether C's columns are written, too */
} FN(product);

/* Computes the entries of C in a segment and stores them from position `to` on. Returns the next
 * position. space: a thread's sources. */
static int64_t FN(fill_values)(const FN(product) * m, int32_t i, const column_range *segment,
                               const uint32_t *order, void *space, int64_t to)
{
    const gsolve_csr *A = &m->A->csr, *B = &m->B->csr;
    const T *a = A->value, *b = B->value;
    T *product = space, *value = m->C.value;
    int32_t *column = (int32_t *)(void *)(product + segment->products);
    int64_t p = 0, end;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const entry_range span = span_of(B, A->col[k], segment);
        const int64_t n = span.to - span.from;
        for (int64_t e = 0; e < n; e++) product[p + e] = a[k] * b[span.from + e];
        if (m->columns && n > 0) {
            memcpy(column + p, B->col + span.from, (size_t)n * sizeof *column);
        }
        p += n;
    }
    for (p = 0; p < segment->products; p = end, to++) {
        for (end = p + 1; end < segment->products && !(order[end] & FIRST_TERM);) end++;
        value[to] = FN(sum)(order + p, end - p, product);
        if (m->columns) {
            m->C.col[to] = column[order[p] & ~FIRST_TERM];
        }
    }
    return to;
}

/* fill_values for dense blocks. */
static int64_t FN(fill_blocks)(const FN(product) * m, int32_t i, const column_range *segment,
                               const uint32_t *order, void *space, int64_t to)
{
    const gsolve_csr *A = &m->A->csr, *B = &m->B->csr;
    const int r = m->A->height, s = m->A->width, t = m->B->width;
    const T *a = A->value, *b = B->value;
    FN(pointers) *product = space;
    T *value = m->C.value;
    int64_t p = 0, end;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const entry_range span = span_of(B, A->col[k], segment);
        for (int64_t e = span.from; e < span.to; e++) {
            product[p++] = (FN(pointers)){a + k * r * s, b + e * s * t};
        }
    }
    for (p = 0; p < segment->products; p = end, to++) {
        for (end = p + 1; end < segment->products && !(order[end] & FIRST_TERM);) end++;
        FN(sum_blocks)(order + p, end - p, product, r, s, t, value + to * r * t);
        if (m->columns) {
            const int64_t e = (product[order[p] & ~FIRST_TERM].b - b) / (s * t);
            m->C.col[to] = B->col[e];
        }
    }
    return to;
}

static void FN(fill_tile)(const FN(product) * m, int tile, int thread)
{
    const esc_plan *plan = m->plan;
    const gsolve_csr *A = &m->A->csr, *B = &m->B->csr;
    const bool plain = m->A->height == 1 && m->A->width == 1 && m->B->width == 1;
    void *space = own_sources(plan, thread);

    for (int32_t i = plan->begin[tile]; i < plan->begin[tile + 1]; i++) {
        column_range segment = {0};
        int64_t at = plan->first[i], to = gs_start(&m->C.csr, i);
        while (next_segment(plan, A, B, i, &segment)) {
            uint32_t *order = plan->order ? plan->order + at : own_order(plan, thread);
            if (!plan->order) {
                sort_segment(plan, A, B, i, &segment,
                             plan->sorting + (size_t)thread * sorting_bytes(plan), order);
            }
            to = plain ? FN(fill_values)(m, i, &segment, order, space, to)
                       : FN(fill_blocks)(m, i, &segment, order, space, to);
            at += segment.products;
        }
    }
}

static void FN(fill)(const FN(product) * m)
{
#pragma omp parallel for schedule(dynamic) num_threads(gs_usable_threads(m->plan->threads))
    for (int t = 0; t < m->plan->tiles; t++) FN(fill_tile)(m, t, omp_get_thread_num());
}

static gsolve_status FN(multiply)(gs_blocked *C, void **out, gs_product_work *stats,
                                  gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                                  const void *options)
{
    esc_plan *plan = NULL;
    gsolve_status status;

    TRY(make_plan(&plan, C, stats, ctx, A, B, options, out != NULL));
    FN(fill)(&(FN(product)){plan, A, B, gs_csr_arrays_of(ctx, &C->csr), true});
    if (out) {
        gsolve_free(ctx, GSOLVE_HOST, plan->sorting);
        plan->sorting = NULL;
        *out = plan;
        plan = NULL;
    }
done:
    destroy(plan, ctx);
    return status;
}

static gsolve_status FN(update)(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                                const gs_blocked *B, gs_blocked *C)
{
    FN(fill)(&(FN(product)){plan, A, B, gs_csr_arrays_of(ctx, &C->csr), false});
    return GSOLVE_OK;
}
