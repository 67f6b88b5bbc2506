/* parts.h: splits the work of a test program among several processes. `test_x PART PARTS` runs part
 * PART of PARTS, counted from 1. Without these arguments the program does all the work. */
#ifndef TESTS_PARTS_H
#define TESTS_PARTS_H

#include "tests/common.h"

static struct {
    int number, count; /* this process runs part number of count, counted from 0 */
    int pieces;        /* pieces of work so far */
} parts = {0, 1, 0};

static inline void take_part(int count, char **argument)
{
    if (count != 3) return;
    parts.number = atoi(argument[1]) - 1;
    parts.count = atoi(argument[2]);
}

/* Whether this process does the next piece of work. Every process must ask the same number of times
 * in the same order. */
static inline bool is_mine(void)
{
    return parts.pieces++ % parts.count == parts.number;
}

/* Runs all tests of shared, which split their own work by is_mine, and some of the other tests. */
static inline int run_parts(const struct CMUnitTest *shared, size_t shared_count,
                            const struct CMUnitTest *other, size_t other_count)
{
    struct CMUnitTest mine[64] = {{0}}; /* cmocka ignores elements without a name */
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
