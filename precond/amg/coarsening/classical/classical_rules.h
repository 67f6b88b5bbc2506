/* classical_rules.h: the rules for strong connections and C points, the same on every device: those
 * that decide only compare, and use integers. SMALL: the storage class of these functions in the
 * including file. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_RULES_H

#include "precond/amg/coarsening/steps.h"
#include "precond/amg/transfer/transfer_rules.h"

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

/* --- steps ------------------------------------------------------------------------------------ */

SMALL uint8_t gs_component_of(const gs_point_arrays *p, int32_t i)
{
    int32_t c = p->block > 1 ? i % p->block : 0;

    while (p->block == 1 && c < p->near_null.ncols - 1 && gs_element(p->near_null, i, c) == 0) c++;
    return (uint8_t)c;
}

SMALL void gs_indicate(const gs_point_arrays *p, int32_t i)
{
    if (p->number[i] < 0) return;
    for (int32_t c = 0; c < p->indicator.ncols; c++) {
        gs_set_element(p->indicator, p->number[i], c, !p->component || p->component[i] == c);
    }
}

SMALL void gs_do_point_step(gs_point_step step, const gs_point_arrays *p, int32_t i)
{
    if (step == GS_FIND_COMPONENT) p->component[i] = gs_component_of(p, i);
    if (step == GS_RESET_C && p->kind[i] == GS_C) p->kind[i] = GS_UNDECIDED;
    if (step == GS_MARK_POINTS) p->number[i] = i < p->n && p->kind[i] >= p->least;
    if (step == GS_NUMBER_POINTS && p->kind[i] < p->least) p->number[i] = -1;
    if (step == GS_LIST_POINTS && p->number[i] >= 0) p->point[p->number[i]] = i;
    if (step == GS_INDICATE) gs_indicate(p, i);
}

#endif
