/* classical.h: the steps of classical coarsening. C points are the unknowns of the next level. F
 * points are interpolated from C points near them. All arrays lie where ctx's kernels work. */
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CLASSICAL_H

#include "precond/amg/coarsening/steps.h"
#include "precond/amg/options.h"

/* --- splitting -------------------------------------------------------------------------------- */

typedef struct gs_classical_split_kernels {
    /* Decides the undecided points: C, or F if they depend on a C point or no point depends on
     * them. Of two points that depend on each other at most one becomes C. The result is the same
     * on every device. second: the second splitting, of C points that have become undecided: they
     * become intermediate until no C point depends on another one by one or two strong
     * connections. */
    gsolve_status (*split)(gsolve_context *ctx, const gs_points *p, bool second);
} gs_classical_split_kernels;

extern const gs_classical_split_kernels GS_HOST_TABLES(gs_classical_split);
extern const gs_classical_split_kernels gs_classical_split_cuda[GSOLVE_TYPE_COUNT];

/* The second splitting after the first. */
gsolve_status gs_split_again(gsolve_context *ctx, const gs_points *p);

/* --- interpolation ---------------------------------------------------------------------------- */

/* What interpolation needs to compute rows of P: of all points, or of some. */
typedef struct gs_interpolation_rows {
    gs_points points;
    double *diagonal; /* diagonal of A */
    int32_t *number;  /* nrows: the column in P of each C point; negative: not a C point */
    int32_t count;    /* columns of P */
    int32_t rows;     /* of P */
    int32_t *point;   /* rows: row r belongs to point[r]; NULL: to point r */
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
    /* *out: P has only columns that the rows w find, so that interpolate can recompute its values.
     * P and on_host, a copy of w's points, are on the host, and their indices are in range. On a
     * device: NULL. */
    gsolve_status (*fits)(gsolve_context *ctx, const gs_interpolation_rows *w,
                          const gs_points *on_host, const gsolve_csr *P, bool *out);
} gs_classical_interpolate_kernels;

extern const gs_classical_interpolate_kernels GS_HOST_TABLES(gs_classical_interpolate);
extern const gs_classical_interpolate_kernels gs_classical_interpolate_cuda[GSOLVE_TYPE_COUNT];

#endif
