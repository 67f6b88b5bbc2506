/* smoothed_rule.h: how far the rows of the tentative prolongator are smoothed. SMALL: what a
 * function of this device is declared with. */
#ifndef GS_PRECOND_AMG_TRANSFER_SMOOTHED_RULE_H
#define GS_PRECOND_AMG_TRANSFER_SMOOTHED_RULE_H

/* By which the sum of a row's magnitudes over its diagonal exceeds the spectral radius of D^-1 A on
 * grids: the usual 4/3 takes as many iterations of CG as with the radius itself. */
#define GS_SUM_OVER_RADIUS 1.125

/* What a row of A_f Q is subtracted with: damping / rho over the diagonal, where rho is bounded row
 * by row, by the sum of the magnitudes over the diagonal. Nothing needs to be known of other rows,
 * and where moved entries have left little on the diagonal the step keeps_tentative bounded. */
SMALL double gs_damping_of_row(double damping, double diagonal, double sum)
{
    if (!(sum > 0) || diagonal == 0) return 0;
    return (diagonal > 0 ? GS_SUM_OVER_RADIUS : -GS_SUM_OVER_RADIUS) * damping / sum;
}

#endif
