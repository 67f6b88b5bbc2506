/* vector.h: the vector kernels of Krylov methods, for one column. Scalars are pointers to doubles
 * on the device, so an iteration needs no transfer. A kernel that needs a quotient divides itself.
 * Sums are in double precision over blocks that depend on n alone, in a fixed order, so their bits
 * do not depend on the number of threads. */
#ifndef GS_VECTOR_VECTOR_H
#define GS_VECTOR_VECTOR_H

#include "core/device.h"
#include "vector/convergence.h"

/* sign (num / den) (num2 / den2); a NULL pointer stands for 1. If a divisor is 0, or the ratio is
 * not finite, or positive is set and num or den is negative, then the value is 0 and *flag is set
 * to flaw, unless flag is NULL. */
typedef struct gs_ratio {
    double sign;
    const double *num, *den, *num2, *den2;
    int *flag, flaw;
    bool positive;
} gs_ratio;

/* The vectors of pipelined CG: M^-1 w, A M^-1 w; the four directions; x, r, u = M^-1 r, w = A u. */
typedef struct gs_pipe {
    const void *m, *n;
    void *z, *q, *s, *p, *x, *r, *u, *w;
} gs_pipe;

/* The numbers and vectors of axpbypcz. */
typedef struct gs_axpbypcz_args {
    gs_ratio a, b, c;
    const void *x, *y; /* y may be NULL */
    void *z;
    const void *d; /* a diagonal, or NULL */
    void *w;       /* or NULL */
} gs_axpbypcz_args;

/* The vectors of residual_step. */
typedef struct gs_residual_vectors {
    const void *Aq, *d; /* d: a diagonal, or NULL */
    void *r;
} gs_residual_vectors;

/* The first m vectors of a basis, of any type: V_k = V + k stride. */
typedef struct gs_basis_vectors {
    int m;
    gsolve_type type;
    const void *V;
    int64_t stride; /* in elements */
} gs_basis_vectors;

/* The vectors of solution_step. */
typedef struct gs_solution {
    const void *p, *s, *t, *w;
    void *x, *r;
} gs_solution;

typedef struct gs_vector_kernels {
    /* y = 0 */
    gsolve_status (*zero)(gs_queue *q, int64_t n, void *y);
    /* y = x, x of any type */
    gsolve_status (*copy)(gs_queue *q, int64_t n, gsolve_type type, const void *x, void *y);
    /* y *= a */
    gsolve_status (*scale)(gs_queue *q, int64_t n, gs_ratio a, void *y);
    /* *xy = x'y */
    gsolve_status (*dot)(gs_queue *q, int64_t n, const void *x, const void *y, double *xy);
    /* *xy = x'y, *xx = x'x */
    gsolve_status (*dot2)(gs_queue *q, int64_t n, const void *x, const void *y, double *xy,
                          double *xx);
    /* y = a x + b y */
    gsolve_status (*axpby)(gs_queue *q, int64_t n, gs_ratio a, const void *x, gs_ratio b, void *y);
    /* z = a x + b y + c z; y NULL: a x + c z. w = d * z, or z where d is NULL, unless w is NULL */
    gsolve_status (*axpbypcz)(gs_queue *q, int64_t n, const gs_axpbypcz_args *v);
    /* y += a x, *yy = y'y */
    gsolve_status (*axpy_norm)(gs_queue *q, int64_t n, gs_ratio a, const void *x, void *y,
                               double *yy);
    /* r -= a Aq, *rr = r'r, *rz = r'(d * r); d NULL: *rz = *rr. Makes the convergence test, with
     * *rz if test->factor is set; not if it is set and d is NULL: then r'M^-1 r is not known yet.
     * If test->progress is NULL, there is no test. */
    gsolve_status (*residual_step)(gs_queue *q, int64_t n, gs_ratio a, gs_residual_vectors v,
                                   double *rr, double *rz, const gs_convergence_test *test);
    /* x += a p + b s, r -= b t, *rr = r'r, *wr = w'r. Makes the convergence test as residual_step
     * does. */
    gsolve_status (*solution_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_solution v,
                                   double *rr, double *wr, const gs_convergence_test *test);
    /* x += a p, p = d * r + b p; d NULL: p = r + b p. The last kernel of a step: it also runs in
     * the step in which the column ends. */
    gsolve_status (*direction_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, const void *d,
                                    const void *r, void *p, void *x);
    /* h[k] = V_k'w for k < m */
    gsolve_status (*dots)(gs_queue *q, int64_t n, gs_basis_vectors V, const void *w, double *h);
    /* w += sign sum_k h[k] V_k, *ww = w'w; ww may be NULL */
    gsolve_status (*combine)(gs_queue *q, int64_t n, gs_basis_vectors V, const double *h,
                             double sign, void *w, double *ww);
    /* z = n + b z, q = m + b q, s = w + b s, p = u + b p, then x += a p, r -= a s, u -= a q,
     * w -= a z, all in one pass, with *ru = r'u, *wu = w'u, *rr = r'r of the new ones */
    gsolve_status (*pipe_step)(gs_queue *q, int64_t n, gs_ratio a, gs_ratio b, gs_pipe v,
                               double *ru, double *wu, double *rr);
    /* *total = sum of x_i */
    gsolve_status (*sum)(gs_queue *q, int64_t n, const void *x, double *total);
    /* y_i += sign *a for all i */
    gsolve_status (*shift)(gs_queue *q, int64_t n, const double *a, double sign, void *y);
} gs_vector_kernels;

extern const gs_vector_kernels GS_HOST_TABLES(gs_vector);
extern const gs_vector_kernels gs_vector_cuda[GSOLVE_TYPE_COUNT];

typedef struct gs_product_sums { /* inner products that a product y = A x computes as well */
    const void *w;
    double *wy, *yy; /* w'y; y'y or NULL */
} gs_product_sums;

/* Computes the inner products of y, for a product that did not. */
static inline gsolve_status gs_sum_product(const gs_vector_kernels *vector, gs_queue *q, int64_t n,
                                           const void *y, const gs_product_sums *s)
{
    return s->yy ? vector->dot2(q, n, y, s->w, s->wy, s->yy) : vector->dot(q, n, s->w, y, s->wy);
}

#endif
