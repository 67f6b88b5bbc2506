/* assemble.c: a distributed matrix from triplets for any rows. The triplets travel to the owners of
 * their rows, which sort and add them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "dist/counts.h"
#include "dist/row_range.h"

typedef struct triplet {
    int64_t row, col;
    double value;
} triplet;

typedef struct triplet_messages { /* to or from each rank */
    gsolve_messages m;
    int *rank;
    size_t *offset;
    triplet *all; /* those of lower ranks first */
    int64_t count;
} triplet_messages;

static void drop_triplet_messages(triplet_messages *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->rank);
    gsolve_free(ctx, GSOLVE_HOST, t->offset);
    gsolve_free(ctx, GSOLVE_HOST, t->all);
}

/* Messages with number[r] triplets to or from each rank r but this one. */
static gsolve_status new_triplet_messages(triplet_messages *t, gsolve_context *ctx, int ranks,
                                          int own, const int64_t *number)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t->rank, ranks);
    ALLOC(ctx, GSOLVE_HOST, t->offset, (size_t)ranks + 1);
    t->offset[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t n = number[r];
        if (r == own || n == 0) continue;
        t->count += n;
        t->rank[t->m.count++] = r;
        t->offset[t->m.count] = (size_t)t->count * sizeof(triplet);
    }
    ALLOC(ctx, GSOLVE_HOST, t->all, t->count);
    t->m = (gsolve_messages){t->m.count, t->rank, t->offset, t->all};
done:
    return status;
}

typedef struct given { /* by the caller */
    int64_t count;
    const int64_t *i, *j;
    const double *v;
} given;

static bool is_skipped(const given *g, int64_t k)
{
    return g->i[k] < 0 || g->j[k] < 0;
}

static gsolve_status check(gsolve_context *ctx, const given *g, int64_t total)
{
    if (g->count < 0 || (g->count > 0 && (!g->i || !g->j || !g->v))) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_dist_csr_assemble: the number of triplets is negative, or i, j "
                           "or v is NULL");
    }
    for (int64_t k = 0; k < g->count; k++) {
        if (is_skipped(g, k)) continue;
        if (g->i[k] >= total || g->j[k] >= total || !isfinite(g->v[k])) {
            return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                               "triplet %lld (counted from 0) is row %lld, column %lld, value %g; "
                               "rows and columns are below %lld, and values finite",
                               (long long)k, (long long)g->i[k], (long long)g->j[k], g->v[k],
                               (long long)total);
        }
    }
    return GSOLVE_OK;
}

/* number[r] = the triplets for rank r. */
static void count_triplets(const given *g, const gs_ownership *owner, int64_t *number)
{
    memset(number, 0, (size_t)owner->ranks * sizeof *number);
    for (int64_t k = 0; k < g->count; k++) {
        if (!is_skipped(g, k)) number[gs_owner(owner, g->i[k])]++;
    }
}

/* Sorts the triplets by the ranks that own their rows: those of others to `out`, the own to `own`.
 */
static void put_triplets(const given *g, const gs_ownership *owner, int rank,
                         const triplet_messages *out, triplet *own, int64_t *next)
{
    for (int r = 0, k = 0; r < owner->ranks; r++) {
        next[r] = 0;
        if (k == out->m.count || out->rank[k] != r) continue;
        next[r] = (int64_t)(out->offset[k++] / sizeof(triplet));
    }
    for (int64_t k = 0; k < g->count; k++) {
        if (is_skipped(g, k)) continue;
        const int r = gs_owner(owner, g->i[k]);
        triplet *to = r == rank ? own : out->all;
        to[next[r]++] = (triplet){g->i[k], g->j[k], g->v[k]};
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct place { /* of a triplet in a row */
    int64_t col, order;
    double value;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->col != y->col) return x->col < y->col ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

typedef struct rows_of { /* under construction */
    int64_t *start, *col;
    double *value;
    place *place;
} rows_of;

/* Sorts the triplets of all rows into place; those of a row keep their order. */
static void sort_by_rows(rows_of *r, gsolve_row_range rows, int parts, triplet *const *part,
                         const int64_t *count)
{
    int64_t order = 0;

    memset(r->start, 0, ((size_t)rows.count + 1) * sizeof *r->start);
    for (int p = 0; p < parts; p++) {
        for (int64_t k = 0; k < count[p]; k++) r->start[part[p][k].row - rows.first + 1]++;
    }
    for (int32_t i = 0; i < rows.count; i++) r->start[i + 1] += r->start[i];
    for (int p = 0; p < parts; p++) {
        for (int64_t k = 0; k < count[p]; k++) {
            const triplet *t = &part[p][k];
            r->place[r->start[t->row - rows.first]++] = (place){t->col, order++, t->value};
        }
    }
    for (int32_t i = rows.count; i > 0; i--) r->start[i] = r->start[i - 1];
    r->start[0] = 0;
}

/* Sorts each row by columns and adds duplicates. */
static void add_duplicates(rows_of *r, int32_t count)
{
    int64_t at = 0;

    for (int32_t i = 0; i < count; i++) {
        const int64_t from = r->start[i], to = r->start[i + 1], begin = at;
        qsort(r->place + from, (size_t)(to - from), sizeof *r->place, compare_places);
        r->start[i] = begin;
        for (int64_t k = from; k < to; k++) {
            const place *p = &r->place[k];
            if (at > begin && r->col[at - 1] == p->col) {
                r->value[at - 1] += p->value;
            } else {
                r->col[at] = p->col;
                r->value[at++] = p->value;
            }
        }
    }
    r->start[count] = at;
}

/* *csr = the rows of these triplets, in rank order: those received from lower ranks, the own ones,
 * and those of higher ranks. */
static gsolve_status make_rows(gsolve_dist_csr *csr, gsolve_context *ctx, gsolve_row_range rows,
                               const triplet_messages *in, triplet *own, int64_t own_count,
                               int rank)
{
    rows_of r = {0};
    int64_t lower = 0;
    gsolve_status status;

    for (int k = 0; k < in->m.count; k++) {
        if (in->rank[k] < rank) lower = (int64_t)(in->offset[k + 1] / sizeof(triplet));
    }
    triplet *const part[] = {in->all, own, in->all + lower};
    const int64_t count[] = {lower, own_count, in->count - lower};
    const int64_t all = in->count + own_count;
    ALLOC(ctx, GSOLVE_HOST, r.start, (size_t)rows.count + 1);
    ALLOC(ctx, GSOLVE_HOST, r.col, all);
    ALLOC(ctx, GSOLVE_HOST, r.value, all);
    ALLOC(ctx, GSOLVE_HOST, r.place, all);
    sort_by_rows(&r, rows, 3, part, count);
    add_duplicates(&r, rows.count);
    *csr = (gsolve_dist_csr){.rows = rows,
                             .cols = rows,
                             .start = r.start,
                             .col = r.col,
                             .value = r.value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64};
    r.start = r.col = NULL;
    r.value = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, r.start);
    gsolve_free(ctx, GSOLVE_HOST, r.col);
    gsolve_free(ctx, GSOLVE_HOST, r.value);
    gsolve_free(ctx, GSOLVE_HOST, r.place);
    return status;
}

/* --- all ranks -------------------------------------------------------------------------------- */

static gsolve_status assemble(gsolve_dist_csr *csr, gsolve_context *ctx, gsolve_row_range rows,
                              const given *g, const gs_ownership *owner)
{
    const int rank = ctx->comm ? ctx->comm->rank : 0, ranks = owner->ranks;
    triplet_messages out = {0}, in = {0};
    int64_t *number;
    triplet *own = NULL;
    gsolve_dist_csr made = {0};
    gsolve_status status;

    number = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *number);
    TRY(gs_comm_check(ctx->comm, number ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    count_triplets(g, owner, number);
    const int64_t own_count = number[rank];
    own = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)own_count, sizeof *own);
    status = own ? new_triplet_messages(&out, ctx, ranks, rank, number) : GSOLVE_NO_MEMORY;
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_exchange_counts(ctx->comm, number));
    TRY(gs_comm_check(ctx->comm, new_triplet_messages(&in, ctx, ranks, rank, number)));
    put_triplets(g, owner, rank, &out, own, number);
    if (ctx->comm) TRY(gs_comm_exchange(ctx->comm, &out.m, &in.m));
    status = make_rows(&made, ctx, rows, &in, own, own_count, rank);
    status = gs_comm_check(ctx->comm, status);
    if (status == GSOLVE_OK) {
        *csr = made;
    } else {
        gsolve_dist_csr_free(&made, ctx);
    }
done:
    drop_triplet_messages(&out, ctx);
    drop_triplet_messages(&in, ctx);
    gsolve_free(ctx, GSOLVE_HOST, own);
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

gsolve_status gsolve_dist_csr_assemble(gsolve_dist_csr *csr, gsolve_context *ctx,
                                       gsolve_row_range rows, int64_t count, const int64_t *i,
                                       const int64_t *j, const double *v)
{
    const given g = {count, i, j, v};
    gs_ownership owner = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = csr ? check(ctx, &g, rows.total)
                 : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_dist_csr_assemble: csr is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_ownership_new(&owner, ctx, &rows, "rows"));
    TRY(assemble(csr, ctx, rows, &g, &owner));
done:
    gs_ownership_drop(&owner, ctx);
    return status;
}
