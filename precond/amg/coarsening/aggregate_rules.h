/* aggregate_rules.h: what decides about aggregates, the same on every device: a maximal set of
 * nodes of which no two are closer than three connections, or four (Kelley and Rajamanickam,
 * Parallel, portable algorithms for distance-2 maximal independent set and graph coarsening, IPDPS
 * 2022: each round draws new priorities, so that few rounds do). SMALL: what a function of this
 * device is declared with. */
#ifndef GS_PRECOND_AMG_COARSENING_AGGREGATE_RULES_H
#define GS_PRECOND_AMG_COARSENING_AGGREGATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* What a node is: a root, none, or undecided with a priority, of which the least wins. */
#define GS_ROOT    0u
#define GS_NO_ROOT UINT32_MAX

/* What a node has min1 that saw a root, or only nodes which are none: either for good. The latter
 * happens where connections go one way only. */
#define GS_NEAR_ROOT UINT32_MAX
#define GS_NEAR_NONE (UINT32_MAX - 1)

/* Where neighbours of a node are no neighbours of each other, as on a grid of 7 points, stars do
 * not pack well: greedy aggregates grow to cubes by the nodes with two neighbours inside, and roots
 * in rounds are kept a connection further apart; half the entries on the next level for some more
 * iterations. On a grid of 5 points that does not pay. Of all degrees, and the nodes that have
 * any. */
#define GS_MIN_GROWING_DEGREE 4.5 /* mean degree */
#define GS_MAX_GROWING_DEGREE 6.5

SMALL bool gs_aggregates_grow(int64_t degrees, int64_t connected)
{
    return (double)degrees > GS_MIN_GROWING_DEGREE * (double)connected &&
           (double)degrees < GS_MAX_GROWING_DEGREE * (double)connected;
}

/* Bits that number n nodes from 1, with room above. */
SMALL int gs_bits_of_nodes(int32_t n)
{
    int bits = 1;

    while (bits < 31 && ((uint32_t)n + 2) >> bits) bits++;
    return bits;
}

/* A bijection of 32 bits in each round. */
SMALL uint32_t gs_random_bijection(uint32_t round, uint32_t x)
{
    x = x * 0x9e3779b9u + round * 0x85ebca6bu + 0x165667b1u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* How priorities of n nodes are made distinct: by the number of the node in so many low bits, which
 * leaves the others to the draw. 0: by the draw alone, where those would be too few. */
#define GS_MANY_NODES (1 << 26)
SMALL int gs_bits_of_priorities(int32_t n)
{
    return n < GS_MANY_NODES ? gs_bits_of_nodes(n) : 0;
}

/* An undecided node's priority in a round, distinct from those of all others. Where the draw is one
 * of the reserved states, its own draw takes its place: no number of a node, from 1 on, is one of
 * them, so that no other node has that. */
SMALL uint32_t gs_priority(uint32_t round, int32_t node, int bits)
{
    uint32_t x = (uint32_t)node + 1;

    if (bits > 0) return gs_random_bijection(round, (uint32_t)node) << bits | x;
    do {
        x = gs_random_bijection(round, x);
    } while (x == GS_ROOT || x >= GS_NEAR_NONE);
    return x;
}

/* The least of a node's own state and its neighbours', or what it has min1 for good. */
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

/* The same one connection further: of what a node and its neighbours have min1. */
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

/* What an undecided node becomes that has min1 own_min, and its neighbours min1[J]: none where one
 * of them saw a root; a root where it is the least of all; else it remains as it is. */
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

/* The aggregate of a root next to a node, -1: none is. number[J]: that of root J. */
SMALL int32_t gs_adjacent_root(int32_t degree, const int32_t *neighbour, const uint32_t *state,
                               const int32_t *number)
{
    for (int32_t e = 0; e < degree; e++) {
        if (state[neighbour[e]] == GS_ROOT) return number[neighbour[e]];
    }
    return -1;
}

/* The aggregate that most of a node's neighbours are in, of equal ones the first, of[J] being
 * theirs, -1 none; the first GS_MAX_VOTERS neighbours are asked. */
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

#endif
