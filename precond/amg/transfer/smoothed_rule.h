/* smoothed_rule.h: the damping of the prolongator smoother, row by row. SMALL: the storage class of
 * this function in the including file. */
#ifndef GS_PRECOND_AMG_TRANSFER_SMOOTHED_RULE_H
#define GS_PRECOND_AMG_TRANSFER_SMOOTHED_RULE_H

/* The ratio of the sum of magnitudes of a row, over its diagonal, to the spectral radius of D^-1 A
 * on grids. With it the usual damping 4/3 takes as many CG iterations as with the radius itself. */
#define GS_SUM_OVER_RADIUS 1.125

/* The factor of a row of A_f Q: damping / rho over the diagonal. rho is bounded row by row by the
 * sum of magnitudes over the diagonal. So no other row is needed, and the step stays bounded where
 * the moved entries have left little on the diagonal. */
SMALL double gs_damping_of_row(double damping, double diagonal, double sum)
{
    if (!(sum > 0) || diagonal == 0) return 0;
    return (diagonal > 0 ? GS_SUM_OVER_RADIUS : -GS_SUM_OVER_RADIUS) * damping / sum;
}

#endif
