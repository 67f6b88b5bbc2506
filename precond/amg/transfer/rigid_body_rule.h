/* rigid_body_rule.h: the motions, the same on every device. SMALL: what a function of this device
 * is declared with. */

/* Coordinate c of node I from node 0: rotations about a node of the body are as good as any, and
 * lose no digits where the origin is far away. */
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

/* Component of the motion of node I: translations, then the rotation of the plane, or voters about
 * the axes of x, y and z: e_axis times the place. */
SMALL double gs_rigid_body_mode(gsolve_dense xyz, int64_t I, int component, int motion)
{
    const int d = xyz.ncols, axis = d == 2 ? 2 : motion - d;

    if (motion < d) return component == motion;
    if (component == (axis + 1) % 3) return -gs_relative_coordinate(xyz, I, (axis + 2) % 3);
    if (component == (axis + 2) % 3) return gs_relative_coordinate(xyz, I, (axis + 1) % 3);
    return 0;
}
