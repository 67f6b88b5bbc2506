/* jacobi_body.h: z = d * r on the CPU for one value type. Moves three vectors; a thread owns blocks
 * of elements, and sums of r'z are added in the order of the blocks. */

static double FN(block)(int64_t n, const T *restrict d, const T *restrict r, T *restrict z)
{
    double sum[GS_LANES] = {0};

    GS_EACH_LANE(n, {
        const T v = d[i] * r[i];
        z[i] = v;
        sum[lane] += (double)r[i] * (double)v;
    });
    return gs_sum_lanes(sum);
}

static gsolve_status FN(apply)(gs_queue *q, int64_t n, const void *pd, const void *pr, void *pz,
                               double *rz)
{
    const T *d = pd, *r = pr;
    T *z = pz;
    double part[GS_MAX_BLOCKS];

    GS_EACH_PIECE(n, part[k] = FN(block)(to - from, d + from, r + from, z + from));
    if (rz) *rz = gs_sum(blocks.count, part);
    return GSOLVE_OK;
}

static gsolve_status FN(apply_columns)(gs_queue *q, const void *d, gsolve_dense r, gsolve_dense z)
{
    for (int32_t c = 0; c < r.ncols; c++) {
        FN(apply)(q, r.nrows, d, gs_column_of(r, c).value, gs_column_of(z, c).value, NULL);
    }
    return GSOLVE_OK;
}
