/* classical.h: the steps of classical coarsening. C points are the unknowns of the next level. F
 * points are interpolated from C points near them. All arrays lie where ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H

#include "matrix/csr.h"
#include "precond/amg/options.h"

/* --- strong connections ----------------------------------------------------------------------- */

/* Flags of each of A's entries. */
#define GS_SAME   1u /* not on the diagonal, and between unknowns of one component */
#define GS_STRONG 2u /* strong: its row depends on its column; GS_SAME is set too */

/* The kind of an unknown. */
#define GS_ISOLATED \
    0u /* depends on no other: smoothing removes its error, and it is not interpolated */
#define GS_UNDECIDED      1u /* not decided yet */
#define GS_F              2u
#define GS_INTERMEDIATE_C 3u /* a C point of the first stage only */
#define GS_C              4u

typedef struct gs_points {
    const gsolve_csr *A;
    const uint8_t
        *component; /* nrows: interpolation is between equal components only; NULL: there is one */
    uint8_t *mark;  /* entries */
    uint8_t *kind;  /* nrows */
} gs_points;

typedef struct gs_classical_dependence_kernels {
    /* On the finest level component[i] = i % block; below it the first column of near_null that is
     * not 0 in row i. */
    gsolve_status (*components)(gsolve_context *ctx, int32_t n, int32_t block,
                                const gsolve_dense *near_null, uint8_t *component);
    /* Sets mark, and kind to isolated or undecided. Strong: -a_ij >= strength max_k -a_ik > 0, with
     * opposite signs if a_ii < 0. */
    gsolve_status (*connect)(gsolve_context *ctx, const gs_points *p, double strength);
    /* d[i] = a_ii, or 0 */
    gsolve_status (*diagonal)(gsolve_context *ctx, const gsolve_csr *A, double *d);
    /* indicator (of A's type): row r belongs to C point r; 1 in the column of its component, else
     * 0. number[i]: the number of C point i; negative: not a C point. */
    gsolve_status (*indicate)(gsolve_context *ctx, int32_t n, const uint8_t *component,
                              const int32_t *number, gsolve_dense indicator);
} gs_classical_dependence_kernels;

extern const gs_classical_dependence_kernels gs_classical_dependence_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_dependence_kernels gs_classical_dependence_cuda[GSOLVE_TYPE_COUNT];

/* --- splitting -------------------------------------------------------------------------------- */

typedef struct gs_classical_split_kernels {
    /* Decides the undecided points: C, or F if they depend on a C point or no point depends on
     * them. Of two points that depend on each other at most one becomes C. The result is the same
     * on every device. */
    gsolve_status (*split)(gsolve_context *ctx, const gs_points *p);
    /* The second splitting: C points become intermediate until no C point depends on another one by
     * one or two strong connections. */
    gsolve_status (*split_second)(gsolve_context *ctx, const gs_points *p);
    /* number[i] = the number of points before i of at least this kind, if i is one of them; else
     * -1. *count: all of them. */
    gsolve_status (*number)(gsolve_context *ctx, int32_t n, const uint8_t *kind, uint8_t least,
                            int32_t *number, int32_t *count);
    /* point[number[i]] = i */
    gsolve_status (*list)(gsolve_context *ctx, int32_t n, const int32_t *number, int32_t *point);
} gs_classical_split_kernels;

extern const gs_classical_split_kernels gs_classical_split_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_split_kernels gs_classical_split_cuda[GSOLVE_TYPE_COUNT];

/* --- interpolation ---------------------------------------------------------------------------- */

/* What interpolation needs to compute rows of P: of all points, or of some. */
typedef struct gs_interpolation_rows {
    gs_points points;
    const double *diagonal; /* diagonal of A */
    const int32_t *number;  /* nrows: the column in P of each C point; negative: not a C point */
    int32_t count;          /* columns of P */
    int32_t rows;           /* of P */
    const int32_t *point;   /* rows: row r belongs to point[r]; NULL: to point r */
    gs_interpolation kind;
    int most;        /* limit of entries per row; 0: none */
    double truncate; /* entries below this share of the row's largest are dropped */
} gs_interpolation_rows;

typedef struct gs_classical_interpolate_kernels {
    /* create: *P, owned, rows sorted. The row of a C point is 1 in its own column; that of an
     * isolated point is empty; that of an F point is given in interpolate_body.h. After truncation
     * a row is scaled to the sum that it had before. Else: recomputes P's values; A has new values,
     * pattern and points are unchanged. */
    gsolve_status (*interpolate)(gsolve_csr *P, gsolve_context *ctx, const gs_interpolation_rows *w,
                                 bool create);
    /* *Q, owned = P with its rows truncated and scaled: at most `most` entries of each row are kept
     * (0: any number), of equal ones the first columns, and none below truncate times the largest.
     */
    gsolve_status (*truncate_rows)(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P,
                                   int most, double truncate);
    /* Recomputes Q's values from P's new values. */
    gsolve_status (*update_truncated)(const gsolve_csr *Q, gsolve_context *ctx,
                                      const gsolve_csr *P);
} gs_classical_interpolate_kernels;

extern const gs_classical_interpolate_kernels gs_classical_interpolate_host[GSOLVE_TYPE_COUNT];
extern const gs_classical_interpolate_kernels gs_classical_interpolate_cuda[GSOLVE_TYPE_COUNT];

#endif
