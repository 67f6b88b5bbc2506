/* rigid_body_body.h: rigid body modes on the CPU for one value type. */

static gsolve_status FN(modes)(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B)
{
    const int d = xyz.ncols;
    T *b = B.value;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < B.nrows; i++) {
        for (int32_t m = 0; m < B.ncols; m++) {
            b[i + m * B.stride] = (T)gs_rigid_body_mode(xyz, i / d, i % d, m);
        }
    }
    return GSOLVE_OK;
}
