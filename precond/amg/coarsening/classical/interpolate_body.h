/* interpolate_body.h: rows of P on the CPU for one value type, see classical.h.
 *
 * Extended+i interpolation (De Sterck, Falgout, Nolting and Yang, Distance-two interpolation for
 * parallel algebraic multigrid, Numer. Linear Algebra Appl. 15, 2008): F point i is interpolated
 * from C_i, its strong C points and those of its strong F points k,
 *     w_ij = -(a_ij + sum_k a_ik b_kj / D_k) / d,           D_k = sum_{l in C_i or i} b_kl,
 *     d = a_ii + sum_{weak, not in C_i} a_in + sum_k a_ik b_ki / D_k,
 * where b is a without the entries of the diagonal's sign. If D_k is 0, a_ik is added to d.
 * Isolated points are left out, because smoothing removes their error. */

/* Returns D_k. Its terms b_kl, and their positions in the row, become o's parts. */
static double FN(find_shares)(row_accumulator *o, const gs_interpolation_rows *w, int32_t i,
                              int32_t k)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, k + 1);
    const double diagonal = w->diagonal[k];
    const T *a = p->A->value;
    double sum = 0;

    o->parts = 0;
    for (int64_t e = gs_start(p->A, k); e < end; e++) {
        const int32_t l = p->A->col[e];
        if (!(p->mark[e] & GS_SAME) || gs_dependence(diagonal, (double)a[e]) <= 0) continue;
        const int32_t at = l == i ? -1 : position_of(o, w->number[l]);
        if (at < 0 && l != i) continue;
        o->part[o->parts] = at;
        o->b[o->parts++] = (double)a[e];
        sum += (double)a[e];
    }
    return sum;
}

/* Distributes a_ik among the points that F point k depends on. */
static void FN(distribute)(row_accumulator *o, const gs_interpolation_rows *w, int32_t i, int32_t k,
                           double a_ik)
{
    const double D = FN(find_shares)(o, w, i, k), share = D != 0 ? a_ik / D : 0;

    if (D == 0) o->d += a_ik;
    for (int32_t m = 0; m < o->parts && D != 0; m++) {
        if (o->part[m] < 0) {
            o->d += share * o->b[m];
        } else {
            o->weight[o->part[m]] += share * o->b[m];
        }
    }
}

static void FN(interpolate_extended)(row_accumulator *o, const gs_interpolation_rows *w, int32_t i)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    const T *a = p->A->value;

    o->d = w->diagonal[i];
    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e], at = position_of(o, w->number[j]);
        if (!(p->mark[e] & GS_SAME) || p->kind[j] == GS_ISOLATED) continue;
        if (at >= 0) {
            o->weight[at] += (double)a[e];
        } else if (p->mark[e] & GS_STRONG) {
            FN(distribute)(o, w, i, j, (double)a[e]);
        } else {
            o->d += (double)a[e];
        }
    }
    divide(o, w->diagonal[i]);
}

/* The C point that row i depends on most, the first of equal ones; negative: none. through: by way
 * of another strong point. */
static int32_t FN(strongest)(const gs_interpolation_rows *w, int32_t i, bool through)
{
    const gs_points *p = &w->points;
    const int64_t end = gs_start(p->A, i + 1);
    const T *a = p->A->value;
    int32_t best = -1;
    double most = 0;

    for (int64_t e = gs_start(p->A, i); e < end; e++) {
        const int32_t j = p->A->col[e];
        const double v = fabs((double)a[e]);
        if (!(p->mark[e] & GS_STRONG) || v <= most) continue;
        const int32_t c = through ? FN(strongest)(w, j, false) : w->number[j];
        if (c >= 0) best = c, most = v;
    }
    return best;
}

/* Interpolation of row i from one point. */
static void FN(choose_one)(row_accumulator *o, const gs_interpolation_rows *w, int32_t i)
{
    int32_t c = FN(strongest)(w, i, false);

    if (c < 0) c = FN(strongest)(w, i, true);
    if (c >= 0) o->weight[insert(o, c)] = 1;
}

/* o = row i of P, in no order. */
static void FN(interpolate_row)(row_accumulator *o, const gs_interpolation_rows *w, int32_t i)
{
    o->count = 0;
    if (w->number[i] >= 0) {
        o->weight[insert(o, w->number[i])] = 1;
    } else if (w->kind == GS_ONE_POINT) {
        FN(choose_one)(o, w, i);
    } else {
        collect(o, w, i);
        FN(interpolate_extended)(o, w, i);
    }
}

/* --- all rows --------------------------------------------------------------------------------- */

/* Selects the entries of P's row r from all weights in o, and scales them. */
static void FN(select_entries)(const gsolve_csr *P, T *p, int32_t r, const row_accumulator *o)
{
    const int64_t begin = gs_start(P, r), end = gs_start(P, r + 1);
    double all = 0, picked = 0;

    for (int32_t e = 0; e < o->count; e++) all += o->weight[e];
    for (int64_t e = begin; e < end; e++) picked += o->weight[position_of(o, P->col[e])];
    const double scale = end - begin < o->count ? gs_sum_preserving_scale(all, picked) : 1;
    for (int64_t e = begin; e < end; e++) {
        p[e] = (T)(scale * o->weight[position_of(o, P->col[e])]);
    }
}

/* Computes all rows, of at most this many entries: writes them to their space in the buffer, or if
 * P is given its values. */
static gsolve_status FN(compute_rows)(gsolve_context *ctx, const gs_interpolation_rows *w,
                                      const row_buffer *D, int32_t longest, const gsolve_csr *P)
{
    T *value = P ? gs_owned_block(ctx, P->value) : NULL;
    thread_work W = {0};
    gsolve_status status;

    TRY(new_thread_work(&W, ctx, w, longest));
#pragma omp parallel num_threads(W.threads)
    {
        row_accumulator o = work_of_thread(&W);
#pragma omp for schedule(static)
        for (int32_t r = 0; r < w->rows; r++) {
            FN(interpolate_row)(&o, w, w->point ? w->point[r] : r);
            if (P) {
                FN(select_entries)(P, value, r, &o);
                continue;
            }
            const int32_t n = truncate_row(o.count, o.column, o.weight, w->most, w->truncate);
            memcpy(D->column + D->first[r], o.column, (size_t)n * sizeof *o.column);
            memcpy(D->weight + D->first[r], o.weight, (size_t)n * sizeof *o.weight);
            D->length[r] = n;
        }
    }
done:
    free_thread_work(&W, ctx);
    return status;
}

static gsolve_status FN(interpolate)(gsolve_csr *P, gsolve_context *ctx,
                                     const gs_interpolation_rows *w, bool create)
{
    row_buffer D = {0};
    int32_t longest = 0;
    gsolve_status status;

    if (!create && w->kind == GS_ONE_POINT) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_HOST, D.length, w->rows);
    TRY(find_capacities(ctx, w, D.length, &longest));
    if (create) TRY(new_row_buffer(&D, ctx, w->rows, w->most));
    TRY(FN(compute_rows)(ctx, w, &D, longest, create ? NULL : P));
    if (create) TRY(pack_rows(P, ctx, &D, w->rows, w->count, w->points.A->type));
done:
    free_row_buffer(&D, ctx);
    return status;
}

/* --- truncated rows --------------------------------------------------------------------------- */

static void FN(update_truncated_row)(const gsolve_csr *Q, T *q, const gsolve_csr *P, int32_t r)
{
    const int64_t begin = gs_start(Q, r), end = gs_start(Q, r + 1), end_p = gs_start(P, r + 1);
    const T *p = P->value;
    double all = 0, kept = 0;
    int64_t at = begin;

    for (int64_t k = gs_start(P, r); k < end_p; k++) {
        all += (double)p[k];
        if (at == end || Q->col[at] != P->col[k]) continue;
        q[at++] = p[k];
        kept += (double)p[k];
    }
    if (end - begin == end_p - gs_start(P, r)) return;
    for (int64_t k = begin; k < end; k++)
        q[k] = (T)(gs_sum_preserving_scale(all, kept) * (double)q[k]);
}

static gsolve_status FN(update_truncated)(const gsolve_csr *Q, gsolve_context *ctx,
                                          const gsolve_csr *P)
{
    T *q = gs_owned_block(ctx, Q->value);

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < Q->nrows; r++) FN(update_truncated_row)(Q, q, P, r);
    return GSOLVE_OK;
}
