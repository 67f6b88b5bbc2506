/* diagonal_rule.h: the reciprocal of a diagonal entry, for the CPU and the GPU. SMALL: the
 * qualifiers of a function on this device. */
#ifndef GS_PRECOND_DIAGONAL_RULE_H
#define GS_PRECOND_DIAGONAL_RULE_H

#include <math.h>
#include <stdbool.h>

/* 1 / a, or 1 / |a| if absolute; infinite if a is 0. */
SMALL double gs_reciprocal(double a, bool absolute)
{
    return 1 / (absolute || a == 0 ? fabs(a) : a);
}

#endif
