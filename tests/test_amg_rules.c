/* test_amg_rules.c: the rules of multigrid's set-up that the CPU and CUDA share, each by itself. */
#include "tests/common.h"

#define SMALL static inline
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"

/* --- pairs ------------------------------------------------------------------------------------ */

enum { NODES = 4, GROUPS = 2, CAPACITY = 2, BEFORE = 2 * CAPACITY };

/* Groups {1} and {2, 3} of four nodes, of which node 0 is out of the game. Row 1 names it with the
 * greatest weight. What stands before the arrays must not matter. */
typedef struct stage {
    int32_t start[NODES + 1], col[5], of[NODES];
    float weight[5];
    int32_t member[BEFORE + GROUPS * CAPACITY], choice[BEFORE + GROUPS], mate[BEFORE + GROUPS];
    double strongest[BEFORE + GROUPS];
    gs_pairing pairing;
} stage;

static void open_stage(stage *s, int before)
{
    static const int32_t start[] = {0, 0, 2, 4, 5}, col[] = {0, 2, 1, 3, 2}, of[] = {-1, 0, 1, 1};
    static const int32_t member[] = {1, -1, 2, 3};
    static const float weight[] = {3, 1, 1, 5, 5};

    memset(s, before, sizeof *s);
    memcpy(s->start, start, sizeof start);
    memcpy(s->col, col, sizeof col);
    memcpy(s->of, of, sizeof of);
    memcpy(s->weight, weight, sizeof weight);
    memcpy(s->member + BEFORE, member, sizeof member);
    s->pairing = (gs_pairing){.start = s->start,
                              .col = s->col,
                              .weight = s->weight,
                              .block = 1,
                              .groups = GROUPS,
                              .capacity = CAPACITY,
                              .member = s->member + BEFORE,
                              .of = s->of,
                              .strongest = s->strongest + BEFORE,
                              .choice = s->choice + BEFORE,
                              .mate = s->mate + BEFORE,
                              .strength = 0.25};
}

static void nodes_out_of_the_game(void **state)
{
    static const int before[] = {0, 1, 0x55, 0xff};
    (void)state;

    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
        stage s;
        open_stage(&s, before[k]);
        gs_pairing *p = &s.pairing;
        for (int32_t g = 0; g < GROUPS; g++) gs_begin_pairing(p, g);
        assert_true(p->strongest[0] == 1 && p->strongest[1] == 1);
        for (int32_t g = 0; g < GROUPS; g++) gs_choose_mate(p, g);
        assert_int_equal(p->choice[0], 1);
        assert_int_equal(p->choice[1], 0);
        for (int32_t g = 0; g < GROUPS; g++) gs_choose_host(p, g);
        assert_int_equal(p->choice[0], 1);
        assert_int_equal(p->choice[1], -1);
    }
}

/* --- priorities ------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_reserved(uint32_t priority)
{
    return priority == GS_ROOT || priority >= GS_NEAR_NONE;
}

/* How many of so many values are distinct; they are sorted. */
static size_t count_distinct(uint32_t *value, size_t count)
{
    size_t distinct = count > 0;

    qsort(value, count, sizeof *value, by_value);
    for (size_t k = 1; k < count; k++) distinct += value[k] != value[k - 1];
    return distinct;
}

enum { DRAWN = 1 << 16 }; /* nodes that are looked at */

/* Of nodes in a row of a system of n, in a round: no two have one priority, none has that of a
 * state, and the upper 16 bits, which decide, are drawn. By chance 41427 of 65536 values would
 * occur. */
static void check_priorities(int32_t n, int32_t first, uint32_t round, size_t least)
{
    const int bits = gs_bits_of_priorities(n);
    uint32_t *priority = malloc(DRAWN * sizeof *priority);

    for (int32_t k = 0; k < DRAWN; k++) {
        priority[k] = gs_priority(round, first + k, bits);
        assert_false(is_reserved(priority[k]));
    }
    assert_int_equal(count_distinct(priority, DRAWN), DRAWN);
    for (int32_t k = 0; k < DRAWN; k++) priority[k] >>= 16;
    assert_true(count_distinct(priority, DRAWN) >= least);
    free(priority);
}

static void priorities_of_many_nodes(void **state)
{
    static const int32_t nodes[] = {1 << 26, (1 << 26) + 1, 1 << 28, 1 << 30, INT32_MAX};
    (void)state;

    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        for (uint32_t round = 0; round < 6; round++) {
            check_priorities(nodes[k], 0, round, 41000);
            check_priorities(nodes[k], nodes[k] / 3, round, 41000);
            check_priorities(nodes[k], nodes[k] - DRAWN, round, 41000);
        }
    }
    check_priorities((1 << 26) - 1, (1 << 26) - 1 - DRAWN, 1, 1);
}

/* The x with gs_random_bijection(round, x) = y. */
static uint32_t undraw(uint32_t round, uint32_t y)
{
    static const uint32_t factor[] = {0x846ca68bu, 0x7feb352du, 0x9e3779b9u};
    uint32_t inverse[3];

    for (int f = 0; f < 3; f++) {
        inverse[f] = factor[f];
        for (int step = 0; step < 5; step++) inverse[f] *= 2 - factor[f] * inverse[f];
    }
    y = (y ^ y >> 16) * inverse[0];
    y = (y ^ y >> 15 ^ y >> 30) * inverse[1];
    y ^= y >> 16;
    return (y - round * 0x85ebca6bu - 0x165667b1u) * inverse[2];
}

/* A node whose draw is a state has the draw of that state. */
static void reserved_priorities(void **state)
{
    static const uint32_t reserved[] = {GS_ROOT, GS_NEAR_NONE, GS_NO_ROOT};
    const int bits = gs_bits_of_priorities(INT32_MAX);
    int met = 0;
    (void)state;

    for (uint32_t round = 0; round < 200; round++) {
        for (int r = 0; r < 3; r++) {
            const uint32_t x = undraw(round, reserved[r]),
                           next = gs_random_bijection(round, reserved[r]);
            assert_int_equal(gs_random_bijection(round, x), reserved[r]);
            if (x - 1 >= INT32_MAX || is_reserved(next)) continue;
            assert_int_equal(gs_priority(round, (int32_t)(x - 1), bits), next);
            met++;
        }
    }
    assert_true(met > 100);
}

/* Systems of fewer nodes have the priorities that they always had. */
static void priorities_of_fewer_nodes(void **state)
{
    static const struct {
        int32_t n, node;
        uint32_t round, priority;
    } known[] = {
        {1, 0, 0, 0xfb0c255du},
        {3, 1, 1, 0x5965a912u},
        {1000, 999, 2, 0xd7813be8u},
        {1000000, 123456, 0, 0xb5f1e241u},
        {67108861, 77, 3, 0xcc00004eu},
        {67108863, 5000000, 9, 0x184c4b41u},
        {67108863, 67108862, 1, 0x23ffffffu},
    };
    (void)state;

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const int bits = gs_bits_of_priorities(known[k].n);
        assert_int_equal(gs_priority(known[k].round, known[k].node, bits), known[k].priority);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_out_of_the_game),
        cmocka_unit_test(priorities_of_many_nodes),
        cmocka_unit_test(reserved_priorities),
        cmocka_unit_test(priorities_of_fewer_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
