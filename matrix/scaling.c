/* scaling.c: equilibration of rows, and of rows and columns alike. */
#include "matrix/scaling.h"

#include <math.h>

#include "core/try.h"
#include "matrix/statistics.h"

#define SWEEPS 10 /* each halves the logarithm of what is left to scale */

gsolve_status gs_scaling_choose(gs_scaling *scale, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_statistics known = {.known = false};
    gsolve_status status;

    TRY(gs_csr_need_statistics(ctx, csr, &known));
    *scale = known.t.scaling < GS_SCALING_WANTED ? GS_SCALE_NONE
             : known.t.symmetric                 ? GS_SCALE_SYMMETRIC
                                                 : GS_SCALE_ROWS;
done:
    return status;
}

/* The power of two next to x > 0 on a logarithmic scale, within 2^-most to 2^most. */
static double nearest_power(double x, int most)
{
    int exponent;
    const double fraction = frexp(x, &exponent);

    if (fraction < 0.70710678118654752) exponent--;
    return ldexp(1, exponent > most ? most : exponent < -most ? -most : exponent);
}

/* The largest exponent of a scale: the product of two scales and a value stays in range. */
static int most_exponent(gsolve_type type)
{
    return type == GSOLVE_F32 ? 60 : 500;
}

static void scale_rows(double *scale, gsolve_context *ctx, const gsolve_csr *csr)
{
    const int most = 2 * most_exponent(csr->type);

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < csr->nrows; i++) {
        double largest = 0;
        int exponent = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            largest = fmax(largest, fabs(gs_value(csr, k)));
        }
        if (largest > 0) frexp(largest, &exponent);
        scale[i] = ldexp(1, exponent > most ? -most : exponent < -most ? most : -exponent);
    }
}

/* largest[i] = the largest |scale_i a_ij scale_j| in row and column i. */
static void find_largest(double *largest, const gsolve_csr *csr, const double *scale)
{
    for (int32_t i = 0; i < csr->nrows; i++) largest[i] = 0;
    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            const int32_t j = csr->col[k];
            const double v = fabs(gs_value(csr, k)) * scale[i] * scale[j];
            if (v > largest[i]) largest[i] = v;
            if (v > largest[j]) largest[j] = v;
        }
    }
}

/* Ruiz: scale_i = scale_i / sqrt(largest_i), until all of them are within a factor of two of 1. */
static void scale_symmetric(double *scale, double *largest, const gsolve_csr *csr)
{
    const double least = ldexp(1, -most_exponent(csr->type)), most = 1 / least;
    bool done = false;

    for (int32_t i = 0; i < csr->nrows; i++) scale[i] = 1;
    for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
        find_largest(largest, csr, scale);
        done = true;
        for (int32_t i = 0; i < csr->nrows; i++) {
            if (largest[i] == 0) continue;
            done = done && largest[i] >= 0.5 && largest[i] <= 2;
            scale[i] = fmin(fmax(scale[i] / sqrt(largest[i]), least), most);
        }
    }
    for (int32_t i = 0; i < csr->nrows; i++) {
        scale[i] = nearest_power(scale[i], most_exponent(csr->type));
    }
}

gsolve_status gs_scaling_compute(double *scale, gsolve_context *ctx, const gsolve_csr *csr,
                                 gs_scaling kind)
{
    double *largest = NULL;
    gsolve_status status = GSOLVE_OK;

    if (kind == GS_SCALE_ROWS) {
        scale_rows(scale, ctx, csr);
    } else {
        ALLOC(ctx, GSOLVE_HOST, largest, csr->nrows);
        scale_symmetric(scale, largest, csr);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, largest);
    return status;
}
