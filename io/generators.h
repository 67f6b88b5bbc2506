/* generators.h: matrices made and not read. */
#ifndef GS_GENERATORS_H
#define GS_GENERATORS_H

#include "core/csr.h"
#include "gsolve_io.h"

typedef struct gs_generator {
    gsolve_plugin plugin;
    gsolve_status (*generate)(gsolve_csr *csr, gsolve_context *ctx, const void *options);
} gs_generator;

/* spec: what follows "gen:". */
gsolve_status gs_generate(gsolve_csr *csr, gsolve_context *ctx, const char *spec);

/* A matrix given row by row: row writes the columns (ascending) and values of row i and returns how
 * many, at most most_row. It is called twice for each row, by many threads. */
typedef struct gs_row_source {
    int64_t nrows, ncols, most_row;
    int64_t (*row)(const void *model, int32_t i, int32_t *col, double *value);
    const void *model;
} gs_row_source;

gsolve_status gs_csr_by_rows(gsolve_csr *csr, gsolve_context *ctx, const gs_row_source *source);

/* Refuses numbers of rows or columns that 31 bits do not hold. */
gsolve_status gs_check_dimensions(gsolve_context *ctx, double nrows, double ncols);

/* Uniform in [0, 1), of stream seed and the numbers a and b. */
static inline double gs_uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    return 0.5 + 0.5 * gsolve_random(seed * 0x9e3779b97f4a7c15u + a, b);
}

extern const gs_generator gs_poisson2d, gs_poisson3d, gs_poisson3d27, gs_anisotropic3d, gs_jump3d,
    gs_convdiff3d, gs_neumann2d, gs_tridiagonal, gs_elasticity3d, gs_band, gs_rmat, gs_web,
    gs_circuit, gs_random_generator, gs_lp, gs_emptyrows;

#endif
