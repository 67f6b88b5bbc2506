/* cycle.c: one cycle over all levels, from x = 0:
 *
 *     x = S b             pre times, the first from x = 0
 *     b' = R (b - A x)
 *     x' = the coarse level's: V once, W twice, K two steps of a method that the cycle
 *          preconditions, auto twice where that is little work (is_cheap)
 *     x += P x'
 *     x += S'(b - A x)    post times, back
 *
 * R = P', so that the cycle is symmetric where A is and as many sweeps come after as before. The
 * transposed one has A' for A and the counts of sweeps changed about. Between two visits of a
 * coarse level those after the first are also those before the second, if that is symmetric, too:
 * with I - B A = S C S C S for one visit's S C S it takes no more iterations than with S C S S C S.
 *
 * K (Notay, Electronic Transactions on Numerical Analysis 37, 2010): with c = B b and d = B r,
 * where B is the coarse level's own cycle, v = A c, w = A d, r = b - (v'b / v'c) v,
 *
 *     x' = (alpha1 - gamma alpha2 / rho2) / rho1 c + alpha2 / rho2 d,
 *     rho1 = c'v, alpha1 = c'b, gamma = d'v, beta = d'w, alpha2 = d'r, rho2 = beta - gamma^2 / rho1
 *
 * (conjugate gradients; for an A that is not symmetric with v for c and w for d on the left of
 * these products, which is GCR). The numbers stay on the device; nothing is waited for. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/amg/hierarchy.h"
#include "vector/vector.h"

enum { LAST_SWEEPS = 8 }; /* before and after, on a coarsest level that is not solved exactly */

typedef struct walk {
    const gs_hierarchy *h;
    gsolve_context *ctx;
    const gs_vector_kernels *vector;
    bool transposed, turned; /* turned: products are with A' */
    int32_t columns;
    const gs_ends *wide; /* of the finest level */
} walk;

/* --- the cycle -------------------------------------------------------------------------------- */

static gs_fine fine_of(const walk *w, const gs_level *l)
{
    gs_fine fine = l->fine;
    fine.transposed = w->turned;
    return fine;
}

/* wide: the first sweep is from it, if it is from 0; else it is what the last is to. */
static gsolve_status smooth(const walk *w, const gs_level *l, gsolve_dense b, gsolve_dense x,
                            gsolve_dense space, int sweeps, bool zero, bool back)
{
    const gs_ends *wide = l == w->h->level ? w->wide : NULL;
    gs_fine fine = fine_of(w, l);
    gsolve_status status = GSOLVE_OK;

    for (int s = 0; s < sweeps && status == GSOLVE_OK; s++) {
        fine.from = zero && s == 0 ? wide : NULL;
        fine.to = !zero && s + 1 == sweeps ? wide : NULL;
        status =
            w->h->smoother->sweep(l->smoother, w->ctx, &fine, b, x, space, zero && s == 0, back);
    }
    return status;
}

/* r = b - A x */
static gsolve_status residual(const walk *w, const gs_level *l, gsolve_dense b, gsolve_dense x,
                              gsolve_dense r)
{
    const gs_fine fine = fine_of(w, l);
    const gs_smoother *smoother = w->h->smoother;

    if (!smoother->residual) return gs_fine_residual(&fine, w->ctx, b, x, r);
    return smoother->residual(l->smoother, w->ctx, &fine, b, x, r);
}

/* Sweeps before and after a coarse level; zero: of the first visit, or the only one. */
typedef struct counts {
    int before, after;
} counts;

static counts sweeps_of(const walk *w, bool zero)
{
    const gs_amg_options *o = &w->h->options;
    const counts c = w->transposed ? (counts){o->post, o->pre} : (counts){o->pre, o->post};
    const bool shared = !zero && w->h->smoother->even && o->pre == o->post;

    return shared ? (counts){0, c.after} : c;
}

static gsolve_status solve_coarse(const walk *w, int k);

/* x = the cycle of level k for b; zero: from x = 0. */
static gsolve_status cycle(const walk *w, int k, gsolve_dense b, gsolve_dense x, bool zero)
{
    const gs_level *l = &w->h->level[k];
    const counts sweeps = sweeps_of(w, zero);
    const bool untouched = zero && sweeps.before == 0;
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
    TRY(smooth(w, l, b, x, space, sweeps.before, zero, false));
    if (untouched) {
        r = b;
    } else {
        TRY(residual(w, l, b, x, r));
    }
    TRY(gsolve_matrix_apply(l->R, 1, r, 0, next.b));
    TRY(solve_coarse(w, k + 1));
    TRY(gsolve_matrix_apply(l->P, 1, next.x, untouched ? 0 : 1, x));
    TRY(smooth(w, l, b, x, space, sweeps.after, false, true));
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
static gsolve_status combine_scalars(const walk *w, double *s)
{
    const gs_vector_kernels *number = GS_KERNELS(gs_vector, w->ctx, GSOLVE_F64);
    gs_queue *q = w->ctx->queue;
    gsolve_status status;

    TRY(number->axpby(q, 1, over(-1, &s[GAMMA], &s[RHO1]), &s[GAMMA], one(), &s[RHO2]));
    TRY(number->axpby(q, 1, over(-1, &s[ALPHA2], &s[RHO2]), &s[GAMMA], one(), &s[ALPHA1]));
done:
    return status;
}

/* l->x = the solution for l->b by two steps; l->b becomes the residual after the first. One column.
 */
static gsolve_status two_steps(const walk *w, int k)
{
    const gs_level *l = &w->h->level[k];
    const gs_fine fine = fine_of(w, l);
    const int64_t n = l->rows.nrows;
    gs_queue *q = w->ctx->queue;
    double *s = w->h->scalar + k * SCALARS;
    const void *left = w->h->symmetric ? l->x.value : l->v.value;
    const void *next = w->h->symmetric ? l->c.value : l->space.value;
    gsolve_status status;

    TRY(cycle(w, k, l->b, l->x, true));             /* c = B b                */
    TRY(gs_fine_multiply(&fine, 1, l->x, 0, l->v)); /* v = A c                */
    TRY(w->vector->dot(q, n, left, l->v.value, &s[RHO1]));
    TRY(w->vector->dot(q, n, left, l->b.value, &s[ALPHA1]));
    TRY(w->vector->axpby(q, n, over(-1, &s[ALPHA1], &s[RHO1]), l->v.value, one(), l->b.value));
    TRY(cycle(w, k, l->b, l->c, true));                 /* d = B r                */
    TRY(gs_fine_multiply(&fine, 1, l->c, 0, l->space)); /* w = A d                */
    TRY(w->vector->dot(q, n, next, l->v.value, &s[GAMMA]));
    TRY(w->vector->dot(q, n, next, l->space.value, &s[RHO2]));
    TRY(w->vector->dot(q, n, next, l->b.value, &s[ALPHA2]));
    TRY(combine_scalars(w, s));
    TRY(w->vector->axpby(q, n, over(1, &s[ALPHA2], &s[RHO2]), l->c.value,
                         over(1, &s[ALPHA1], &s[RHO1]), l->x.value));
done:
    return status;
}

/* The coarse levels of aggregates are solved too roughly by one visit, the more of them there are;
 * a second one is worth a quarter of the finer level's work, but on a GPU not the launches of small
 * ones. */
#define CHEAP          0.25
#define WORTH_LAUNCHES 1000000 /* entries */

static bool is_cheap(const gs_hierarchy *h, int k)
{
    const int64_t entries = h->level[k].entries;

    return (double)entries <= CHEAP * (double)h->level[k - 1].entries &&
           (!h->far || entries >= WORTH_LAUNCHES);
}

/* Whether level k, not the finest, is visited twice by each cycle of the finer. */
static bool is_twice(const gs_hierarchy *h, int k)
{
    const int cycle = h->options.cycle;

    if (k + 1 == h->levels) return false;
    return cycle == GS_AMG_W || cycle == GS_AMG_K || (cycle == GS_AMG_CYCLE_AUTO && is_cheap(h, k));
}

int64_t gs_cycle_visits(const gs_hierarchy *h)
{
    int64_t visits = 1;

    for (int k = 1; k < h->levels; k++) visits *= is_twice(h, k) ? 2 : 1;
    return visits;
}

static gsolve_status solve_coarse(const walk *w, int k)
{
    const gs_level_vectors v = gs_level_vectors_of(w->h, k, w->columns);
    const bool twice = is_twice(w->h, k);
    gsolve_status status;

    if (w->h->options.cycle == GS_AMG_K && twice) return two_steps(w, k);
    TRY(cycle(w, k, v.b, v.x, true));
    if (twice) TRY(cycle(w, k, v.b, v.x, false));
done:
    return status;
}

bool gs_cycle_widens(const gs_hierarchy *h)
{
    const gs_level *finest = h->level;

    return h->levels > 1 && h->options.pre > 0 && h->options.post > 0 && finest->smoother &&
           h->smoother->widens && h->smoother->widens(finest->smoother, &finest->fine);
}

gsolve_status gs_cycle(const gs_hierarchy *h, gsolve_context *ctx, bool transposed,
                       const gs_ends *wide, gsolve_dense r, gsolve_dense z)
{
    const walk w = {.h = h,
                    .ctx = ctx,
                    .vector = GS_KERNELS(gs_vector, ctx, h->type),
                    .transposed = transposed,
                    .turned = transposed && !h->symmetric,
                    .columns = r.ncols,
                    .wide = wide};

    return h->level[0].rows.nrows == 0 ? GSOLVE_OK : cycle(&w, 0, r, z, true);
}

/* --- what it moves ---------------------------------------------------------------------------- */

static size_t product_bytes(const gsolve_matrix *A)
{
    gsolve_matrix_info info;

    gsolve_matrix_describe(A, &info);
    return info.bytes;
}

/* Sweeps in so many visits of level k: half of them, where it is visited twice, share theirs. */
static size_t sweeps_in(const gs_hierarchy *h, int k, size_t visits)
{
    const size_t pre = (size_t)h->options.pre, post = (size_t)h->options.post;
    const bool shared = h->smoother->even && pre == post && h->options.cycle != GS_AMG_K;

    return visits * (pre + post) - (shared && k > 0 && is_twice(h, k) ? visits / 2 * pre : 0);
}

/* Of so many visits of level k. */
static size_t visits_bytes(const gs_hierarchy *h, int k, size_t visits)
{
    const gs_level *l = &h->level[k];
    const size_t vector = (size_t)l->rows.nrows * gs_type_size(h->type);

    if (!l->smoother) return visits * gs_coarsest_bytes(&h->coarsest);
    const size_t sweep = h->smoother->bytes(l->smoother, &l->fine);
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
        if (k > 0 && is_twice(h, k)) visits *= 2;
        bytes += visits_bytes(h, k, visits);
        if (steps) bytes += visits * (product_bytes(h->level[k].A) + 10 * vector);
    }
    return bytes;
}
