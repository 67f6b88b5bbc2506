/* spgemm.h: products of sparse matrices: what a method is, and what a planned product holds. */
#ifndef GS_SPGEMM_SPGEMM_H
#define GS_SPGEMM_SPGEMM_H

#include "spgemm/blocked/blocked_type.h"

typedef struct gs_product_work { /* what a method tells of its work */
    int64_t products;            /* scalar (or block) products */
    int64_t entries;             /* of C; -1 before: a method need not tell */
    int bands;                   /* in which they were made */
    size_t peak;                 /* bytes held beyond A, B and C at most */
    const char *by;              /* the method that auto took; NULL: the one asked */
} gs_product_work;

/* A way to multiply. A and B are where ctx's kernels read them, with columns ascending strictly in
 * every row and A->width = B->height. */
typedef struct gs_multiplier {
    gsolve_plugin plugin;
    /* whether it runs on ctx's device with blocks of that size; else *why, for the error */
    bool (*serves)(const gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                   const char **why);
    /* C = A B, owned, where A lies, columns ascending; entries are there by the patterns alone,
     * whatever their values. Unless plan is NULL, *plan = what update needs. */
    gsolve_status (*multiply)(gs_blocked *C, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options);
    /* C's values, A and B having new ones in the patterns that they had then, where only the values
     * may lie elsewhere. Allocates nothing, waits for nothing. */
    gsolve_status (*update)(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C);
    void (*destroy)(void *plan, gsolve_context *ctx); /* NULL: nothing */
} gs_multiplier;

/* The methods, ending with NULL; "auto" among them. */
extern const gsolve_plugin *const gs_multipliers[];
extern const gs_multiplier gs_gustavson_multiplier, gs_esc_multiplier, gs_auto_multiplier;

/* The one of that name, or NULL where the build lacks it. */
const gs_multiplier *gs_multiplier_named(const char *name);

/* --- what auto goes by -------------------------------------------------------------------------
 */

/* What the method auto would take, from counts alone. */
typedef struct gs_product_counts {
    int64_t products, longest; /* of all rows, of one row of C */
    int32_t longest_row;       /* that row */
    int64_t heavy, apart; /* of rows of more than GS_HEAVY_WORK; of others of more than GS_FEW_WORK
                             in a stretch of over 32 columns a product; 0 on a CPU */
} gs_product_counts;

#define GS_FEW_WORK   64 /* products of a row */
#define GS_HEAVY_WORK 4096

typedef struct gs_count_kernels { /* of A B where they lie; *work on the host */
    gsolve_status (*count)(gs_product_counts *work, gsolve_context *ctx, const gsolve_csr *A,
                           const gsolve_csr *B);
} gs_count_kernels;

extern const gs_count_kernels gs_work_host[GSOLVE_TYPE_COUNT], gs_work_cuda[GSOLVE_TYPE_COUNT];

/* --- products within the library: nothing is checked, nothing moved -----------------------------
 */

/* A product that may be made again. A and B are as gs_multiplier wants them. */
typedef struct gs_product {
    gsolve_context *ctx;
    const gs_multiplier *method;
    void *options, *plan; /* plan: NULL where it was not kept */
    gs_blocked C;         /* owned */
    gs_product_work stats;
} gs_product;

/* *P = A B by the method in spec; keep: values can be renewed, of A and B whose offsets and columns
 * are then those given here, which stay. Whatever *P held is overwritten. On failure there is
 * nothing to drop. */
gsolve_status gs_product_make(gs_product *P, gsolve_context *ctx, const char *spec,
                              const gs_blocked *A, const gs_blocked *B, bool keep);
gsolve_status gs_product_update(gs_product *P, const gs_blocked *A, const gs_blocked *B);
void gs_product_drop(gs_product *P); /* also one that is all zero */

/* C = A B, once, of ordinary matrices. */
gsolve_status gs_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                              const gsolve_csr *A, const gsolve_csr *B);

/* R A P: at once, where the method is auto and the rows are not too long for it; else by way of A
 * P.
 */
typedef struct gs_galerkin {
    gs_product AP, RAP; /* at once: of RAP what it is, no method, no options */
    bool at_once;
} gs_galerkin;

/* As for products; keep false: only RAP.C is left. */
gsolve_status gs_galerkin_make(gs_galerkin *G, gsolve_context *ctx, const char *spec,
                               const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                               bool keep);
gsolve_status gs_galerkin_update(gs_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                 const gsolve_csr *P);
void gs_galerkin_drop(gs_galerkin *G); /* also one that is all zero, or was dropped */

/* csr as a matrix of 1 x 1 blocks. */
static inline gs_blocked gs_plain_blocks(const gsolve_csr *csr)
{
    gs_blocked A = {*csr, 1, 1};
    return A;
}

#endif
