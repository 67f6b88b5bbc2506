/* classical_rules.h: the rules for strong connections and C points, the same on every device: they
 * only compare, and use integers. SMALL: the storage class of these functions in the including
 * file. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* How much a row depends on entry a: its magnitude if it has the opposite sign of the diagonal,
 * else at most 0. */
SMALL double gs_dependence(double diagonal, double a)
{
    return diagonal > 0 ? -a : diagonal < 0 ? a : 0;
}

SMALL bool gs_depends(double dependence, double strength, double largest)
{
    return dependence > 0 && dependence >= strength * largest;
}

/* The measure of a point: the number of points that depend on it, then a pseudo-random bijection of
 * its index. No two points have the same measure. */
SMALL uint64_t gs_measure_of(int32_t influence, int32_t point)
{
    uint32_t x = (uint32_t)point + 0x9e3779b9u;

    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (uint64_t)(uint32_t)influence << 32 | (x ^ x >> 16);
}

/* The factor of the entries that are left, so that their sum is that of all. */
SMALL double gs_sum_preserving_scale(double all, double left)
{
    return left != 0 && all != 0 ? all / left : 1;
}

#endif
