/* chebyshev_body.h: the kernel for one type, see chebyshev.h. */

/* z may be p. */
static void FN(first)(int64_t n, T a, const T *d, const T *r, T *p, T *z)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) z[i] = p[i] = a * d[i] * r[i];
}

static void FN(next)(int64_t n, T a, T b, const T *restrict d, const T *restrict r,
                     const T *restrict Az, T *restrict p, T *restrict z)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        p[i] = a * d[i] * (r[i] - Az[i]) + b * p[i];
        z[i] += p[i];
    }
}

static gsolve_status FN(step)(gs_queue *q, int64_t n, double a, double b, const void *pd,
                              const void *pr, const void *pAz, void *pp, void *pz)
{
    const gs_blocks blocks = gs_blocks_of(n);
    const int threads = blocks.count > GS_SERIAL_BLOCKS ? gs_queue_threads(q) : 1;
    const T *d = pd, *r = pr, *Az = pAz;
    T *p = pp, *z = pz;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const int64_t at = gs_block_begin(&blocks, k), size = gs_block_end(&blocks, k) - at;
        if (Az) {
            FN(next)(size, (T)a, (T)b, d + at, r + at, Az + at, p + at, z + at);
        } else {
            FN(first)(size, (T)a, d + at, r + at, p + at, z + at);
        }
    }
    return GSOLVE_OK;
}
