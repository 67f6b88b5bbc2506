/* transfer_rules.h: elements of dense blocks of either type, the rigid body modes, and the damping
 * of the prolongator smoother, the same on every device. SMALL: the storage class of these
 * functions in the including file. */
#ifndef GS_PRECOND_AMG_TRANSFER_TRANSFER_RULES_H
#define GS_PRECOND_AMG_TRANSFER_TRANSFER_RULES_H

SMALL double gs_element(gsolve_dense v, int64_t i, int64_t c)
{
    const int64_t at = i + c * v.stride;
    return v.type == GSOLVE_F32 ? (double)((const float *)v.value)[at]
                                : ((const double *)v.value)[at];
}

SMALL void gs_set_element(gsolve_dense v, int64_t i, int64_t c, double x)
{
    const int64_t at = i + c * v.stride;
    if (v.type == GSOLVE_F32) {
        ((float *)v.value)[at] = (float)x;
    } else {
        ((double *)v.value)[at] = x;
    }
}

/* --- rigid body modes ------------------------------------------------------------------------- */

/* Coordinate c of a node relative to node 0. Rotations about any point of the body span the same
 * space, and this one loses no digits if the origin is far away. */
SMALL double gs_relative_coordinate(gsolve_dense xyz, int64_t node, int c)
{
    return gs_element(xyz, node, c) - gs_element(xyz, 0, c);
}

/* A component of a mode at a node: translations first, then the rotation in the plane, or the
 * rotations about the x, y and z axes (e_axis times the coordinates). */
SMALL double gs_rigid_body_mode(gsolve_dense xyz, int64_t node, int component, int motion)
{
    const int d = xyz.ncols, axis = d == 2 ? 2 : motion - d;

    if (motion < d) return component == motion;
    if (component == (axis + 1) % 3) return -gs_relative_coordinate(xyz, node, (axis + 2) % 3);
    if (component == (axis + 2) % 3) return gs_relative_coordinate(xyz, node, (axis + 1) % 3);
    return 0;
}

/* --- smoothing -------------------------------------------------------------------------------- */

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
