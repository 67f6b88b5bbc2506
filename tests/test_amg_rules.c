/* test_amg_rules.c: the rules of multigrid's set-up that the CPU and CUDA share, each by itself. */
#include "tests/common.h"

#define SMALL static inline
#include "precond/amg/pairwise_rules.h"

/* --- pairs ------------------------------------------------------------------------------------ */

enum { NODES = 4, GROUPS = 2, ROOM = 2, BEFORE = 2 * ROOM };

/* Groups {1} and {2, 3} of four nodes, of which node 0 is out of the game. Row 1 names it with the
 * greatest weight. What stands before the arrays must not matter. */
typedef struct stage {
    int32_t start[NODES + 1], col[5], of[NODES];
    float weight[5];
    int32_t member[BEFORE + GROUPS * ROOM], choice[BEFORE + GROUPS], mate[BEFORE + GROUPS];
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
                              .room = ROOM,
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_out_of_the_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
