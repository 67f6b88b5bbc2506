/* cycle.c: one multigrid cycle, from x = 0:
 *
 *     x = S b             pre-smoothing: `pre` sweeps, the first from x = 0
 *     b' = R (b - A x)    restriction
 *     x' = coarse cycle   V: one; W: two; K: two steps of a Krylov method that the coarse cycle
 *                         preconditions; auto: two if that is little work (is_cheap)
 *     x += P x'           correction
 *     x += S'(b - A x)    post-smoothing: `post` sweeps back
 *
 * R = P'. So the cycle is symmetric if A is symmetric and pre = post. The transposed cycle uses A'
 * instead of A, and swaps pre and post. Between two visits of a coarse level, a symmetric smoother
 * smooths once: the sweeps after the first visit serve as those before the second. With E = I - B A
 * = S C S for one visit, two visits are S C S C S. That takes no more iterations than S C S S C S.
 *
 * K-cycle (Notay, Electronic Transactions on Numerical Analysis 37, 2010): with c = B b and d = B
 * r, where B is the coarse level's own cycle, v = A c, w = A d, r = b - (v'b / v'c) v,
 *
 *     x' = (alpha1 - gamma alpha2 / rho2) / rho1 c + alpha2 / rho2 d,
 *     rho1 = c'v, alpha1 = c'b, gamma = d'v, beta = d'w, alpha2 = d'r, rho2 = beta - gamma^2 / rho1
 *
 * These are two steps of conjugate gradients. If A is not symmetric, v replaces c and w replaces d
 * on the left of these dot products, which gives GCR. The scalars stay on the device; the host does
 * not synchronise. */
#include "precond/amg/cycle.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "vector/vector.h"

enum { LAST_SWEEPS = 8 }; /* pre and post, on a coarsest level that is not solved exactly */

typedef struct cycle_args {
    const gs_hierarchy *h;
    gsolve_context *ctx;
    const gs_vector_kernels *vector;
    bool transposed, with_transpose; /* with_transpose: products are with A', not A */
    int32_t columns;
    const gs_f64_vectors *f64; /* of the finest level, or NULL */
} cycle_args;

/* --- the cycle -------------------------------------------------------------------------------- */

gs_level_vectors gs_level_vectors_of(const gs_hierarchy *h, int k, int32_t columns)
{
    const gs_level *l = &h->level[k];
    gs_level_vectors v = {l->b, l->x, l->space};
    gsolve_dense *const all[] = {&v.b, &v.x, &v.space};

    for (size_t i = 0; columns > 1 && i < sizeof all / sizeof *all; i++) {
        const size_t offset = i * GS_AMG_COLUMNS * (size_t)l->b.nrows * gs_type_size(h->type);
        all[i]->ncols = columns;
        all[i]->stride = columns;
        all[i]->layout = GSOLVE_ROW_MAJOR;
        all[i]->value = (char *)l->batch + offset;
    }
    return v;
}

static gs_level_view view_of(const cycle_args *w, const gs_level *l)
{
    gs_level_view view = l->view;
    view.transposed = w->with_transpose;
    return view;
}

/* Sweeps over one level. On the finest level of a cycle with f64 vectors, the first sweep from zero
 * reads f64->r, and the last sweep after the coarse level writes f64->z. */
static gsolve_status smooth(const cycle_args *w, const gs_level *l, gsolve_dense b, gsolve_dense x,
                            gsolve_dense space, int sweeps, bool zero, bool back)
{
    const gs_f64_vectors *f64 = l == w->h->level ? w->f64 : NULL;
    gs_level_view view = view_of(w, l);
    gsolve_status status = GSOLVE_OK;

    for (int s = 0; s < sweeps && status == GSOLVE_OK; s++) {
        view.f64_in = zero && s == 0 ? f64 : NULL;
        view.f64_out = !zero && s + 1 == sweeps ? f64 : NULL;
        status =
            w->h->smoother->sweep(l->smoother, w->ctx, &view, b, x, space, zero && s == 0, back);
    }
    return status;
}

/* r = b - A x */
static gsolve_status residual(const cycle_args *w, const gs_level *l, gsolve_dense b,
                              gsolve_dense x, gsolve_dense r)
{
    const gs_level_view view = view_of(w, l);
    const gs_smoother *smoother = w->h->smoother;

    if (!smoother->residual) return gs_level_residual(&view, w->ctx, b, x, r);
    return smoother->residual(l->smoother, w->ctx, &view, b, x, r);
}

typedef struct sweep_counts {
    int pre, post;
} sweep_counts;

/* zero: for the first visit of a level, which starts from x = 0; else for the second. */
static sweep_counts sweeps_of(const cycle_args *w, bool zero)
{
    const gs_amg_options *o = &w->h->options;
    const sweep_counts c =
        w->transposed ? (sweep_counts){o->post, o->pre} : (sweep_counts){o->pre, o->post};
    const bool shared = !zero && w->h->smoother->symmetric && o->pre == o->post;

    return shared ? (sweep_counts){0, c.post} : c;
}

static gsolve_status solve_coarse(const cycle_args *w, int k);

/* x = the cycle of level k for b, from x = 0 if zero. */
static gsolve_status cycle(const cycle_args *w, int k, gsolve_dense b, gsolve_dense x, bool zero)
{
    const gs_level *l = &w->h->level[k];
    const sweep_counts sweeps = sweeps_of(w, zero);
    const bool still_zero = zero && sweeps.pre == 0;
    const gsolve_dense space = gs_level_vectors_of(w->h, k, w->columns).space;
    gs_level_vectors next;
    gsolve_dense r = space;
    gsolve_status status;

    if (!l->smoother) return gs_coarsest_solve(&w->h->coarsest, w->ctx, w->transposed, b, x);
    if (k + 1 == w->h->levels) {
        TRY(smooth(w, l, b, x, space, LAST_SWEEPS, zero, false));
        return smooth(w, l, b, x, space, LAST_SWEEPS, false, true);
    }
    next = gs_level_vectors_of(w->h, k + 1, w->columns);
    TRY(smooth(w, l, b, x, space, sweeps.pre, zero, false));
    if (still_zero) {
        r = b;
    } else {
        TRY(residual(w, l, b, x, r));
    }
    TRY(gsolve_matrix_apply(l->R, 1, r, 0, next.b));
    TRY(solve_coarse(w, k + 1));
    TRY(gsolve_matrix_apply(l->P, 1, next.x, still_zero ? 0 : 1, x));
    TRY(smooth(w, l, b, x, space, sweeps.post, false, true));
done:
    return status;
}

/* --- the coarse level of a K-cycle ------------------------------------------------------------ */

enum { RHO1, ALPHA1, GAMMA, RHO2, ALPHA2, SCALARS };

static gs_ratio one(void)
{
    return (gs_ratio){.sign = 1};
}

static gs_ratio over(double sign, const double *num, const double *den)
{
    return (gs_ratio){.sign = sign, .num = num, .den = den};
}

/* s[RHO2] = rho2 of beta, s[ALPHA1] = alpha1 - gamma alpha2 / rho2 */
static gsolve_status combine_scalars(const cycle_args *w, double *s)
{
    const gs_vector_kernels *number = GS_KERNELS(gs_vector, w->ctx, GSOLVE_F64);
    gs_queue *q = w->ctx->queue;
    gsolve_status status;

    TRY(number->axpby(q, 1, over(-1, &s[GAMMA], &s[RHO1]), &s[GAMMA], one(), &s[RHO2]));
    TRY(number->axpby(q, 1, over(-1, &s[ALPHA2], &s[RHO2]), &s[GAMMA], one(), &s[ALPHA1]));
done:
    return status;
}

/* l->x = two Krylov steps for l->b; l->b becomes the residual after the first. One column. */
static gsolve_status krylov_steps(const cycle_args *w, int k)
{
    const gs_level *l = &w->h->level[k];
    const gs_level_view view = view_of(w, l);
    const int64_t n = l->rows.nrows;
    gs_queue *q = w->ctx->queue;
    double *s = w->h->scalar + k * SCALARS;
    const void *left = w->h->symmetric ? l->x.value : l->v.value;
    const void *next = w->h->symmetric ? l->c.value : l->space.value;
    gsolve_status status;

    TRY(cycle(w, k, l->b, l->x, true));              /* c = B b                */
    TRY(gs_level_multiply(&view, 1, l->x, 0, l->v)); /* v = A c                */
    TRY(w->vector->dot(q, n, left, l->v.value, &s[RHO1]));
    TRY(w->vector->dot(q, n, left, l->b.value, &s[ALPHA1]));
    TRY(gs_comm_sum_of(w->h->comm, &s[RHO1], 2));
    TRY(w->vector->axpby(q, n, over(-1, &s[ALPHA1], &s[RHO1]), l->v.value, one(), l->b.value));
    TRY(cycle(w, k, l->b, l->c, true));                  /* d = B r                */
    TRY(gs_level_multiply(&view, 1, l->c, 0, l->space)); /* w = A d                */
    TRY(w->vector->dot(q, n, next, l->v.value, &s[GAMMA]));
    TRY(w->vector->dot(q, n, next, l->space.value, &s[RHO2]));
    TRY(w->vector->dot(q, n, next, l->b.value, &s[ALPHA2]));
    TRY(gs_comm_sum_of(w->h->comm, &s[GAMMA], 3));
    TRY(combine_scalars(w, s));
    TRY(w->vector->axpby(q, n, over(1, &s[ALPHA2], &s[RHO2]), l->c.value,
                         over(1, &s[ALPHA1], &s[RHO1]), l->x.value));
done:
    return status;
}

/* With aggregation, one visit solves a coarse level too roughly, and the error grows with the
 * number of levels. A second visit pays off if the level has at most this share of the finer
 * level's entries. On a GPU the launches of a small level cost more than a second visit gains. */
#define CHEAP_SHARE     0.25
#define MIN_GPU_ENTRIES 1000000

static bool is_cheap(const gs_hierarchy *h, int k)
{
    const int64_t entries = h->level[k].entries;
    const int64_t above = k > 0 ? h->level[k - 1].entries : h->finer.above;

    return (double)entries <= CHEAP_SHARE * (double)above &&
           (!h->on_device || entries >= MIN_GPU_ENTRIES);
}

/* Whether each cycle of the level above visits level k twice. */
static bool is_visited_twice(const gs_hierarchy *h, int k)
{
    const int cycle = h->options.cycle;

    if (h->finer.levels + k == 0 || k + 1 == h->levels) return false;
    return cycle == GS_AMG_W || cycle == GS_AMG_K || (cycle == GS_AMG_CYCLE_AUTO && is_cheap(h, k));
}

int64_t gs_cycle_visits(const gs_hierarchy *h)
{
    int64_t visits = 1;

    for (int k = 0; k < h->levels; k++) visits *= is_visited_twice(h, k) ? 2 : 1;
    return h->coarse ? visits * gs_cycle_visits(h->coarse->h) : visits;
}

/* x = what the replicated levels compute for b; both hold this rank's rows. */
static gsolve_status solve_replicated(const cycle_args *w, gsolve_dense b, gsolve_dense x)
{
    gs_replicated *T = w->h->coarse;
    const gs_level_vectors v = gs_level_vectors_of(T->h, 0, w->columns);
    const size_t row = (size_t)w->columns * gs_type_size(b.type);
    const char *own = (const char *)v.x.value + (size_t)T->rows.first[w->h->comm->rank] * row;
    cycle_args all = *w;
    gsolve_status status;

    all.h = T->h;
    all.f64 = NULL;
    TRY(gs_gather_run(&T->rows, w->ctx, row, b.value, v.b.value));
    TRY(solve_coarse(&all, 0));
    if (b.nrows > 0) memcpy(x.value, own, (size_t)b.nrows * row);
done:
    return status;
}

static gsolve_status solve_coarse(const cycle_args *w, int k)
{
    const gs_level_vectors v = gs_level_vectors_of(w->h, k, w->columns);
    const bool twice = is_visited_twice(w->h, k);
    gsolve_status status;

    if (w->h->coarse && k + 1 == w->h->levels) return solve_replicated(w, v.b, v.x);
    if (w->h->options.cycle == GS_AMG_K && twice) return krylov_steps(w, k);
    TRY(cycle(w, k, v.b, v.x, true));
    if (twice) TRY(cycle(w, k, v.b, v.x, false));
done:
    return status;
}

bool gs_cycle_fuses_f64(const gs_hierarchy *h)
{
    const gs_level *finest = h->level;

    return h->levels > 1 && h->options.pre > 0 && h->options.post > 0 && finest->smoother &&
           h->smoother->fuses_f64 && h->smoother->fuses_f64(finest->smoother, &finest->view);
}

gsolve_status gs_cycle(const gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                       const gs_f64_vectors *f64, gsolve_dense r, gsolve_dense z)
{
    const cycle_args w = {.h = h,
                          .ctx = ctx,
                          .vector = GS_KERNELS(gs_vector, ctx, h->type),
                          .transposed = transposed,
                          .with_transpose = transposed && !h->symmetric,
                          .columns = r.ncols,
                          .f64 = f64};

    if (h->coarse && h->levels == 1) return solve_replicated(&w, r, z);
    return h->level[0].rows.nrows == 0 && !h->comm ? GSOLVE_OK : cycle(&w, 0, r, z, true);
}

/* --- bytes that a cycle moves ----------------------------------------------------------------- */

static size_t product_bytes(const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(A, &info);
    return info.bytes;
}

/* Sweeps in this many visits of level k. If the level is visited twice in a row, every second visit
 * omits its pre-smoothing when sweeps_of shares it. */
static size_t sweeps_in(const gs_hierarchy *h, int k, size_t visits)
{
    const size_t pre = (size_t)h->options.pre, post = (size_t)h->options.post;
    const bool shared = h->smoother->symmetric && pre == post && h->options.cycle != GS_AMG_K;

    return visits * (pre + post) -
           (shared && k > 0 && is_visited_twice(h, k) ? visits / 2 * pre : 0);
}

/* Bytes that this many visits of level k move. */
static size_t visits_bytes(const gs_hierarchy *h, int k, size_t visits)
{
    const gs_level *l = &h->level[k];
    const size_t vector = (size_t)l->rows.nrows * gs_type_size(h->type);

    if (!l->smoother) return visits * gs_coarsest_bytes(&h->coarsest);
    const size_t sweep = h->smoother->bytes(l->smoother, &l->view);
    if (k + 1 == h->levels) return visits * 2 * LAST_SWEEPS * sweep;
    return sweeps_in(h, k, visits) * sweep +
           visits * (product_bytes(l->A) + product_bytes(l->P) + product_bytes(l->R) + 4 * vector);
}

size_t gs_cycle_bytes(const gs_hierarchy *h)
{
    size_t bytes = 0, visits = 1;

    for (int k = 0; k < h->levels; k++) {
        const size_t vector = (size_t)h->level[k].rows.nrows * gs_type_size(h->type);
        const bool steps = h->options.cycle == GS_AMG_K && k > 0 && k + 1 < h->levels;
        if (is_visited_twice(h, k)) visits *= 2;
        bytes += visits_bytes(h, k, visits);
        if (steps) bytes += visits * (product_bytes(h->level[k].A) + 10 * vector);
    }
    return h->coarse ? bytes + visits * gs_cycle_bytes(h->coarse->h) : bytes;
}
