/* rigid_body_rule.h: the rigid body modes, the same on every device. SMALL: the storage class of
 * these functions in the including file. */

/* Coordinate c of node I relative to node 0. Rotations about any point of the body span the same
 * space, and this one loses no digits if the origin is far away. */
SMALL double gs_relative_coordinate(gsolve_dense xyz, int64_t I, int c)
{
    const int64_t first = c * xyz.stride;

    if (xyz.type == GSOLVE_F32) {
        const float *x = (const float *)xyz.value + first;
        return (double)x[I] - (double)x[0];
    }
    const double *x = (const double *)xyz.value + first;
    return x[I] - x[0];
}

/* A component of a mode at node I: translations first, then the rotation in the plane, or the
 * rotations about the x, y and z axes (e_axis times the coordinates). */
SMALL double gs_rigid_body_mode(gsolve_dense xyz, int64_t I, int component, int motion)
{
    const int d = xyz.ncols, axis = d == 2 ? 2 : motion - d;

    if (motion < d) return component == motion;
    if (component == (axis + 1) % 3) return -gs_relative_coordinate(xyz, I, (axis + 2) % 3);
    if (component == (axis + 2) % 3) return gs_relative_coordinate(xyz, I, (axis + 1) % 3);
    return 0;
}
