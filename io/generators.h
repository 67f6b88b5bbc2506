/* generators.h: generated matrices. Every random number is a function of the seed and of the
 * position that it is for, so that threads and order do not matter. */
#ifndef GS_IO_GENERATORS_H
#define GS_IO_GENERATORS_H

#include "gsolve_dist.h"
#include "gsolve_io.h"
#include "matrix/csr.h"

/* The rows of one of several ranks, and the columns of x that belong to it. */
typedef struct gs_row_slice {
    int rank, ranks;
    gsolve_row_range rows, cols; /* set by the generator */
} gs_row_slice;

typedef struct gs_generator {
    gsolve_plugin plugin;
    /* slice NULL: all rows; else those of the rank. Columns are those of the whole matrix. With a
     * slice all ranks call the function, which may send messages. */
    gsolve_status (*generate)(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice);
} gs_generator;

/* csr = the matrix of the spec (the text after "gen:"), in owned arrays, with ascending columns.
 * slice: NULL, or which rows of it. */
gsolve_status gs_generate(gsolve_csr *csr, gsolve_context *ctx, const char *spec,
                          gs_row_slice *slice);

/* What a generator says about its matrix. entries: of all rows. */
gsolve_source gs_source_of_generator(int64_t entries);

/* A matrix that is generated row by row; several threads call these functions at once. */
typedef struct gs_row_source {
    int64_t nrows, ncols;
    int64_t (*count)(const void *model, int32_t i); /* entries of row i */
    /* Writes row i, columns ascending, and returns its number of entries. */
    int64_t (*fill)(const void *model, int32_t i, int32_t *col, double *value);
    const void *model;
} gs_row_source;

/* csr = all rows of the source, or those of the slice if it is not NULL, in owned arrays. */
gsolve_status gs_csr_by_rows(gsolve_csr *csr, gsolve_context *ctx, const gs_row_source *source,
                             gs_row_slice *slice);

#define GS_MOST_ROWS (INT32_MAX - 1) /* also columns */

/* Refuses a matrix of more than GS_MOST_ROWS rows. name: of the generator. */
gsolve_status gs_check_rows(gsolve_context *ctx, const char *name, double rows);

/* gsolve_random: the finaliser of SplitMix64 (Steele, Lea and Flood 2014) over a stream and a
 * counter. */
static inline double gs_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(int64_t)(z >> 11) * 0x1p-52 - 1;
}

/* Uniform in [0, 1): the draw of seed for one purpose (a small number) at the place (a, b). */
static inline double gs_uniform(int seed, int purpose, int64_t a, int64_t b)
{
    const uint64_t stream = ((uint64_t)seed << 4 | (uint64_t)purpose) * 0x9e3779b97f4a7c15u;
    return 0.5 + 0.5 * gs_random(stream + (uint64_t)a, (uint64_t)b);
}

enum { GS_DRAW_VALUE = 0, GS_DRAW_PATTERN = 1 }; /* purposes; PATTERN and all that follow it */

/* In [-1, 0), for the entry (i, j). */
static inline double gs_negative(int seed, int64_t i, int64_t j)
{
    return gs_uniform(seed, GS_DRAW_VALUE, i, j) - 1;
}

/* As gs_negative, with the same value for (i, j) and (j, i). */
static inline double gs_negative_pair(int seed, int64_t i, int64_t j)
{
    return i < j ? gs_negative(seed, i, j) : gs_negative(seed, j, i);
}

/* The diagonal entry of row i, if it has one, becomes excess + the sum of the other magnitudes. */
static inline void gs_dominate(int32_t i, int64_t count, const int32_t *col, double *value,
                               double excess)
{
    double sum = excess, *diagonal = NULL;

    for (int64_t k = 0; k < count; k++) {
        if (col[k] == i) {
            diagonal = &value[k];
        } else {
            sum += value[k] < 0 ? -value[k] : value[k];
        }
    }
    if (diagonal) *diagonal = sum;
}

extern const gs_generator gs_poisson2d, gs_poisson3d, gs_poisson3d27, gs_anisotropic3d, gs_jump3d,
    gs_convdiff3d, gs_elasticity3d, gs_tridiagonal, gs_band, gs_rmat, gs_web, gs_circuit,
    gs_random_rows, gs_lp, gs_emptyrows, gs_neumann2d, gs_shuffled3d, gs_lengths;

#endif
