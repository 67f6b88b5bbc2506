/* spgemm.h: products of sparse matrices: the interface of a method, and planned products. */
#ifndef GS_SPGEMM_SPGEMM_H
#define GS_SPGEMM_SPGEMM_H

#include "matrix/csr.h"

#define GS_MAX_BLOCK 8 /* the most rows and the most columns of a block */

/* A matrix of dense blocks within the library. csr counts rows, columns and entries in blocks;
 * csr.value holds height x width numbers for each entry, row-major. Blocks of 1 x 1 make an
 * ordinary matrix. The public type, gsolve_blocked, holds no gsolve_csr, so that a caller cannot
 * pass blocks where numbers are expected. */
typedef struct gs_blocked {
    gsolve_csr csr;
    int32_t height, width;
} gs_blocked;

typedef struct gs_product_work { /* what a method reports */
    int64_t products;            /* scalar (or block) products */
    int64_t entries;             /* of C; the caller sets -1, and a method may leave it */
    int bands;                   /* parts that the method computed one after the other */
    size_t peak;                 /* the most bytes allocated besides A, B and C */
    const char *by;              /* the method */
} gs_product_work;

/* How a method multiplies on one device, for one type. A and B are where ctx's kernels read them;
 * their columns ascend strictly in every row, and A->width = B->height. */
typedef struct gs_product_kernels {
    /* C = A B, owned, at A's location, columns ascending. The patterns of A and B determine C's
     * pattern; entries of value 0 stay. Unless plan is NULL, *plan = what update needs. */
    gsolve_status (*multiply)(gs_blocked *C, void **plan, gs_product_work *stats,
                              gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B,
                              const void *options);
    /* Recomputes C's values. A and B have the offsets and columns of multiply, in the same arrays;
     * their values are new and may be in other arrays. Allocates nothing and does not synchronise.
     */
    gsolve_status (*update)(const void *plan, gsolve_context *ctx, const gs_blocked *A,
                            const gs_blocked *B, gs_blocked *C);
    void (*destroy)(void *plan, gsolve_context *ctx);
} gs_product_kernels;

/* A method of multiplication. */
typedef struct gs_multiplier {
    gsolve_plugin plugin;
    int32_t most; /* rows and columns of a dense block; 1: numbers only */
    /* of each type; NULL: not on that device */
    const gs_product_kernels *host[GS_LEVEL_COUNT], *cuda;
} gs_multiplier;

/* The methods, including "auto"; NULL ends the list. */
extern const gsolve_plugin *const gs_multipliers[];
extern const gs_multiplier gs_gustavson_multiplier, gs_esc_multiplier, gs_hash_multiplier,
    gs_cusparse_multiplier, gs_auto_multiplier;
extern const gs_product_kernels GS_HOST_TABLES(gs_gustavson),
    GS_HOST_TABLES(gs_esc), gs_esc_cuda[GSOLVE_TYPE_COUNT], gs_hash_cuda[GSOLVE_TYPE_COUNT];

/* Whether the method multiplies blocks of these sizes on ctx's device; if not, *why says why. */
bool gs_multiplier_serves(const gs_multiplier *method, const gsolve_context *ctx,
                          const gs_blocked *A, const gs_blocked *B, const char **why);

/* *name = the method that auto chooses for A B. */
gsolve_status gs_choose_multiplier(const char **name, gsolve_context *ctx, const gs_blocked *A,
                                   const gs_blocked *B);

/* --- the statistics behind auto --------------------------------------------------------------- */

/* Counts of products, by which auto chooses a method. */
typedef struct gs_product_counts {
    int64_t products; /* of all rows */
    /* heavy: the products of rows with more than GS_MANY_PRODUCTS. spread: those of other rows with
     * more than GS_FEW_PRODUCTS that span more than 32 columns for each product. */
    int64_t heavy, spread;
} gs_product_counts;

#define GS_FEW_PRODUCTS  64 /* products of a row */
#define GS_MANY_PRODUCTS 4096

typedef struct gs_count_kernels { /* for A B on the device; *work is on the host */
    gsolve_status (*count)(gs_product_counts *work, gsolve_context *ctx, const gsolve_csr *A,
                           const gsolve_csr *B);
} gs_count_kernels;

extern const gs_count_kernels gs_work_cuda;

/* --- products within the library: no checks, no copies between devices ------------------------ */

/* A product whose values may be recomputed. A and B must be as for gs_product_kernels. */
typedef struct gs_product {
    gsolve_context *ctx;
    const gs_product_kernels *kernels;
    void *options, *plan; /* plan: NULL if keep was false */
    gs_blocked C;         /* owned */
    gs_product_work stats;
} gs_product;

/* *P = A B by the method in spec. keep: gs_product_update can recompute the values; the offsets and
 * columns of A and B must then stay where they are. *P is overwritten without being freed. On
 * failure there is nothing to drop. */
gsolve_status gs_product_make(gs_product *P, gsolve_context *ctx, const char *spec,
                              const gs_blocked *A, const gs_blocked *B, bool keep);
gsolve_status gs_product_update(gs_product *P, const gs_blocked *A, const gs_blocked *B);
void gs_product_drop(gs_product *P); /* frees all; P may be all zero */

/* C = A B of ordinary matrices, without a plan. */
gsolve_status gs_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                              const gsolve_csr *A, const gsolve_csr *B);

/* R A P. With the method auto, one step computes it if rows are not too long (at_once). Otherwise
 * two products compute it: A P and R (A P). */
typedef struct gs_galerkin {
    gs_product AP, RAP; /* at_once: AP is unused, and RAP has neither kernels nor options */
    bool at_once;
} gs_galerkin;

/* As gs_product_make. keep false: only RAP.C remains. */
gsolve_status gs_galerkin_make(gs_galerkin *G, gsolve_context *ctx, const char *spec,
                               const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P,
                               bool keep);
gsolve_status gs_galerkin_update(gs_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                 const gsolve_csr *P);
void gs_galerkin_drop(gs_galerkin *G); /* frees all; G may be all zero, or dropped before */

/* csr as a matrix of 1 x 1 blocks. */
static inline gs_blocked gs_plain_blocks(const gsolve_csr *csr)
{
    gs_blocked A = {*csr, 1, 1};
    return A;
}

#endif
