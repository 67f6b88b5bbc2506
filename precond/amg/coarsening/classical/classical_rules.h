/* classical_rules.h: what decides about strong connections and C points, the same on every device:
 * comparisons and whole numbers only. SMALL: what a function of this device is declared with. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* By how much a row depends on an entry: what of it has the other sign than the diagonal. */
SMALL double gs_dependence(double diagonal, double a)
{
    return diagonal > 0 ? -a : diagonal < 0 ? a : 0;
}

SMALL bool gs_depends(double dependence, double strength, double largest)
{
    return dependence > 0 && dependence >= strength * largest;
}

/* The measure of a point on which so many depend; of equal ones drawn by the point's number, in a
 * way that gives no two the same. */
SMALL uint64_t gs_measure_of(int32_t influence, int32_t point)
{
    uint32_t x = (uint32_t)point + 0x9e3779b9u;

    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (uint64_t)(uint32_t)influence << 32 | (x ^ x >> 16);
}

/* By which entries that are left of a row are multiplied, to have the sum that all had. */
SMALL double gs_sum_preserving_scale(double all, double left)
{
    return left != 0 && all != 0 ? all / left : 1;
}

#endif
