/* market.h: the parts of the Matrix Market reader: market.c reads banner, comments and sizes;
 * market_lines.c reads the entries, in parallel; assemble.c makes the matrix. */
#ifndef GS_IO_MARKET_H
#define GS_IO_MARKET_H

#include "io/input.h"

typedef enum gs_field { GS_REAL, GS_INTEGER, GS_PATTERN } gs_field;

typedef struct gs_market {
    bool array; /* else coordinate */
    gs_field field;
    gsolve_symmetry symmetry;
    int32_t nrows, ncols;
    int64_t entries;  /* in the file; an array's follow from its sizes and symmetry */
    const char *body; /* the text after the line of sizes */
} gs_market;

/* The entries in the order of the file, rows and columns counted from 0, in owned arrays of exactly
 * m->entries elements: v (NULL: a pattern), and i and j (NULL: an array). */
typedef struct gs_triplets {
    int32_t *i, *j;
    double *v;
} gs_triplets;

gsolve_status gs_market_lines(gs_triplets *t, const gs_market *m, const gs_input *in);
void gs_triplets_free(gs_triplets *t, gsolve_context *ctx);

/* Makes compressed rows from the triplets, mirrored according to symmetry. May take ownership of
 * arrays of t. *duplicates: the number of triplets that were added to another one. */
gsolve_status gs_assemble(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                          int64_t entries, gs_triplets *t, gsolve_symmetry symmetry,
                          int64_t *duplicates);

#endif
