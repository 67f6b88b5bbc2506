/* pairwise_host.c: pairwise aggregation on the CPU. */
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"

#define SMALL static inline
#include "precond/amg/coarsening/pairwise_rules.h"
#include "precond/diagonal.h"

typedef struct stage { /* arrays of one pairing */
    double *strongest;
    int32_t *choice, *mate, *member;
} stage;

static void drop(stage *s, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, s->strongest);
    gsolve_free(ctx, GSOLVE_HOST, s->choice);
    gsolve_free(ctx, GSOLVE_HOST, s->mate);
    gsolve_free(ctx, GSOLVE_HOST, s->member);
}

static void choose(gsolve_context *ctx, const gs_pairing *p)
{
    const int threads = gsolve_threads(ctx);

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t g = 0; g < p->groups; g++) gs_begin_pairing(p, g);
    for (int round = 0; round < GS_PAIRING_ROUNDS; round++) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t g = 0; g < p->groups; g++) gs_choose_mate(p, g);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int32_t g = 0; g < p->groups; g++) gs_confirm_mate(p, g);
    }
}

/* choice = the numbers of the merged groups. Returns how many there are. */
static int32_t number_leaders(const gs_pairing *p)
{
    int32_t count = 0;

    for (int32_t g = 0; g < p->groups; g++) {
        p->choice[g] = count;
        count += gs_is_leader(p, g);
    }
    return count;
}

/* Single nodes join groups; mate = the numbers of the groups that remain. Returns how many there
 * are. */
static int32_t join_singletons(gsolve_context *ctx, const gs_pairing *p, int32_t *of)
{
    int32_t count = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t g = 0; g < p->groups; g++) gs_choose_host(p, g);
    for (int32_t g = 0; g < p->groups; g++) {
        p->mate[g] = count;
        count += p->choice[g] < 0;
    }
    for (int32_t g = 0; g < p->groups; g++) gs_renumber_nodes(p, g, p->mate, of);
    return count;
}

static gsolve_status pair_groups(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                 double strength, int pairings, const float *weight, int32_t *of,
                                 int32_t *count)
{
    const int32_t nodes = A->nrows / block;
    gs_pairing p = {.start = A->start,
                    .wide = A->offset == GSOLVE_O64,
                    .col = A->col,
                    .weight = weight,
                    .block = block,
                    .groups = nodes,
                    .capacity = 1,
                    .of = of,
                    .strength = strength};
    stage s = {0};
    int32_t *member = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s.strongest, nodes);
    ALLOC(ctx, GSOLVE_HOST, s.choice, nodes);
    ALLOC(ctx, GSOLVE_HOST, s.mate, nodes);
    ALLOC(ctx, GSOLVE_HOST, s.member, nodes);
    for (int32_t I = 0; I < nodes; I++) of[I] = s.member[I] = I;
    p.strongest = s.strongest;
    p.choice = s.choice;
    p.mate = s.mate;
    for (int pairing = 0; pairing < pairings; pairing++) {
        p.member = s.member;
        choose(ctx, &p);
        *count = number_leaders(&p);
        ALLOC(ctx, GSOLVE_HOST, member, (size_t)*count * 2 * (size_t)p.capacity);
        for (int32_t g = 0; g < p.groups; g++) gs_merge_groups(&p, g, p.choice[g], member, of);
        gsolve_free(ctx, GSOLVE_HOST, s.member);
        s.member = member;
        p.groups = *count;
        p.capacity *= 2;
    }
    p.member = s.member;
    *count = join_singletons(ctx, &p, of);
done:
    drop(&s, ctx);
    return status;
}

#define GS_BODY "precond/amg/coarsening/pairwise_body.h"
#include "core/each_type.h"

const gs_pairwise_kernels gs_pairwise_host[GSOLVE_TYPE_COUNT] = {{aggregate_f32}, {aggregate_f64}};
