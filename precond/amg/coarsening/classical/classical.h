/* classical.h: the steps of coarsening by a splitting into C points, which are the next level's
 * unknowns, and F points, which are interpolated from C points around them. All arrays lie where
 * ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H

#include "matrix/csr.h"
#include "precond/amg/options.h"

/* --- strong connections ----------------------------------------------------------------------- */

/* Of each of A's entries: */
#define GS_SAME   1u /* beside the diagonal, between unknowns of the same component */
#define GS_STRONG 2u /* and strong: its row depends on its column */

/* What an unknown is. */
#define GS_ALONE  0u /* depends on none: smoothing settles it, nothing is interpolated there */
#define GS_OPEN   1u /* not decided yet */
#define GS_F      2u
#define GS_MIDDLE 3u /* a C point of the first of two stages */
#define GS_C      4u

typedef struct gs_points {
    const gsolve_csr *A;
    const uint8_t *component; /* nrows: between equal ones is interpolated; NULL: all are equal */
    uint8_t *mark;            /* entries */
    uint8_t *kind;            /* nrows */
} gs_points;

typedef struct gs_classical_connect_kernels {
    /* component[i] = i % block on the finest level; below it the first column of near_null that is
     * not 0 in row i */
    gsolve_status (*components)(gsolve_context *ctx, int32_t n, int32_t block,
                                const gsolve_dense *near_null, uint8_t *component);
    /* mark, and kind: alone or open. Strong: -a_ij >= strength max_k -a_ik > 0, with the signs
     * turned where a_ii < 0. */
    gsolve_status (*connect)(gsolve_context *ctx, const gs_points *p, double strength);
    /* d[i] = a_ii, or 0 */
    gsolve_status (*diagonal)(gsolve_context *ctx, const gsolve_csr *A, double *d);
    /* indicator (of A's type) = 1 in the column of each C point's component, else 0; number[i]: of
     * C point i, else negative. */
    gsolve_status (*indicate)(gsolve_context *ctx, int32_t n, const uint8_t *component,
                              const int32_t *number, gsolve_dense indicator);
} gs_classical_connect_kernels;

extern const gs_classical_connect_kernels gs_classical_connect_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_connect_kernels gs_classical_connect_cuda[GSOLVE_TYPE_COUNT];

/* --- splitting -------------------------------------------------------------------------------- */

typedef struct gs_classical_split_kernels {
    /* kind: open points become C, or F where they depend on a C point or none depends on them. Of
     * two that depend on each other not both become C. The same on every device. */
    gsolve_status (*split)(gsolve_context *ctx, const gs_points *p);
    /* C points that depend on another by one strong connection or two become middle, until no two
     * that are left depend on each other so. */
    gsolve_status (*thin)(gsolve_context *ctx, const gs_points *p);
    /* number[i] = points before i of kind least or above where i is one, else -1; *count of them */
    gsolve_status (*number)(gsolve_context *ctx, int32_t n, const uint8_t *kind, uint8_t least,
                            int32_t *number, int32_t *count);
    /* point[number[i]] = i */
    gsolve_status (*list)(gsolve_context *ctx, int32_t n, const int32_t *number, int32_t *point);
} gs_classical_split_kernels;

extern const gs_classical_split_kernels gs_classical_split_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_split_kernels gs_classical_split_cuda[GSOLVE_TYPE_COUNT];

/* --- interpolation ---------------------------------------------------------------------------- */

/* Rows of P: of all points, or of some. */
typedef struct gs_weighing {
    gs_points points;
    const double *diagonal; /* A's */
    const int32_t *number;  /* nrows: C points' columns in P; negative: another point */
    int32_t count;          /* columns of P */
    int32_t rows;           /* of P */
    const int32_t *point;   /* rows: row r is that of point[r]; NULL: of r */
    gs_interpolation kind;
    int most;        /* entries of a row, 0: any */
    double truncate; /* entries below that share of the row's largest are dropped */
} gs_weighing;

typedef struct gs_classical_weigh_kernels {
    /* P, owned, columns ascending. A C point's row is 1 in its own column; an alone point's is
     * empty; an F point's entries are those of weigh_body.h, scaled to the sum that they had
     * before some were dropped. */
    gsolve_status (*weigh)(gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w);
    /* P's values: A's have changed, pattern and points have not */
    gsolve_status (*renew)(const gsolve_csr *P, gsolve_context *ctx, const gs_weighing *w);
} gs_classical_weigh_kernels;

extern const gs_classical_weigh_kernels gs_classical_weigh_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_weigh_kernels gs_classical_weigh_cuda[GSOLVE_TYPE_COUNT];

/* --- truncation of a matrix that is there ----------------------------------------------------- */

typedef struct gs_classical_cut_kernels {
    /* Q, owned: P's rows cut to most entries and those of truncate, and scaled */
    gsolve_status (*cut)(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P, int most,
                         double truncate);
    /* Q's values from P's new ones */
    gsolve_status (*renew)(const gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P);
} gs_classical_cut_kernels;

extern const gs_classical_cut_kernels gs_classical_cut_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_cut_kernels gs_classical_cut_cuda[GSOLVE_TYPE_COUNT];

#endif
