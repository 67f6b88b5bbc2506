/* transform.h: B = P R A C P', a scaled and permuted square matrix, for solves with A by those
 * with B:
 *
 *     A x = b   is   B y = P R b,   x = C P' y
 *
 * R and C are diagonal matrices of powers of two (matrix/scaling.h), P is a permutation
 * (factor/ordering.h). New values of A get new scales; the permutation and the kind of scaling
 * stay. */
#ifndef GS_FACTOR_TRANSFORM_H
#define GS_FACTOR_TRANSFORM_H

#include "factor/ordering.h"
#include "matrix/scaling.h"

/* What an option table asks for. */
typedef struct gs_transform_options {
    int scale; /* a gs_scaling */
    int order; /* a gs_ordering */
} gs_transform_options;

/* The rows `scale` and `order` of the option table of a struct of this type whose member
 * `transform` is a gs_transform_options. */
#define GS_SCALE_OPTION(type, help)                                                \
    {"scale", help, GSOLVE_CHOICE, offsetof(type, transform.scale), GS_SCALE_NONE, \
     0,       0,    GS_SCALE_WORDS}
#define GS_ORDER_OPTION(type, help)                                                \
    {"order", help, GSOLVE_CHOICE, offsetof(type, transform.order), GS_ORDER_NONE, \
     0,       0,    GS_ORDER_WORDS}

typedef struct gs_transform {
    int32_t n;
    gsolve_type type;
    gs_transform_options used; /* scale: as `auto` was decided */
    int32_t *order;            /* row k of B is row order[k] of A; NULL: P = I */
    int32_t *place;            /* its inverse; NULL: P = I */
    bool borrowed;             /* another transform owns order and place */
    double *row;               /* the diagonal of R, in the order of A; NULL: R = C = I */
    gsolve_matrix *in, *out;   /* P R and C P', as sparse matrices; NULL until
                                  gs_transform_prepare */
} gs_transform;

/* Whether the options ask for a transform. */
static inline bool gs_transform_wanted(const gs_transform_options *o)
{
    return o->scale != GS_SCALE_NONE || o->order != GS_ORDER_NONE;
}

/* Computes the scales and the permutation of csr, which is clean and on the host. who: names the
 * caller in messages, or is "". symmetric: R = C is needed; then scale=rows fails with
 * GSOLVE_BAD_SPEC, and scale=auto takes symmetric. Fails with GSOLVE_BAD_MATRIX if csr is not
 * square. */
gsolve_status gs_transform_create(gs_transform *t, gsolve_context *ctx,
                                  const gs_transform_options *options, bool symmetric,
                                  const char *who, const gsolve_csr *csr);

/* *fresh = t with new scales for a csr with new values in the pattern of the creation. fresh uses
 * the permutation of t, and must be destroyed or passed to gs_transform_replace before t is
 * destroyed. */
gsolve_status gs_transform_rescale(gs_transform *fresh, gsolve_context *ctx, const gs_transform *t,
                                   const gsolve_csr *csr);

/* t becomes fresh, which is left empty. t is empty, or fresh was made from it by
 * gs_transform_rescale; then gs_transform_prepare need not be called again. After a failure, which
 * is possible only if it was called, the scales of t are undefined. */
gsolve_status gs_transform_replace(gs_transform *t, gsolve_context *ctx, gs_transform *fresh);
void gs_transform_destroy(gs_transform *t, gsolve_context *ctx);

/* text = what t does in words, such as "symmetric scaling, rcm order"; "" if nothing. */
void gs_transform_describe(const gs_transform *t, char *text, size_t size);

/* *B = P R A C P', owned and clean, for A = csr on the host. */
gsolve_status gs_transform_rows(const gs_transform *t, gsolve_context *ctx, gsolve_csr *B,
                                const gsolve_csr *csr);

/* Vectors of the host: to = P R from; to = C P' from. They do not overlap. */
void gs_transform_in_host(const gs_transform *t, const double *from, double *to);
void gs_transform_out_host(const gs_transform *t, const double *from, double *to);

/* Makes what the next two functions need. */
gsolve_status gs_transform_prepare(gs_transform *t, gsolve_context *ctx);
/* to = P R from, or P C from if transposed; to = C P' from, or R P' from if transposed. Vectors of
 * t's type, where kernels read them, which do not overlap; one or several columns, column-major. */
gsolve_status gs_transform_in(const gs_transform *t, bool transposed, gsolve_dense from,
                              gsolve_dense to);
gsolve_status gs_transform_out(const gs_transform *t, bool transposed, gsolve_dense from,
                               gsolve_dense to);

#endif
