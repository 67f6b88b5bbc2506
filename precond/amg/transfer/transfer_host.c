/* transfer_host.c: near-null vectors and the prolongator of aggregation on the CPU. */
#include <math.h>
#include <omp.h>

#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/transfer/transfer_rules.h"

/* --- pattern ---------------------------------------------------------------------------------- */

/* Sorts list[0, n) by insertion and removes repetitions. Returns the number that is left. The lists
 * are short. */
static int32_t sort_unique(int32_t *list, int32_t n)
{
    int32_t left = 0;

    for (int32_t e = 0; e < n; e++) {
        const int32_t g = list[e];
        int32_t at = left;
        while (at > 0 && list[at - 1] > g) at--;
        if (at > 0 && list[at - 1] == g) continue;
        for (int32_t m = left; m > at; m--) list[m] = list[m - 1];
        list[at] = g;
        left++;
    }
    return left;
}

static gsolve_status columns(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                             const int32_t *of, bool smooth)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < G->nodes; I++) {
        const bool one_aggregate = !smooth || G->degree[I] > GS_MAX_SMOOTHED_NEIGHBOURS;
        const int32_t degree = one_aggregate ? 0 : G->degree[I];
        int32_t *list = G->neighbour + gs_start(A, I * G->block), n = 0;
        if (of[I] >= 0) {
            for (int32_t e = 0; e < degree; e++) {
                if (of[list[e]] >= 0) list[n++] = of[list[e]];
            }
            list[n++] = of[I];
        }
        G->degree[I] = sort_unique(list, n);
    }
    return GSOLVE_OK;
}

static gsolve_status fill(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                          const int64_t *first, int32_t k, const gsolve_csr *P)
{
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, P);
    int32_t *col = to.col;

    gs_set_start(&to, 0, 0);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t I = 0; I < G->nodes; I++) {
        const int32_t *list = G->neighbour + gs_start(A, I * G->block);
        int64_t at = first[I] * G->block * k;
        for (int32_t r = 0; r < G->block; r++) {
            for (int32_t e = 0; e < G->degree[I] * k; e++) col[at++] = list[e / k] * k + e % k;
            gs_set_start(&to, I * G->block + r + 1, at);
        }
    }
    return GSOLVE_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* A_f: A with its weak entries moved to their rows' own nodes. */
typedef struct filtered {
    const gsolve_csr *A;
    const uint32_t *strong; /* a bit for each entry */
    int32_t block;
} filtered;

static inline int32_t node_of(const filtered *F, int32_t i)
{
    return F->block == 1 ? i : i / F->block;
}

/* The column in A_f of entry k of row i. */
static inline int32_t column_of(const filtered *F, int32_t i, int64_t k)
{
    const int32_t j = F->A->col[k], b = F->block;

    if (F->strong[k / 32] >> (k % 32) & 1) return j;
    return b == 1 ? i : i / b * b + j % b;
}

/* --- a prolongator from a file ---------------------------------------------------------------- */

/* Whether the columns of row i of P are those of whole aggregates, in order. */
static bool has_whole_aggregates(const gsolve_csr *P, int32_t i, int32_t k)
{
    const int64_t begin = gs_start(P, i), end = gs_start(P, i + 1);

    for (int64_t e = begin; e < end; e++) {
        if (P->col[e] % k != (e - begin) % k) return false;
        if ((e - begin) % k > 0 && P->col[e] != P->col[e - 1] + 1) return false;
    }
    return (end - begin) % k == 0;
}

static bool has_aggregate(const gsolve_csr *P, int32_t i, int32_t k, int32_t aggregate)
{
    const int64_t end = gs_start(P, i + 1);
    int64_t e = gs_start(P, i);

    while (e < end && P->col[e] / k < aggregate) e += k;
    return e < end && P->col[e] / k == aggregate;
}

/* Whether row i of P has the aggregates of row i of A_f. A row with its own aggregate only keeps
 * its tentative values. */
static bool row_fits(const filtered *F, const gs_aggregates *G, bool smooth, const gsolve_csr *P,
                     int32_t i)
{
    const int32_t own = G->of[node_of(F, i)];
    const int64_t count = (gs_start(P, i + 1) - gs_start(P, i)) / G->k;
    const int64_t end = gs_start(F->A, i + 1);

    if (!has_whole_aggregates(P, i, G->k)) return false;
    if (own < 0) return count == 0;
    if (!has_aggregate(P, i, G->k, own)) return false;
    if (count > (smooth ? GS_MAX_SMOOTHED_NEIGHBOURS + 1 : 1)) return false;
    for (int64_t e = gs_start(F->A, i); count > 1 && e < end; e++) {
        const int32_t g = G->of[node_of(F, column_of(F, i, e))];
        if (g >= 0 && !has_aggregate(P, i, G->k, g)) return false;
    }
    return true;
}

static bool prolongator_fits(const gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                             const gs_aggregates *G, double damping, const gsolve_csr *P)
{
    const filtered F = {A, strong, G->block};
    bool fits = P->nrows == A->nrows && P->ncols == (int64_t)G->count * G->k;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(&& : fits)
    for (int32_t i = 0; i < A->nrows; i++) {
        fits = fits && row_fits(&F, G, damping > 0, P, i);
    }
    return fits;
}

#define GS_BODY "precond/amg/transfer/transfer_body.h"
#include "core/each_type.h"

const gs_tentative_kernels GS_LEVEL(gs_tentative_host)[GSOLVE_TYPE_COUNT] = {
    {modes_f32, factor_f32}, {modes_f64, factor_f64}};
const gs_prolongator_kernels GS_LEVEL(gs_prolongator_host)[GSOLVE_TYPE_COUNT] = {
    {columns, fill, prolongator_fits}, {columns, fill, prolongator_fits}};
const gs_smoothed_kernels GS_LEVEL(gs_smoothed_host)[GSOLVE_TYPE_COUNT] = {{values_f32},
                                                                           {values_f64}};
