/* pairwise_rules.h: how groups of nodes choose each other, the same on every device. The connection
 * of two groups is the sum of the connections of their nodes. SMALL: the storage class of these
 * functions in the including file. */
#ifndef GS_PRECOND_AMG_COARSENING_PAIRWISE_RULES_H
#define GS_PRECOND_AMG_COARSENING_PAIRWISE_RULES_H

#include "precond/amg/coarsening/steps.h"

#define GS_MAX_ADJACENT_GROUPS \
    48 /* adjacent groups that a group considers, the first ones in its rows */
#define GS_PAIRING_ROUNDS \
    12 /* rounds of choosing; a group without a mate after them stays single */

#define GS_UNPAIRED (-1) /* values of mate: no mate yet; excluded from pairing */
#define GS_EXCLUDED (-2)

/* The weight of the connection of unknowns i and j with the diagonals d_i and d_j; 0 if it is not
 * negative. */
SMALL float gs_weight(double a_ij, double a_ji, double d_i, double d_j)
{
    const double w = (a_ij + a_ji) / 2;

    if ((d_i > 0) != (d_j > 0) || (d_i > 0 ? w >= 0 : w <= 0)) return 0;
    return (float)(d_i > 0 ? -w : w);
}

SMALL int64_t gs_pairing_start(const gs_pairing *p, int32_t row)
{
    return p->wide ? ((const int64_t *)p->start)[row] : (int64_t)((const int32_t *)p->start)[row];
}

/* --- adjacent groups -------------------------------------------------------------------------- */

typedef struct gs_adjacent_groups {
    int32_t count, group[GS_MAX_ADJACENT_GROUPS];
    double weight[GS_MAX_ADJACENT_GROUPS];
} gs_adjacent_groups;

SMALL void gs_add_adjacent_group(gs_adjacent_groups *adjacent, int32_t group, double weight)
{
    int32_t e = 0;

    while (e < adjacent->count && adjacent->group[e] != group) e++;
    if (e == GS_MAX_ADJACENT_GROUPS) return;
    if (e == adjacent->count) {
        adjacent->group[e] = group;
        adjacent->weight[e] = 0;
        adjacent->count++;
    }
    adjacent->weight[e] += weight;
}

/* Finds the groups adjacent to g and the weights of the connections. Excluded nodes are in no
 * group; rows refer to them only if A's pattern is not symmetric. */
SMALL void gs_find_adjacent_groups(const gs_pairing *p, int32_t g, gs_adjacent_groups *adjacent)
{
    adjacent->count = 0;
    for (int32_t m = 0; m < p->capacity; m++) {
        const int32_t I = p->member[(int64_t)g * p->capacity + m];
        if (I < 0) break;
        const int64_t end = gs_pairing_start(p, (I + 1) * p->block);
        for (int64_t k = gs_pairing_start(p, I * p->block); k < end; k++) {
            const int32_t h = p->of[p->col[k] / p->block];
            if (p->weight[k] > 0 && h >= 0 && h != g)
                gs_add_adjacent_group(adjacent, h, (double)p->weight[k]);
        }
    }
}

/* A pseudo-random number of a pair of groups, the same for both. It decides between connections of
 * equal weight. */
SMALL uint64_t gs_pair_hash(int32_t g, int32_t h)
{
    const uint64_t low = (uint64_t)(uint32_t)(g < h ? g : h);
    uint64_t x = low << 32 | (uint64_t)(uint32_t)(g < h ? h : g);

    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* Whether h with weight w is a better choice for g than best with weight most. */
SMALL bool gs_is_better(int32_t g, int32_t h, double w, int32_t best, double most)
{
    return w > most || (w == most && gs_pair_hash(g, h) < gs_pair_hash(g, best));
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Sets strongest[g]. A node without connections is excluded. */
SMALL void gs_begin_pairing(const gs_pairing *p, int32_t g)
{
    gs_adjacent_groups adjacent;
    double most = 0;

    gs_find_adjacent_groups(p, g, &adjacent);
    for (int32_t e = 0; e < adjacent.count; e++)
        most = adjacent.weight[e] > most ? adjacent.weight[e] : most;
    p->strongest[g] = most;
    p->choice[g] = -1;
    p->mate[g] = most > 0 || p->capacity > 1 ? GS_UNPAIRED : GS_EXCLUDED;
}

/* choice[g] = the unpaired group with the strongest connection to g; -1: none. An earlier choice
 * stays while it is unpaired. */
SMALL void gs_choose_mate(const gs_pairing *p, int32_t g)
{
    gs_adjacent_groups adjacent;
    int32_t best = -1;
    double most = 0;

    if (p->mate[g] != GS_UNPAIRED) return;
    if (p->choice[g] >= 0 && p->mate[p->choice[g]] == GS_UNPAIRED) return;
    gs_find_adjacent_groups(p, g, &adjacent);
    for (int32_t e = 0; e < adjacent.count; e++) {
        const int32_t h = adjacent.group[e];
        const double w = adjacent.weight[e], own = p->strongest[g], other = p->strongest[h];
        if (p->mate[h] != GS_UNPAIRED || w < p->strength * (own < other ? own : other)) continue;
        if (!gs_is_better(g, h, w, best, most)) continue;
        most = w;
        best = h;
    }
    p->choice[g] = best;
}

/* Pairs g with its choice if both have chosen each other. */
SMALL void gs_confirm_mate(const gs_pairing *p, int32_t g)
{
    const int32_t h = p->choice[g];

    if (p->mate[g] == GS_UNPAIRED && h >= 0 && p->choice[h] == g) p->mate[g] = h;
}

/* --- merging groups --------------------------------------------------------------------------- */

/* Whether g gives its number to the merged group: it is single, or the first of its pair. */
SMALL bool gs_is_leader(const gs_pairing *p, int32_t g)
{
    return p->mate[g] == GS_UNPAIRED || p->mate[g] > g;
}

/* If g is a leader: writes its nodes and those of its mate to group number[g] of merged, and of[I]
 * for each. of[I] = -1 for an excluded node. No two groups write the same element. */
SMALL void gs_merge_groups(const gs_pairing *p, int32_t g)
{
    const int32_t *one = p->member + (int64_t)g * p->capacity;
    int32_t *both = p->merged + (int64_t)p->number[g] * 2 * p->capacity, count = 0;

    if (p->mate[g] == GS_EXCLUDED) p->of[one[0]] = -1;
    if (!gs_is_leader(p, g)) return;
    for (int32_t m = 0; m < p->capacity && one[m] >= 0; m++) both[count++] = one[m];
    if (p->mate[g] >= 0) {
        const int32_t *other = p->member + (int64_t)p->mate[g] * p->capacity;
        for (int32_t m = 0; m < p->capacity && other[m] >= 0; m++) both[count++] = other[m];
    }
    for (int32_t m = 0; m < count; m++) p->of[both[m]] = p->number[g];
    for (int32_t m = count; m < 2 * p->capacity; m++) both[m] = -1;
}

SMALL bool gs_is_singleton(const gs_pairing *p, int32_t g)
{
    return p->member[(int64_t)g * p->capacity + 1] < 0;
}

/* After the last pairing, with capacity > 1: choice[g] = the group of several nodes with the
 * strongest connection to the single node g, which joins it; -1: g stays. Without this, single
 * nodes would make up most of a coarse level. */
SMALL void gs_choose_host(const gs_pairing *p, int32_t g)
{
    gs_adjacent_groups adjacent;
    int32_t best = -1;
    double most = 0;

    adjacent.count = 0;
    if (gs_is_singleton(p, g)) gs_find_adjacent_groups(p, g, &adjacent);
    for (int32_t e = 0; e < adjacent.count; e++) {
        const int32_t h = adjacent.group[e];
        if (gs_is_singleton(p, h) || !gs_is_better(g, h, adjacent.weight[e], best, most)) continue;
        most = adjacent.weight[e];
        best = h;
    }
    p->choice[g] = best;
}

/* of[I] = the final number of the group of each node of g. number: of the groups that remain. */
SMALL void gs_renumber_nodes(const gs_pairing *p, int32_t g)
{
    const int32_t host = p->choice[g] >= 0 ? p->choice[g] : g;

    for (int32_t m = 0; m < p->capacity; m++) {
        const int32_t I = p->member[(int64_t)g * p->capacity + m];
        if (I >= 0) p->of[I] = p->number[host];
    }
}

SMALL void gs_do_pairing_step(gs_pairing_step step, const gs_pairing *p, int32_t g)
{
    if (step == GS_SINGLE_NODES) p->of[g] = p->member[g] = g;
    if (step == GS_BEGIN_PAIRING) gs_begin_pairing(p, g);
    if (step == GS_CHOOSE_MATE) gs_choose_mate(p, g);
    if (step == GS_CONFIRM_MATE) gs_confirm_mate(p, g);
    if (step == GS_MARK_LEADERS) p->number[g] = g < p->groups && gs_is_leader(p, g);
    if (step == GS_MERGE_GROUPS) gs_merge_groups(p, g);
    if (step == GS_CHOOSE_HOST) gs_choose_host(p, g);
    if (step == GS_MARK_HOSTS) p->number[g] = g < p->groups && p->choice[g] < 0;
    if (step == GS_RENUMBER_NODES) gs_renumber_nodes(p, g);
}

#endif
