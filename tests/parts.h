/* parts.h: test programs whose work several processes share, each called with PART PARTS: from 1 to
 * PARTS, each does every PARTS-th piece of the work. Without arguments a process does all. */
#ifndef TESTS_PARTS_H
#define TESTS_PARTS_H

#include "tests/common.h"

static struct {
    int number, count; /* this process's part, from 0, of so many */
    int pieces;        /* of work so far */
} parts = {0, 1, 0};

static inline void take_part(int count, char **argument)
{
    if (count != 3) return;
    parts.number = atoi(argument[1]) - 1;
    parts.count = atoi(argument[2]);
}

/* Whether the next piece of work is this process's. */
static inline bool is_mine(void)
{
    return parts.pieces++ % parts.count == parts.number;
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
