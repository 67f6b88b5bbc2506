/* parts.h: test programs whose work several processes share, each called with PART PARTS: from 1 to
 * PARTS, each does every PARTS-th piece of the work. Without arguments a process does all. */
#ifndef TESTS_PARTS_H
#define TESTS_PARTS_H

#include "tests/common.h"

static int part, parts = 1, pieces; /* part: from 0; pieces: of work so far */

static inline void take_part(int count, char **argument)
{
    if (count != 3) return;
    part = atoi(argument[1]) - 1;
    parts = atoi(argument[2]);
}

/* Whether the next piece of work is this process's. */
static inline bool is_mine(void)
{
    return pieces++ % parts == part;
}

/* Runs the tests of shared, which ask is_mine, and this process's share of the other tests. */
static inline int run_parts(const struct CMUnitTest *shared, size_t shared_count,
                            const struct CMUnitTest *other, size_t other_count)
{
    struct CMUnitTest mine[64] = {{0}}; /* those without a name are no tests */
    size_t count = 0;

    if (shared_count + other_count > sizeof mine / sizeof *mine) return 1;
    for (size_t i = 0; i < shared_count; i++) mine[count++] = shared[i];
    for (size_t i = 0; i < other_count; i++) {
        if (is_mine()) mine[count++] = other[i];
    }
    return cmocka_run_group_tests(mine, NULL, NULL);
}

#define RUN_PARTS(shared, other) \
    run_parts(shared, sizeof(shared) / sizeof *(shared), other, sizeof(other) / sizeof *(other))

#endif
