/* tentative.c: the tentative prolongator of aggregates that cross the borders of ranks. The rank of
 * the root receives the near-null vectors at the members of its aggregates, factors them in the
 * order of the nodes, as one rank does, and sends the factor back. */
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/counts.h"
#include "precond/amg/distributed/rank_level.h"

#define SMALL static inline
#include "precond/amg/transfer/transfer_rules.h"

/* A node of another rank in an aggregate of this one. Its rows of B follow. */
typedef struct member {
    int64_t aggregate;
} member;

typedef struct factoring {
    gs_ownership owner;      /* of aggregates */
    gs_message_side out, in; /* members of aggregates of other ranks; of this rank's, elsewhere */
    int32_t *sent;           /* the own nodes of `out`, counted from the first own one */
    char *to, *from;         /* the messages */
    size_t rows, width;      /* bytes of a node's rows; of a message about a node */
    gs_aggregates G;         /* the members of this rank's aggregates, in the order of nodes */
    gsolve_dense B;          /* their near-null vectors */
    int32_t before, own;     /* members on lower ranks; on this rank */
} factoring;

static void drop(factoring *f, gsolve_context *ctx)
{
    gs_ownership_drop(&f->owner, ctx);
    gs_message_side_drop(&f->out, ctx);
    gs_message_side_drop(&f->in, ctx);
    gsolve_free(ctx, GSOLVE_HOST, f->sent);
    gsolve_free(ctx, GSOLVE_HOST, f->to);
    gsolve_free(ctx, GSOLVE_HOST, f->from);
    gsolve_free(ctx, GSOLVE_HOST, f->G.of);
    gsolve_free(ctx, GSOLVE_HOST, f->G.start);
    gsolve_free(ctx, GSOLVE_HOST, f->G.member);
    gsolve_free(ctx, GSOLVE_HOST, f->G.Q);
    gsolve_free(ctx, GSOLVE_HOST, f->B.value);
}

/* --- who sends what --------------------------------------------------------------------------- */

/* The rank with the root of own node I; -1: the node is in no aggregate. */
static int rank_of(const factoring *f, const gs_rank_aggregates *sa, const gs_node_rows *L,
                   int32_t I)
{
    const int32_t g = sa->G.of[L->map.below + I];

    return g < 0 ? -1 : gs_owner(&f->owner, gs_column_global(&sa->map, g));
}

/* number[r] = the own nodes in aggregates of rank r. Local. */
static gsolve_status count_members(const factoring *f, gsolve_context *ctx,
                                   const gs_rank_aggregates *sa, const gs_node_rows *L,
                                   int64_t **number)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, *number, f->owner.ranks);
    memset(*number, 0, (size_t)f->owner.ranks * sizeof **number);
    for (int32_t I = 0; I < L->nodes.count; I++) {
        const int r = rank_of(f, sa, L, I);
        if (r >= 0) (*number)[r]++;
    }
done:
    return status;
}

/* Sets f->own, and the sizes of the messages. */
static gsolve_status plan(factoring *f, gsolve_context *ctx, const gs_rank_aggregates *sa,
                          const gs_node_rows *L)
{
    int64_t *number = NULL;
    gsolve_status status;

    TRY(gs_ownership_new(&f->owner, ctx, &sa->range, "aggregates"));
    status = count_members(f, ctx, sa, L, &number);
    if (status == GSOLVE_OK) {
        f->own = (int32_t)number[ctx->comm->rank];
        number[ctx->comm->rank] = 0;
        status = gs_message_side_set(&f->out, ctx, f->owner.ranks, number);
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_exchange_counts(ctx->comm, number));
    for (int r = 0; r < ctx->comm->rank; r++) f->before += (int32_t)number[r];
    TRY(gs_comm_check(ctx->comm, gs_message_side_set(&f->in, ctx, f->owner.ranks, number)));
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

/* Local. */
static gsolve_status allocate(factoring *f, gsolve_context *ctx, const gs_rank_aggregates *sa,
                              const gs_node_rows *L, gsolve_dense B, gsolve_dense *coarse)
{
    const int64_t out = gs_message_side_size(&f->out), in = gs_message_side_size(&f->in);
    const int64_t all = in + f->own;
    const int32_t members = (int32_t)all;
    gsolve_status status;

    if (all * L->block > INT32_MAX || (int64_t)sa->range.count * B.ncols > INT32_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "amg: the aggregates of one rank contain %lld rows, more than %d; use more "
            "ranks",
            (long long)(all * L->block), INT32_MAX);
    }
    f->rows = (size_t)L->block * (size_t)B.ncols * gs_type_size(B.type);
    f->width = sizeof(member) + (f->rows + 7) / 8 * 8;
    f->G = (gs_aggregates){
        .nodes = members, .block = L->block, .count = sa->range.count, .k = B.ncols};
    ALLOC(ctx, GSOLVE_HOST, f->sent, out);
    f->to = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)out, f->width);
    f->from = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)in, f->width);
    ALLOC(ctx, GSOLVE_HOST, f->G.of, members);
    ALLOC(ctx, GSOLVE_HOST, f->G.start, (size_t)sa->range.count + 1);
    ALLOC(ctx, GSOLVE_HOST, f->G.member, members);
    f->G.Q = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)members, f->rows);
    TRY(f->to && f->from && f->G.Q ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_dense_new(&f->B, ctx, GSOLVE_HOST, B.type, members * L->block, B.ncols));
    TRY(gs_dense_new(coarse, ctx, GSOLVE_HOST, B.type, sa->range.count * B.ncols, B.ncols));
done:
    return status;
}

/* --- rows of nodes ---------------------------------------------------------------------------- */

/* row = the rows of node I of B, one after the other. */
static void read_rows(gsolve_dense B, int32_t block, int64_t I, void *row)
{
    for (int32_t r = 0; r < block; r++) {
        for (int32_t c = 0; c < B.ncols; c++) {
            gs_put_value(row, B.type, r * B.ncols + c, gs_element(B, I * block + r, c));
        }
    }
}

static void write_rows(gsolve_dense B, int32_t block, int64_t I, const void *row)
{
    const gsolve_dense from = {.value = (void *)(uintptr_t)row, .type = B.type};

    for (int32_t r = 0; r < block; r++) {
        for (int32_t c = 0; c < B.ncols; c++) {
            gs_set_element(B, I * block + r, c, gs_element(from, r * B.ncols + c, 0));
        }
    }
}

/* Writes the messages and f->sent: the nodes in aggregates of other ranks. */
static void write_members(factoring *f, const gs_rank_aggregates *sa, const gs_node_rows *L,
                          int own_rank, gsolve_dense B)
{
    int64_t *next = f->out.first; /* shifted by one message while it counts */

    for (int m = f->out.count; m > 0; m--) next[m] = next[m - 1];
    for (int32_t I = 0; I < L->nodes.count; I++) {
        const int r = rank_of(f, sa, L, I);
        int m = 0;
        if (r < 0 || r == own_rank) continue;
        while (f->out.rank[m] != r) m++;
        const int64_t at = next[m + 1]++;
        char *to = f->to + (size_t)at * f->width;
        const member head = {gs_column_global(&sa->map, sa->G.of[L->map.below + I])};
        f->sent[at] = I;
        memset(to, 0, f->width);
        memcpy(to, &head, sizeof head);
        read_rows(B, L->block, I, to + sizeof head);
    }
}

/* Copies the received members from message `from` on to the members from `to` on. */
static void read_members(factoring *f, const gs_rank_aggregates *sa, int64_t from, int32_t count,
                         int32_t to)
{
    for (int32_t i = 0; i < count; i++) {
        const char *at = f->from + (size_t)(from + i) * f->width;
        member head;
        memcpy(&head, at, sizeof head);
        f->G.of[to + i] = (int32_t)(head.aggregate - sa->range.first);
        write_rows(f->B, f->G.block, to + i, at + sizeof head);
    }
}

/* All members in the order of their nodes: lower ranks have lower nodes. */
static void collect_members(factoring *f, const gs_rank_aggregates *sa, const gs_node_rows *L,
                            int own_rank, gsolve_dense B)
{
    const int32_t in = (int32_t)gs_message_side_size(&f->in);
    int32_t at = f->before;

    read_members(f, sa, 0, f->before, 0);
    for (int32_t I = 0; I < L->nodes.count; I++) {
        if (rank_of(f, sa, L, I) != own_rank) continue;
        f->G.of[at] = sa->G.of[L->map.below + I] - sa->map.below;
        for (int32_t r = 0; r < L->block; r++) {
            for (int32_t c = 0; c < B.ncols; c++) {
                gs_set_element(f->B, (int64_t)at * L->block + r, c,
                               gs_element(B, (int64_t)I * L->block + r, c));
            }
        }
        at++;
    }
    read_members(f, sa, f->before, in - f->before, at);
}

/* --- the factor ------------------------------------------------------------------------------- */

/* Sends the rows of Q of other ranks' nodes back, and sets those of this rank's nodes. */
static gsolve_status distribute(factoring *f, gs_rank_aggregates *sa, gsolve_context *ctx,
                                const gs_node_rows *L)
{
    const char *Q = f->G.Q;
    const int64_t in = gs_message_side_size(&f->in);
    char *own = (char *)sa->Q + (size_t)L->map.below * f->rows;
    const char *at = Q + (size_t)f->before * f->rows;
    gsolve_status status;

    if (f->before > 0) memcpy(f->from, Q, (size_t)f->before * f->rows);
    if (in > f->before) {
        memcpy(f->from + (size_t)f->before * f->rows, at + (size_t)f->own * f->rows,
               (size_t)(in - f->before) * f->rows);
    }
    TRY(gs_message_sides_exchange(ctx, f->rows, &f->in, f->from, &f->out, f->to));
    if (L->nodes.count > 0) memset(own, 0, (size_t)L->nodes.count * f->rows);
    for (int32_t I = 0; I < L->nodes.count; I++) {
        if (rank_of(f, sa, L, I) != ctx->comm->rank) continue;
        memcpy(own + (size_t)I * f->rows, at, f->rows);
        at += f->rows;
    }
    for (int64_t k = 0; k < gs_message_side_size(&f->out); k++) {
        memcpy(own + (size_t)f->sent[k] * f->rows, f->to + (size_t)k * f->rows, f->rows);
    }
done:
    return status;
}

static gsolve_status factor(gs_rank_aggregates *sa, gsolve_context *ctx, const gs_node_rows *L,
                            gsolve_dense B, gsolve_dense *coarse)
{
    const gs_aggregates *G;
    factoring f = {.before = 0};
    gsolve_status status;

    TRY(plan(&f, ctx, sa, L));
    TRY(gs_comm_check(ctx->comm, allocate(&f, ctx, sa, L, B, coarse)));
    G = &f.G;
    write_members(&f, sa, L, ctx->comm->rank, B);
    TRY(gs_message_sides_exchange(ctx, f.width, &f.out, f.to, &f.in, f.from));
    collect_members(&f, sa, L, ctx->comm->rank, B);
    TRY(GS_KERNELS(gs_aggregate, ctx, B.type)
            ->list(ctx, G->nodes, G->of, G->count, G->start, G->member));
    TRY(GS_KERNELS(gs_tentative, ctx, B.type)->factor(ctx, f.B.nrows, G, f.B, *coarse));
    TRY(distribute(&f, sa, ctx, L));
done:
    drop(&f, ctx);
    return status;
}

/* One near-null vector is Q itself. Local. */
static gsolve_status copy_vector(gs_rank_aggregates *sa, gsolve_context *ctx, const gs_node_rows *L,
                                 gsolve_dense B, gsolve_dense *coarse)
{
    const size_t size = gs_type_size(B.type);
    gsolve_status status;

    TRY(gs_dense_new(coarse, ctx, GSOLVE_HOST, B.type, sa->range.count, 1));
    for (int32_t g = 0; g < sa->range.count; g++) gs_set_element(*coarse, g, 0, 1);
    if (L->count > 0) {
        memcpy((char *)sa->Q + (size_t)L->first * size, B.value, (size_t)L->count * size);
    }
done:
    return status;
}

gsolve_status gs_tentative_over_ranks(gs_rank_aggregates *sa, gsolve_context *ctx, gs_node_rows *L,
                                      gsolve_dense B, gsolve_dense *coarse)
{
    const size_t width = (size_t)L->block * (size_t)B.ncols * gs_type_size(B.type);
    gsolve_status status;

    sa->G.k = B.ncols;
    sa->Q = sa->G.Q = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)L->all, width);
    TRY(gs_comm_check(ctx->comm, sa->Q ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    if (B.ncols == 1) {
        TRY(gs_comm_check(ctx->comm, copy_vector(sa, ctx, L, B, coarse)));
    } else {
        TRY(factor(sa, ctx, L, B, coarse));
    }
    TRY(gs_node_rows_reserve(L, ctx, width));
    TRY(gs_node_rows_exchange(L, ctx, width, sa->Q));
done:
    return status;
}
