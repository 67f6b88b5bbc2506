/* pairwise_rules.h: how groups of nodes choose each other, the same on every device. What connects
 * two groups is the sum of what connects their nodes. SMALL: what a function of this device is
 * declared with. */
#ifndef GS_PRECOND_AMG_COARSENING_PAIRWISE_RULES_H
#define GS_PRECOND_AMG_COARSENING_PAIRWISE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#define GS_GROUPS_NEAR    48 /* that a group looks at, the first by its rows */
#define GS_PAIRING_ROUNDS 12 /* of choosing; who is alone then stays so */

#define GS_ALONE    (-1) /* mates of groups: none yet, and never */
#define GS_NO_GROUP (-2)

/* What connects unknowns i and j of equal kind, d their diagonals; 0: nothing negative does. */
SMALL float gs_weight(double a_ij, double a_ji, double d_i, double d_j)
{
    const double w = (a_ij + a_ji) / 2;

    if ((d_i > 0) != (d_j > 0) || (d_i > 0 ? w >= 0 : w <= 0)) return 0;
    return (float)(d_i > 0 ? -w : w);
}

/* Groups at a stage of pairing. */
typedef struct gs_pairing {
    const void *start; /* A's */
    bool wide;         /* 64-bit offsets */
    const int32_t *col;
    const float *weight; /* of A's entries, by gs_weight */
    int32_t block;
    int32_t groups, room;  /* room: nodes a group can have */
    const int32_t *member; /* groups x room, -1: no more */
    const int32_t *of;     /* the group of each node, -1: it is out of the game */
    double *strongest;     /* of each group's connections */
    int32_t *choice, *mate;
    double strength; /* share of either end's strongest that a connection must have */
} gs_pairing;

SMALL int64_t gs_pairing_start(const gs_pairing *p, int32_t row)
{
    return p->wide ? ((const int64_t *)p->start)[row] : (int64_t)((const int32_t *)p->start)[row];
}

/* --- what a group is connected to ------------------------------------------------------------- */

typedef struct gs_groups_near {
    int32_t count, group[GS_GROUPS_NEAR];
    double weight[GS_GROUPS_NEAR];
} gs_groups_near;

SMALL void gs_add_near(gs_groups_near *near, int32_t group, double weight)
{
    int32_t e = 0;

    while (e < near->count && near->group[e] != group) e++;
    if (e == GS_GROUPS_NEAR) return;
    if (e == near->count) {
        near->group[e] = group;
        near->weight[e] = 0;
        near->count++;
    }
    near->weight[e] += weight;
}

/* Nodes that are out of the game are in no group: only where A's pattern is not symmetric does a
 * row name one. */
SMALL void gs_find_near(const gs_pairing *p, int32_t g, gs_groups_near *near)
{
    near->count = 0;
    for (int32_t m = 0; m < p->room; m++) {
        const int32_t I = p->member[(int64_t)g * p->room + m];
        if (I < 0) break;
        const int64_t end = gs_pairing_start(p, (I + 1) * p->block);
        for (int64_t k = gs_pairing_start(p, I * p->block); k < end; k++) {
            const int32_t h = p->of[p->col[k] / p->block];
            if (p->weight[k] > 0 && h >= 0 && h != g) gs_add_near(near, h, (double)p->weight[k]);
        }
    }
}

/* A number that both ends of a connection draw alike, which decides between equals. */
SMALL uint64_t gs_draw_of_pair(int32_t g, int32_t h)
{
    const uint64_t low = (uint64_t)(uint32_t)(g < h ? g : h);
    uint64_t x = low << 32 | (uint64_t)(uint32_t)(g < h ? h : g);

    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* Whether w and h are a better choice for g than the best so far. */
SMALL bool gs_is_better(int32_t g, int32_t h, double w, int32_t best, double most)
{
    return w > most || (w == most && gs_draw_of_pair(g, h) < gs_draw_of_pair(g, best));
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* strongest[g]; a node without connections is out of the game. */
SMALL void gs_begin_pairing(const gs_pairing *p, int32_t g)
{
    gs_groups_near near;
    double most = 0;

    gs_find_near(p, g, &near);
    for (int32_t e = 0; e < near.count; e++) most = near.weight[e] > most ? near.weight[e] : most;
    p->strongest[g] = most;
    p->choice[g] = -1;
    p->mate[g] = most > 0 || p->room > 1 ? GS_ALONE : GS_NO_GROUP;
}

/* choice[g] = the free group that it is most strongly connected to, unless that was chosen already
 * and still is free; -1: none. */
SMALL void gs_choose_mate(const gs_pairing *p, int32_t g)
{
    gs_groups_near near;
    int32_t best = -1;
    double most = 0;

    if (p->mate[g] != GS_ALONE) return;
    if (p->choice[g] >= 0 && p->mate[p->choice[g]] == GS_ALONE) return;
    gs_find_near(p, g, &near);
    for (int32_t e = 0; e < near.count; e++) {
        const int32_t h = near.group[e];
        const double w = near.weight[e], own = p->strongest[g], other = p->strongest[h];
        if (p->mate[h] != GS_ALONE || w < p->strength * (own < other ? own : other)) continue;
        if (!gs_is_better(g, h, w, best, most)) continue;
        most = w;
        best = h;
    }
    p->choice[g] = best;
}

/* mate[g] where both have chosen each other. */
SMALL void gs_meet_mate(const gs_pairing *p, int32_t g)
{
    const int32_t h = p->choice[g];

    if (p->mate[g] == GS_ALONE && h >= 0 && p->choice[h] == g) p->mate[g] = h;
}

/* --- what becomes of groups ------------------------------------------------------------------- */

/* Whether g gives its number to what becomes of it. */
SMALL bool gs_leads(const gs_pairing *p, int32_t g)
{
    return p->mate[g] == GS_ALONE || p->mate[g] > g;
}

/* The nodes of g, if it leads, and its mate's: those of group number in a table with twice the
 * room; of[I] = number for each. A node that is out of the game gets of[I] = -1. */
SMALL void gs_unite(const gs_pairing *p, int32_t g, int32_t number, int32_t *member, int32_t *of)
{
    const int32_t *one = p->member + (int64_t)g * p->room;
    int32_t *both = member + (int64_t)number * 2 * p->room, count = 0;

    if (p->mate[g] == GS_NO_GROUP) of[one[0]] = -1;
    if (!gs_leads(p, g)) return;
    for (int32_t m = 0; m < p->room && one[m] >= 0; m++) both[count++] = one[m];
    if (p->mate[g] >= 0) {
        const int32_t *other = p->member + (int64_t)p->mate[g] * p->room;
        for (int32_t m = 0; m < p->room && other[m] >= 0; m++) both[count++] = other[m];
    }
    for (int32_t m = 0; m < count; m++) of[both[m]] = number;
    for (int32_t m = count; m < 2 * p->room; m++) both[m] = -1;
}

SMALL bool gs_is_lone(const gs_pairing *p, int32_t g)
{
    return p->member[(int64_t)g * p->room + 1] < 0;
}

/* At the end, where room > 1: choice[g] = the group of several that a lone node is most strongly
 * connected to, which takes it: else such nodes would be most of a coarse level in the end. -1: g
 * stays. */
SMALL void gs_choose_host(const gs_pairing *p, int32_t g)
{
    gs_groups_near near;
    int32_t best = -1;
    double most = 0;

    near.count = 0;
    if (gs_is_lone(p, g)) gs_find_near(p, g, &near);
    for (int32_t e = 0; e < near.count; e++) {
        const int32_t h = near.group[e];
        if (gs_is_lone(p, h) || !gs_is_better(g, h, near.weight[e], best, most)) continue;
        most = near.weight[e];
        best = h;
    }
    p->choice[g] = best;
}

/* of[I] of all nodes of g; number: of the groups that stay. */
SMALL void gs_finish_pair(const gs_pairing *p, int32_t g, const int32_t *number, int32_t *of)
{
    const int32_t host = p->choice[g] >= 0 ? p->choice[g] : g;

    for (int32_t m = 0; m < p->room; m++) {
        const int32_t I = p->member[(int64_t)g * p->room + m];
        if (I >= 0) of[I] = number[host];
    }
}

#endif
