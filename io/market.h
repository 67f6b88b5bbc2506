/* market.h: the parts of the Matrix Market reader: market.c reads banner, comments and sizes;
 * market_entries.c reads the entries, in parallel; assemble.c makes the matrix. */
#ifndef GS_IO_MARKET_H
#define GS_IO_MARKET_H

#include "dist/comm.h"
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

/* Reads banner, comments and sizes. */
gsolve_status gs_market_head(gs_market *m, gs_input *in);

/* And refuses what is far too large as a dense matrix. */
gsolve_status gs_market_dense_head(gs_market *m, gs_input *in);

/* *v = A as a dense matrix. */
gsolve_status gs_csr_to_dense(gsolve_dense *v, gsolve_context *ctx, const gsolve_csr *A);

/* Entries in the order of the file, rows and columns counted from 0, in owned arrays: v (NULL: a
 * pattern), and i and j (NULL: an array). */
typedef struct gs_triplets {
    int32_t *i, *j;
    double *v;
} gs_triplets;

/* *t = the entries of this rank's stretch of the file, *count their number; those of all ranks
 * follow in rank order. The sentence of an error in the file is that of one rank. Collective; the
 * whole file is in `in` on each rank, which reads its stretch only. comm NULL: all entries. */
gsolve_status gs_market_lines(gs_triplets *t, int64_t *count, const gs_market *m,
                              const gs_input *in, gs_comm *comm);
void gs_triplets_free(gs_triplets *t, gsolve_context *ctx);

/* Makes compressed rows from the triplets, mirrored according to symmetry. May take ownership of
 * arrays of t. *duplicates: the number of triplets that were added to another one. */
gsolve_status gs_assemble(gsolve_csr *csr, gsolve_context *ctx, int32_t nrows, int32_t ncols,
                          int64_t entries, gs_triplets *t, gsolve_symmetry symmetry,
                          int64_t *duplicates);

/* The number of entries of A in a file with that symmetry. row: the number of A's first row in the
 * matrix. */
int64_t gs_count_stored(gsolve_context *ctx, const gsolve_csr *A, int64_t row,
                        gsolve_symmetry symmetry);

#endif
