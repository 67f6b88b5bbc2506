/* ordering.h: symmetric permutations of the rows and columns of a square matrix. They depend on the
 * pattern of A + A' alone, and on no random number. */
#ifndef GS_FACTOR_ORDERING_H
#define GS_FACTOR_ORDERING_H

#include "matrix/csr.h"

typedef enum gs_ordering {
    GS_ORDER_NONE,
    GS_ORDER_RCM, /* reverse Cuthill-McKee: small bandwidth */
    GS_ORDER_AMD, /* approximate minimum degree by CXSparse: little fill */
    GS_ORDER_ND   /* nested dissection by METIS: little fill, and much independent work */
} gs_ordering;

#define GS_ORDER_WORDS "none|rcm|amd|nd"

/* order[k] = the row of csr that becomes row k. csr is square, clean and on the host. Fails with
 * GSOLVE_UNSUPPORTED for amd if gs_order_amd_counts says so, for nd if A + A' has 2^31 or more
 * entries off the diagonal, and for nd in a build without METIS. Allocates a copy of the pattern of
 * A + A' for a while. */
gsolve_status gs_order_rows(int32_t *order, gsolve_context *ctx, const gsolve_csr *csr,
                            gs_ordering which);

/* The pattern of A + A' without the diagonal. */
typedef struct gs_adjacency {
    int32_t n;
    int64_t *start;     /* n + 1 */
    int32_t *neighbour; /* ascending in each row */
} gs_adjacency;

/* *g = the graph of A, which is square, clean and on the host. */
gsolve_status gs_adjacency_new(gs_adjacency *g, gsolve_context *ctx, const gsolve_csr *A);
void gs_adjacency_drop(gs_adjacency *g, gsolve_context *ctx);

/* --- for the files that implement it ---------------------------------------------------------- */

/* Whether the counts of CXSparse's amd, which are ints, hold for n rows and this number of entries
 * off the diagonal of A + A': it forms the sum of the pattern and its transpose, a fifth more space
 * for fill, and 8 (n + 1) numbers. So at most 2^30 - 1 entries, and 2^28 - 2 rows. */
bool gs_order_amd_counts(int32_t n, int64_t entries);

/* rcm.c. Allocates 16 n bytes for a while. */
gsolve_status gs_order_rcm(int32_t *order, gsolve_context *ctx, const gs_adjacency *g);

/* metis.c, or no_metis.c in a build without METIS: GSOLVE_UNSUPPORTED. */
gsolve_status gs_order_nd(int32_t *order, gsolve_context *ctx, const gs_adjacency *g);

#endif
