/* ilu_rule.h: what the factorisation of ilu.h does alike on every device. SMALL: what a function of
 * this device is declared with. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_RULE_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_RULE_H

#include "matrix/row_rule.h"

/* A pivot smaller than that share of the diagonal's entry, or of another sign, is replaced by it: a
 * smoother can do with another M, but not with a large M^-1. */
#define GS_ILU_MIN_PIVOT_SHARE 0.1

/* 1 / D_ii, a: a_ii. Where that is 0 the unknown is left alone. */
SMALL double gs_ilu_reciprocal(double pivot, double a)
{
    if (a == 0) return 0;
    return 1 / (pivot / a >= GS_ILU_MIN_PIVOT_SHARE ? pivot : GS_ILU_MIN_PIVOT_SHARE * a);
}

#endif
