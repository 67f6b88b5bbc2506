/* null_space.h: the null spaces of a singular matrix, as a matrix handle holds them, and the
 * projection that removes them from a vector. spmv/null_space.c implements it. */
#ifndef GS_MATRIX_NULL_SPACE_H
#define GS_MATRIX_NULL_SPACE_H

#include "core/dense.h"

/* An orthonormal basis: the constant vector 1 / sqrt(n), which is not stored, and the columns of V,
 * which are orthogonal to it. If A is distributed over ranks, V has the rows of this rank. */
typedef struct gs_null_space {
    bool constants;
    int64_t n;            /* the length of the vectors, over all ranks */
    struct gs_comm *comm; /* the ranks that share them, or NULL */
    gsolve_dense V; /* f64, where kernels read it; its stride is a multiple of 16; ncols may be 0 */
} gs_null_space;

typedef struct gs_null_spaces {
    gs_null_space right, left; /* left.V may be right.V */
    uint64_t version;          /* changes when the caller sets or removes a null space */
    uint64_t checked;          /* the version of A's values that the null spaces belong to */
    bool borrowed;             /* another matrix owns V */
    bool left_given;           /* the caller gave left, too */
} gs_null_spaces;

static inline int32_t gs_null_dimension(const gs_null_space *N)
{
    return N->constants + N->V.ncols;
}

/* The null spaces of A; their dimension is 0 if A has none. The pointer is valid as long as A. */
const gs_null_spaces *gs_matrix_null_spaces(const gsolve_matrix *A);

/* If A has other values than those that its null spaces were checked for, checks them again. Fails
 * with GSOLVE_BAD_ARGUMENT if A does not map them to 0. */
gsolve_status gs_matrix_check_null_spaces(const gsolve_matrix *A);

/* Gives A the null spaces of B, which must exist as long as A uses them. They are not checked. */
void gs_matrix_borrow_null_spaces(gsolve_matrix *A, const gsolve_matrix *B);

/* v = v - N N'v for one column of any type, where kernels read it. h: dimension numbers on the
 * device, which become the sum of v if N has constants, and then V'v. Collective. */
gsolve_status gs_null_project(gsolve_context *ctx, const gs_null_space *N, gsolve_dense v,
                              double *h);

/* |N N'v| from the numbers h of gs_null_project, which are on the host. */
double gs_null_norm(const gs_null_space *N, const double *h);

#endif
