/* spgemm.h: products of sparse matrices: what a method is, and what a planned product holds. */
#ifndef GS_SPGEMM_H
#define GS_SPGEMM_H

#include "core/csr.h"

/* Matrices of dense blocks: csr's rows, columns and entries are those of blocks; value holds for
 * each entry its height x width numbers, row by row. 1 x 1: an ordinary matrix. */
typedef struct gs_blocked {
    gsolve_csr csr;
    int32_t height, width;
} gs_blocked;

typedef struct gs_tally_of_product { /* what a method tells of its work */
    int64_t products;                /* scalar (or block) products */
    int bands;                       /* in which they were made */
    size_t peak;                     /* bytes held beyond A, B and C at most */
} gs_tally_of_product;

/* A way to multiply. A and B are where ctx's kernels read them, with columns ascending strictly in
 * every row and A->width = B->height. */
typedef struct gs_multiplier {
    gsolve_plugin plugin;
    /* whether it runs on ctx's device with blocks of that size; else *why, for the error */
    bool (*serves)(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const char **why);
    /* C = A B, owned, where A lies, columns ascending; entries are there by the patterns alone,
     * whatever their values. Unless plan is NULL, *plan = what update needs. */
    gsolve_status (*multiply)(gs_blocked *C, void **plan, gs_tally_of_product *tally,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options);
    /* C's values, A and B having new ones in the patterns that they had then. Allocates nothing,
     * waits for nothing. */
    gsolve_status (*update)(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C);
    void (*destroy)(void *plan, gsolve_context *ctx); /* NULL: nothing */
} gs_multiplier;

/* The methods, ending with NULL; "auto" among them. */
extern const gsolve_plugin *const gs_multipliers[];

/* What the method auto would take, from counts alone. */
typedef struct gs_work_of_product {
    int64_t products, longest; /* of all rows, of one row of C */
    int32_t longest_row;       /* that row */
} gs_work_of_product;

#endif
