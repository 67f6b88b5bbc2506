/* strength_body.h: strong connections on the CPU for one value type, see steps.h. */

/* m[i] = |a_ii| and the largest |a_ij|, j != i. */
static void FN(measure_rows)(gsolve_context *ctx, const gsolve_csr *A, gs_node_norms *m)
{
    const T *a = A->value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t end = gs_start(A, i + 1);
        gs_node_norms own = {0, 0};
        for (int64_t k = gs_start(A, i); k < end; k++) {
            const double v = fabs((double)a[k]);
            if (A->col[k] == i) {
                own.diagonal = v;
            } else if (v > own.largest) {
                own.largest = v;
            }
        }
        m[i] = own;
    }
}

static void FN(connect_row)(const gsolve_csr *A, const gs_connections *G, double strength,
                            const gs_node_norms *m, int32_t i)
{
    const int64_t begin = gs_start(A, i), end = gs_start(A, i + 1);
    const gs_node_norms own = m[i];
    const T *a = A->value;
    int64_t at = begin;

    for (int64_t k = begin; k < end; k++) {
        const int32_t j = A->col[k];
        const double v = (double)a[k];
        const bool strong = j != i && gs_is_strong(v * v, strength, own, m[j]);
        G->strong[k] = strong || j == i;
        G->neighbour[at] = j;
        at += strong;
    }
    G->degree[i] = (int32_t)(at - begin);
}

/* The sum of squares of the entries of this node in the columns of node J, row by row. next[r]: the
 * first entry of row r that can be one of them. */
static double FN(square)(const gsolve_csr *A, const node_rows *w, int32_t J)
{
    const int32_t last = last_column(w, J);
    const T *a = A->value;
    double sum = 0;

    for (int32_t r = 0; r < w->block; r++) {
        for (int64_t k = w->next[r]; k < w->end[r] && A->col[k] <= last; k++) {
            const double v = (double)a[k];
            sum += v * v;
        }
    }
    return sum;
}

static void FN(measure_nodes)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                              gs_node_norms *m)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < G->nodes; I++) {
        node_rows w = begin_node(A, G->block, I);
        gs_node_norms own = {0, 0};
        int32_t J;
        while ((J = next_node(A, &w)) < INT32_MAX) {
            const double v = sqrt(FN(square)(A, &w, J));
            if (J == I) {
                own.diagonal = v;
            } else if (v > own.largest) {
                own.largest = v;
            }
            skip_node(A, &w, J, NULL, 0);
        }
        m[I] = own;
    }
}

static void FN(connect_node)(const gsolve_csr *A, const gs_connections *G, double strength,
                             const gs_node_norms *m, int32_t I)
{
    node_rows w = begin_node(A, G->block, I);
    const int64_t begin = w.next[0];
    int64_t at = begin;
    int32_t J;

    while ((J = next_node(A, &w)) < INT32_MAX) {
        const bool strong = J != I && gs_is_strong(FN(square)(A, &w, J), strength, m[I], m[J]);
        skip_node(A, &w, J, G->strong, strong || J == I);
        if (strong) G->neighbour[at++] = J;
    }
    G->degree[I] = (int32_t)(at - begin);
}

static void FN(measure)(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                        gs_node_norms *m)
{
    if (G->block == 1) {
        FN(measure_rows)(ctx, A, m);
    } else {
        FN(measure_nodes)(ctx, A, G, m);
    }
}

static void FN(link)(gsolve_context *ctx, const gsolve_csr *A, double strength,
                     const gs_node_norms *m, const gs_connections *G)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < G->nodes; I++) {
        if (G->block == 1) {
            FN(connect_row)(A, G, strength, m, I);
        } else {
            FN(connect_node)(A, G, strength, m, I);
        }
    }
}

static gsolve_status FN(connect)(gsolve_context *ctx, const gsolve_csr *A, double strength,
                                 const gs_connections *G)
{
    gs_node_norms *m = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, m, G->nodes);
    FN(measure)(ctx, A, G, m);
    FN(link)(ctx, A, strength, m, G);
done:
    gsolve_free(ctx, GSOLVE_HOST, m);
    return status;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static double FN(entry)(const gsolve_csr *A, int32_t i, int32_t j)
{
    const int64_t at = gs_entry_at(A, i, j);
    return at < 0 ? 0 : (double)((const T *)A->value)[at];
}

static gsolve_status FN(weigh)(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                               const double *d, float *weight)
{
    const T *a = A->value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t end = gs_start(A, i + 1);
        for (int64_t k = gs_start(A, i); k < end; k++) {
            const int32_t j = A->col[k];
            const bool same_unknown = i / block != j / block && i % block == j % block;
            weight[k] = same_unknown ? gs_weight((double)a[k], FN(entry)(A, j, i), d[i], d[j]) : 0;
        }
    }
    return GSOLVE_OK;
}

static gsolve_status FN(diagonal)(gsolve_context *ctx, const gsolve_csr *A, double *d)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) d[i] = FN(entry)(A, i, i);
    return GSOLVE_OK;
}

/* --- classical coarsening --------------------------------------------------------------------- */

static void FN(depend_row)(const gs_points *p, double strength, int32_t i)
{
    const int64_t begin = gs_start(p->A, i), end = gs_start(p->A, i + 1);
    const double d = FN(entry)(p->A, i, i);
    const T *a = p->A->value;
    double largest = 0;
    bool any = false;

    for (int64_t k = begin; k < end; k++) {
        const int32_t j = p->A->col[k];
        const bool same = j != i && (!p->component || p->component[j] == p->component[i]);
        p->mark[k] = same ? GS_SAME : 0;
        if (same) largest = fmax(largest, gs_dependence(d, (double)a[k]));
    }
    for (int64_t k = begin; k < end; k++) {
        if (!p->mark[k] || !gs_depends(gs_dependence(d, (double)a[k]), strength, largest)) continue;
        p->mark[k] |= GS_STRONG;
        any = true;
    }
    p->kind[i] = any ? GS_UNDECIDED : GS_ISOLATED;
}

static gsolve_status FN(depend)(gsolve_context *ctx, const gs_points *p, double strength)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < p->A->nrows; i++) FN(depend_row)(p, strength, i);
    return GSOLVE_OK;
}
