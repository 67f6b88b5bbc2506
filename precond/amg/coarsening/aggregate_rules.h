/* aggregate_rules.h: the rules of aggregation, the same on every device. The roots are a maximal
 * set of nodes no two of which are closer than three connections, or four (Kelley and Rajamanickam,
 * Parallel, portable algorithms for distance-2 maximal independent set and graph coarsening, IPDPS
 * 2022). Each round draws new priorities, so that few rounds suffice. SMALL: the storage class of
 * these functions in the including file. */
#ifndef GS_PRECOND_AMG_COARSENING_AGGREGATE_RULES_H
#define GS_PRECOND_AMG_COARSENING_AGGREGATE_RULES_H

#include "precond/amg/coarsening/steps.h"

/* --- strong connections ----------------------------------------------------------------------- */

/* Vanek's rule, or this one: the connection is strong compared with the largest connections of both
 * nodes. It is for rows with many equal neighbours, such as the 26 of trilinear elements, which are
 * all small beside the diagonal. A node without a diagonal has no strong connections. */
#define GS_LARGEST_FACTOR 4

SMALL bool gs_is_strong(double square, double strength, gs_node_norms I, gs_node_norms J)
{
    const double largest = I.largest > J.largest ? I.largest : J.largest;
    const double part = GS_LARGEST_FACTOR * strength * largest;

    if (!(I.diagonal > 0 && J.diagonal > 0)) return false;
    return square > strength * strength * I.diagonal * J.diagonal ||
           (square > part * part && square > 0);
}

/* --- roots ------------------------------------------------------------------------------------ */

/* The state of a node: a root, not a root, or undecided with a priority. The smallest priority
 * wins. */
#define GS_ROOT    0u
#define GS_NO_ROOT UINT32_MAX

/* min1 of a node is the smallest state of the node and its neighbours. Two values are final: a root
 * is among them, or all are decided and none is a root. The latter happens only if connections are
 * not symmetric. */
#define GS_NEAR_ROOT UINT32_MAX
#define GS_NEAR_NONE (UINT32_MAX - 1)

/* If the neighbours of a node are not neighbours of each other, as on a grid with 7 points, an
 * aggregate of a node and its neighbours is a star, and stars do not fill space well. Then greedy
 * aggregates grow by the nodes with two neighbours inside, to cubes, and the roots of mis2 are four
 * connections apart instead of three. The next level has half the entries, for slightly more
 * iterations. On a grid with 5 points this does not pay. degrees: sum over all nodes. connected:
 * nodes with a neighbour. */
#define GS_MIN_GROWING_DEGREE 4.5 /* mean degree */
#define GS_MAX_GROWING_DEGREE 6.5

SMALL bool gs_aggregates_grow(int64_t degrees, int64_t connected)
{
    return (double)degrees > GS_MIN_GROWING_DEGREE * (double)connected &&
           (double)degrees < GS_MAX_GROWING_DEGREE * (double)connected;
}

/* The number of bits for the numbers 1 to n, and one larger number. */
SMALL int gs_bits_of_nodes(int32_t n)
{
    int bits = 1;

    while (bits < 31 && ((uint32_t)n + 2) >> bits) bits++;
    return bits;
}

/* A pseudo-random bijection of 32-bit numbers for each round. */
SMALL uint32_t gs_random_bijection(uint32_t round, uint32_t x)
{
    x = x * 0x9e3779b9u + round * 0x85ebca6bu + 0x165667b1u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The number of low bits of a priority that hold the node's number, which makes priorities
 * distinct; the other bits are random. 0: too few bits would be left, and the whole priority is a
 * bijection of the number. */
#define GS_MANY_NODES (1 << 26)
SMALL int gs_bits_of_priorities(int32_t n)
{
    return n < GS_MANY_NODES ? gs_bits_of_nodes(n) : 0;
}

/* The priority of an undecided node in a round, distinct from all others. If the bijection gives a
 * reserved state, it is applied again: the numbers of nodes, from 1 on, are no reserved states, so
 * that no other node gets the same. */
SMALL uint32_t gs_priority(uint32_t round, int32_t node, int bits)
{
    uint32_t x = (uint32_t)node + 1;

    if (bits > 0) return gs_random_bijection(round, (uint32_t)node) << bits | x;
    do {
        x = gs_random_bijection(round, x);
    } while (x == GS_ROOT || x >= GS_NEAR_NONE);
    return x;
}

/* min1: the smallest state of a node and its neighbours, or a final value. */
SMALL uint32_t gs_min_of_states(int32_t degree, const int32_t *neighbour, const uint32_t *state,
                                uint32_t own)
{
    uint32_t least = own;

    for (int32_t e = 0; e < degree; e++) {
        const uint32_t s = state[neighbour[e]];
        least = s < least ? s : least;
    }
    return least == GS_ROOT ? GS_NEAR_ROOT : least == GS_NO_ROOT ? GS_NEAR_NONE : least;
}

/* min2: the smallest min1 of a node and its neighbours. */
SMALL uint32_t gs_min_of_minima(int32_t degree, const int32_t *neighbour, const uint32_t *min1,
                                uint32_t own)
{
    uint32_t least = own;
    bool near_root = own == GS_NEAR_ROOT;

    for (int32_t e = 0; e < degree; e++) {
        const uint32_t s = min1[neighbour[e]];
        near_root |= s == GS_NEAR_ROOT;
        least = s < least ? s : least;
    }
    return near_root ? GS_NEAR_ROOT : least;
}

/* The new state of an undecided node from its own minimum and those of its neighbours. Not a root
 * if one of them is next to a root; a root if its priority is the smallest; else unchanged. */
SMALL uint32_t gs_decide_state(int32_t degree, const int32_t *neighbour, const uint32_t *min1,
                               uint32_t own_min, uint32_t own)
{
    uint32_t least = own_min;
    bool near_root = own_min == GS_NEAR_ROOT;

    for (int32_t e = 0; e < degree; e++) {
        const uint32_t s = min1[neighbour[e]];
        near_root |= s == GS_NEAR_ROOT;
        least = s < least ? s : least;
    }
    return near_root ? GS_NO_ROOT : least == own ? GS_ROOT : own;
}

/* The aggregate of a root next to a node; -1: none. number[J]: the aggregate of root J. */
SMALL int32_t gs_adjacent_root(int32_t degree, const int32_t *neighbour, const uint32_t *state,
                               const int32_t *number)
{
    for (int32_t e = 0; e < degree; e++) {
        if (state[neighbour[e]] == GS_ROOT) return number[neighbour[e]];
    }
    return -1;
}

/* The aggregate with most of a node's neighbours; of equal ones the first. of[J]: the aggregate of
 * node J, -1: none. Only the first GS_MAX_VOTERS neighbours count. */
#define GS_MAX_VOTERS 64
SMALL int32_t gs_majority_aggregate(int32_t degree, const int32_t *neighbour, const int32_t *of)
{
    const int32_t asked = degree < GS_MAX_VOTERS ? degree : GS_MAX_VOTERS;
    int32_t best = -1, most = 0;

    for (int32_t e = 0; e < degree && (e < asked || best < 0); e++) {
        const int32_t g = of[neighbour[e]];
        int32_t members = 1;
        if (g < 0 || g == best) continue;
        for (int32_t f = e + 1; f < asked; f++) members += of[neighbour[f]] == g;
        if (members > most) most = members, best = g;
    }
    return best;
}

/* --- steps ------------------------------------------------------------------------------------ */

SMALL const int32_t *gs_neighbours(const gs_root_search *s, int32_t I)
{
    const int64_t row = (int64_t)I * s->block;

    return s->neighbour +
           (s->wide ? ((const int64_t *)s->start)[row] : ((const int32_t *)s->start)[row]);
}

/* The priority of node I in a round. Numbers of 2^32 nodes or more wrap. */
SMALL uint32_t gs_priority_of(const gs_root_search *s, uint32_t round, int32_t I)
{
    return gs_priority(round, (int32_t)(uint32_t)(s->first + I), s->bits);
}

/* Decides node I. Returns whether it stays undecided. */
SMALL bool gs_decide_node(const gs_root_search *s, int32_t I)
{
    const uint32_t *least = s->min2 ? s->min2 : s->min1, own = s->state[I];
    uint32_t next;

    if (own == GS_ROOT || own == GS_NO_ROOT) return false;
    next = gs_decide_state(s->degree[I], gs_neighbours(s, I), least, least[I], own);
    const bool undecided = next != GS_ROOT && next != GS_NO_ROOT;
    s->state[I] = undecided ? gs_priority_of(s, s->round, I) : next;
    return undecided;
}

SMALL void gs_begin_root(const gs_root_search *s, int32_t I)
{
    s->state[I] = s->degree[I] ? gs_priority_of(s, 0, I) : GS_NO_ROOT;
    s->min1[I] = 0;
    if (s->min2) s->min2[I] = 0;
}

SMALL void gs_find_min1(const gs_root_search *s, int32_t I)
{
    if (s->min1[I] >= GS_NEAR_NONE) return;
    s->min1[I] = gs_min_of_states(s->degree[I], gs_neighbours(s, I), s->state, s->state[I]);
}

SMALL void gs_find_min2(const gs_root_search *s, int32_t I)
{
    if (s->min2[I] >= GS_NEAR_NONE) return;
    s->min2[I] = gs_min_of_minima(s->degree[I], gs_neighbours(s, I), s->min1, s->min1[I]);
}

SMALL void gs_join_root(const gs_root_search *s, int32_t I)
{
    s->joined[I] = s->state[I] == GS_ROOT
                       ? s->number[I]
                       : gs_adjacent_root(s->degree[I], gs_neighbours(s, I), s->state, s->number);
}

SMALL void gs_join_other(const gs_root_search *s, int32_t I)
{
    s->of[I] = s->joined[I] >= 0
                   ? s->joined[I]
                   : gs_majority_aggregate(s->degree[I], gs_neighbours(s, I), s->joined);
}

SMALL void gs_do_root_step(gs_root_step step, const gs_root_search *s, int32_t I)
{
    if (step == GS_BEGIN_ROOTS) gs_begin_root(s, I);
    if (step == GS_FIND_MIN1) gs_find_min1(s, I);
    if (step == GS_FIND_MIN2) gs_find_min2(s, I);
    if (step == GS_MARK_ROOTS) s->number[I] = I < s->nodes && s->state[I] == GS_ROOT;
    if (step == GS_JOIN_ROOTS) gs_join_root(s, I);
    if (step == GS_JOIN_OTHERS) gs_join_other(s, I);
}

#endif
