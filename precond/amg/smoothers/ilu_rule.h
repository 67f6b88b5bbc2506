/* ilu_rule.h: the pivot rule of ilu.h, the same on every device. SMALL: the storage class of this
 * function in the including file. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_RULE_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_RULE_H

#include "matrix/row_rule.h"

/* If D_ii is smaller than this share of a_ii, or has another sign, this share of a_ii replaces it.
 * A smoother works with a different M, but not with a large M^-1. */
#define GS_ILU_MIN_PIVOT_SHARE 0.1

/* 1 / D_ii from the pivot and a = a_ii; 0 if a is 0, so that the smoother leaves this unknown
 * alone. */
SMALL double gs_ilu_reciprocal(double pivot, double a)
{
    if (a == 0) return 0;
    return 1 / (pivot / a >= GS_ILU_MIN_PIVOT_SHARE ? pivot : GS_ILU_MIN_PIVOT_SHARE * a);
}

#endif
