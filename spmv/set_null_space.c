/* set_null_space.c: gsolve_matrix_set_null_space: the library's orthonormal copies, and their
 * check.
 *
 * The check multiplies A with each vector v of the right null space, and with one random vector u.
 * |A u| / |u| is about the size of A. A vector w of the left null space has w'A u = 0. If |A'w| is
 * not small, w'A u is about |A'w| |u| / sqrt(n), since u has no preferred direction. So the check
 * needs no product with A'. */
#include "matrix/null_space.h"

#include <math.h>
#include <stdio.h>

#include "core/staging.h"
#include "core/try.h"
#include "gsolve_io.h"
#include "matrix/operator.h"
#include "spmv/distributed/distributed.h"
#include "spmv/handle.h"
#include "vector/vector.h"

/* |A v| may be this multiple of |A| |v|. */
#define MOST_DOUBLE 1e-8
#define MOST_SINGLE 1e-5

/* --- the library's copies --------------------------------------------------------------------- */

/* *norm = |v|, over the ranks that share v. h: one number on the device. */
static gsolve_status norm_of(gsolve_context *ctx, gs_comm *comm, gsolve_dense v, double *h,
                             double *norm)
{
    gsolve_status status;

    TRY(GS_KERNELS(gs_vector, ctx, v.type)->dot(ctx->queue, v.nrows, v.value, v.value, h));
    TRY(gs_comm_sum_of(comm, h, 1));
    TRY(gsolve_copy(ctx, norm, GSOLVE_HOST, h, gs_location(ctx), sizeof *norm));
    *norm = sqrt(*norm);
done:
    return status;
}

static gsolve_status scale(gsolve_context *ctx, gsolve_dense v, double factor)
{
    const gs_ratio by = {.sign = factor};

    return GS_KERNELS(gs_vector, ctx, v.type)->scale(ctx->queue, v.nrows, by, v.value);
}

/* Makes column j of N->V orthogonal to the constants and to the columns before it, with norm 1.
 * *rest: the part of it that was left; -1 if it is 0, NAN if it is not finite. */
static gsolve_status orthonormalise(gsolve_context *ctx, const gs_null_space *N, int32_t j,
                                    double *h, double *rest)
{
    const gsolve_dense v = gs_column_of(N->V, j);
    gs_null_space before = *N;
    double norm;
    gsolve_status status;

    before.V.ncols = j;
    TRY(norm_of(ctx, N->comm, v, h, &norm));
    *rest = norm == 0 ? -1 : NAN;
    if (!(norm > 0) || !isfinite(norm)) return GSOLVE_OK;
    TRY(scale(ctx, v, 1 / norm));
    for (int pass = 0; pass < 2; pass++) TRY(gs_null_project(ctx, &before, v, h));
    TRY(norm_of(ctx, N->comm, v, h, rest));
    if (*rest > 0) TRY(scale(ctx, v, 1 / *rest));
done:
    return status;
}

/* Fails for vector j of `given`; rest: see orthonormalise. */
static gsolve_status refuse_vector(gsolve_context *ctx, const gsolve_null_space *given, int32_t j,
                                   double rest, const char *side)
{
    const char *others =
        given->constants ? "the constants and the vectors before it" : "the vectors before it";

    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "vector %d of the %s null space (counted from 1) %s%s; remove it", j + 1,
                       side,
                       rest == -1    ? "is 0"
                       : isnan(rest) ? "has a value that is not finite, or too large to be squared"
                                     : "depends linearly on ",
                       rest >= 0 ? (given->constants && j == 0 ? "the constants" : others) : "");
}

/* The number of rows of A over all ranks. */
static int64_t total_rows(const gsolve_matrix *A)
{
    return A->dist ? A->dist->rows.total : A->csr.nrows;
}

/* N->V = copies of the given vectors. *in: of them, where kernels read them. */
static gsolve_status stage_vectors(gs_null_space *N, gsolve_context *ctx, gsolve_dense from,
                                   gs_stage *in)
{
    const int64_t stride = ((int64_t)from.nrows + 15) / 16 * 16;
    gsolve_status status = GSOLVE_OK;

    if (from.ncols == 0) return GSOLVE_OK;
    N->V = (gsolve_dense){from.nrows,       from.ncols,         stride, NULL, GSOLVE_F64,
                          gs_location(ctx), GSOLVE_COLUMN_MAJOR};
    N->V.value = gsolve_alloc(ctx, N->V.location, (size_t)(stride * from.ncols), sizeof(double));
    TRY(N->V.value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_stage_in(in, ctx, N->V.location, from, true));
    for (int32_t j = 0; j < from.ncols; j++) {
        TRY(GS_KERNELS(gs_vector, ctx, GSOLVE_F64)
                ->copy(ctx->queue, from.nrows, from.type, gs_column_of(in->used, j).value,
                       gs_column_of(N->V, j).value));
    }
done:
    return status;
}

/* *N = an orthonormal basis of `given`. h: dimension numbers on the device. side: "right". */
static gsolve_status new_space(gs_null_space *out, const gsolve_matrix *A,
                               const gsolve_null_space *given, double *h, const char *side)
{
    gsolve_context *ctx = A->ctx;
    const double least = given->vectors.type == GSOLVE_F32 ? MOST_SINGLE : MOST_DOUBLE;
    gs_null_space N = {given->constants, total_rows(A), gs_matrix_comm(A), {0}};
    gs_stage in = {0};
    double rest;
    gsolve_status status;

    TRY(gs_comm_check(N.comm, stage_vectors(&N, ctx, given->vectors, &in)));
    for (int32_t j = 0; j < N.V.ncols; j++) {
        TRY(orthonormalise(ctx, &N, j, h, &rest));
        if (rest > least) continue;
        status = refuse_vector(ctx, given, j, rest, side);
        goto done;
    }
    *out = N;
    N.V.value = NULL;
done:
    gs_stage_drop(&in, ctx);
    gsolve_free(ctx, gs_location(ctx), N.V.value);
    return status;
}

/* --- the check -------------------------------------------------------------------------------- */

typedef struct check {
    const gsolve_matrix *A;
    gs_comm *comm;     /* the ranks that share A, or NULL */
    int64_t first, n;  /* the first row of this rank; the number of rows over all ranks */
    gsolve_dense u, y; /* one column each, of A's type */
    double *h;         /* as many numbers as the null space has dimensions, on the device */
    double *on_host;   /* a copy of h */
    double alpha;      /* products are with alpha A, whose squares are in range */
    double size;       /* about |alpha A| */
    bool left_given;   /* the caller gave the left null space */
} check;

/* c->u = random numbers. */
static gsolve_status set_random(const check *c)
{
    gsolve_context *ctx = c->A->ctx;
    const gsolve_type type = c->u.type;
    const size_t bytes = (size_t)c->u.nrows * gs_type_size(type);
    void *draft = gs_draft(ctx, c->u.value, bytes);

    if (!draft) return GSOLVE_NO_MEMORY;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < c->u.nrows; i++) {
        const double value = gsolve_random(2026, (uint64_t)(c->first + i));
        if (type == GSOLVE_F32) ((float *)draft)[i] = (float)value;
        if (type == GSOLVE_F64) ((double *)draft)[i] = value;
    }
    return gs_draft_put(ctx, c->u.value, draft, bytes);
}

/* c->u = random numbers; c->y = alpha A u, with the first alpha for which |y| is in range. */
static gsolve_status multiply_random(check *c)
{
    static const int exponents[] = {0, -45, 45, -90, 90};
    gsolve_context *ctx = c->A->ctx;
    const int unit = c->u.type == GSOLVE_F32 ? 1 : 10;
    double norm_u, norm_y = 0;
    gsolve_status status;

    TRY(gs_comm_check(c->comm, set_random(c)));
    TRY(norm_of(ctx, c->comm, c->u, c->h, &norm_u));
    for (int i = 0; i < 5; i++) {
        c->alpha = ldexp(1, unit * exponents[i]);
        TRY(gsolve_matrix_apply(c->A, c->alpha, c->u, 0, c->y));
        TRY(norm_of(ctx, c->comm, c->y, c->h, &norm_y));
        if (norm_y > 1e-100 && norm_y < 1e100) break;
    }
    c->size = norm_u > 0 ? norm_y / norm_u : 0;
done:
    return status;
}

static double tolerance(const check *c)
{
    return c->u.type == GSOLVE_F32 ? MOST_SINGLE : MOST_DOUBLE;
}

/* Fails for vector j of the basis: |A v| or |A'v| is `measured` |A| |v|. */
static gsolve_status refuse(const check *c, const gs_null_space *N, int32_t j, bool left,
                            double measured)
{
    char which[60] = "the constant vector";

    if (j >= N->constants) {
        snprintf(which, sizeof which, "vector %d of the %s null space (counted from 1)",
                 j - N->constants + 1, left && c->left_given ? "left" : "right");
    }
    if (left && !c->left_given) {
        return gsolve_fail(c->A->ctx, GSOLVE_BAD_ARGUMENT,
                           "A is not symmetric: %s is in the null space of A, but not in that of "
                           "its transpose (|A'v| = %.1e |A| |v|); give the null space of A' as the "
                           "left one",
                           which, measured);
    }
    return gsolve_fail(
        c->A->ctx, GSOLVE_BAD_ARGUMENT,
        "%s%s is not in the null space of %s: |%s v| = %.1e |A| |v|, and at most %.0e |A| |v| is "
        "allowed; correct the vector or the matrix, or remove the null space",
        left ? "the left null space is wrong: " : "", which, left ? "A'" : "A", left ? "A'" : "A",
        measured, tolerance(c));
}

/* c->on_host[j] = about |A'w| / |A| for vector w = j of the left null space: |w'A u| sqrt(n) / |A
 * u| with c->y = A u, which is overwritten. */
static gsolve_status measure_left(const check *c, const gs_null_space *N)
{
    gsolve_context *ctx = c->A->ctx;
    const int32_t k = gs_null_dimension(N);
    const double root = sqrt((double)c->n);
    double norm;
    gsolve_status status;

    TRY(norm_of(ctx, c->comm, c->y, c->h, &norm));
    TRY(gs_null_project(ctx, N, c->y, c->h));
    TRY(gsolve_copy(ctx, c->on_host, GSOLVE_HOST, c->h, gs_location(ctx),
                    (size_t)k * sizeof *c->h));
    for (int32_t j = 0; j < k; j++) {
        const double part = fabs(j < N->constants ? c->on_host[j] / root : c->on_host[j]);
        c->on_host[j] = norm > 0 ? part / norm * root : 0;
    }
done:
    return status;
}

/* c->u = vector j of the basis. */
static gsolve_status set_vector(const check *c, const gs_null_space *N, int32_t j)
{
    gsolve_context *ctx = c->A->ctx;
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, c->u.type);
    const double constant = 1 / sqrt((double)c->n);
    gsolve_status status;

    if (j >= N->constants) {
        return vector->copy(ctx->queue, c->u.nrows, N->V.type,
                            gs_column_of(N->V, j - N->constants).value, c->u.value);
    }
    TRY(gsolve_copy(ctx, c->h, gs_location(ctx), &constant, GSOLVE_HOST, sizeof constant));
    TRY(vector->zero(ctx->queue, c->u.nrows, c->u.value));
    TRY(vector->shift(ctx->queue, c->u.nrows, c->h, 1, c->u.value));
done:
    return status;
}

static gsolve_status check_right(const check *c, const gs_null_space *N)
{
    double norm;
    gsolve_status status = GSOLVE_OK;

    for (int32_t j = 0; j < gs_null_dimension(N); j++) {
        TRY(set_vector(c, N, j));
        TRY(gsolve_matrix_apply(c->A, c->alpha, c->u, 0, c->y));
        TRY(norm_of(c->A->ctx, c->comm, c->y, c->h, &norm));
        if (norm <= tolerance(c) * c->size) continue;
        return refuse(c, N, j, false, norm / c->size);
    }
done:
    return status;
}

static gsolve_status reserve(check *c, int32_t dimension)
{
    gsolve_context *ctx = c->A->ctx;
    const gsolve_location location = gs_location(ctx);
    const int32_t n = c->A->csr.nrows;
    gsolve_status status;

    TRY(gs_dense_new(&c->u, ctx, location, c->A->csr.type, n, 1));
    TRY(gs_dense_new(&c->y, ctx, location, c->A->csr.type, n, 1));
    ALLOC(ctx, location, c->h, dimension);
    ALLOC(ctx, GSOLVE_HOST, c->on_host, dimension);
done:
    return status;
}

/* Fails unless A maps right to 0, and A' maps left to 0. */
static gsolve_status check_spaces(const gsolve_matrix *A, const gs_null_space *right,
                                  const gs_null_space *left, bool left_given)
{
    const int32_t k = gs_null_dimension(right);
    const gsolve_location location = gs_location(A->ctx);
    check c = {.A = A,
               .comm = right->comm,
               .first = A->dist ? A->dist->rows.first : 0,
               .n = right->n,
               .left_given = left_given};
    gsolve_status status;

    TRY(gs_comm_check(c.comm, reserve(&c, k)));
    TRY(multiply_random(&c));
    TRY(measure_left(&c, left));
    TRY(check_right(&c, right));
    for (int32_t j = 0; j < k; j++) {
        if (c.on_host[j] <= tolerance(&c)) continue;
        status = refuse(&c, left, j, true, c.on_host[j]);
        goto done;
    }
done:
    gsolve_free(A->ctx, location, c.u.value);
    gsolve_free(A->ctx, location, c.y.value);
    gsolve_free(A->ctx, location, c.h);
    gsolve_free(A->ctx, GSOLVE_HOST, c.on_host);
    return status;
}

gsolve_status gs_matrix_check_null_spaces(const gsolve_matrix *A)
{
    gs_null_spaces *own = &A->lazy->null_spaces;
    gsolve_status status = GSOLVE_OK;

    if (own->borrowed || own->checked == A->version) return GSOLVE_OK;
    TRY(check_spaces(A, &own->right, &own->left, own->left_given));
    own->checked = A->version;
done:
    return status;
}

/* --- the handle ------------------------------------------------------------------------------- */

/* Checks the arguments, and sets *k to the dimension. */
static gsolve_status check_given(const gsolve_matrix *A, const gsolve_null_space *N,
                                 const char *side, int32_t *k)
{
    const gsolve_dense v = N->vectors;
    const bool empty = v.ncols == 0;
    const int64_t n = total_rows(A);

    *k = N->constants + v.ncols;
    if (v.ncols < 0 || *k < 1 || *k > n || (!empty && v.nrows != A->csr.nrows)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is %lld x %lld, so the %s null space must be constants, or "
                           "at least one vector of %d rows, and its dimension at most %lld; the "
                           "given vectors are %d x %d",
                           (long long)n, (long long)n, side, A->csr.nrows, (long long)n, v.nrows,
                           v.ncols);
    }
    if (empty) return GSOLVE_OK;
    if (v.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(A->ctx, v, "the null space");
    if (!v.value || (unsigned)v.type >= GSOLVE_TYPE_COUNT || !gs_stride_fits(v) ||
        !gs_reachable(A->ctx, v.location)) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "the vectors of the %s null space have no values (NULL), an unknown "
                           "type, a stride below the number of rows, or are not on the host or on "
                           "the device of the matrix",
                           side);
    }
    return GSOLVE_OK;
}

/* *made = the library's copies of the null spaces, checked. */
static gsolve_status make_spaces(const gsolve_matrix *A, const gsolve_null_space *right,
                                 const gsolve_null_space *left, int32_t k, gs_null_spaces *made)
{
    gs_null_spaces new = {.checked = A->version, .left_given = left};
    double *h = NULL;
    gsolve_status status;

    h = gsolve_alloc(A->ctx, GSOLVE_DEVICE, (size_t)k, sizeof *h);
    TRY(gs_comm_check(gs_matrix_comm(A), h ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(new_space(&new.right, A, right, h, "right"));
    new.left = new.right;
    if (left) {
        new.left = (gs_null_space){0};
        TRY(new_space(&new.left, A, left, h, "left"));
    }
    TRY(check_spaces(A, &new.right, &new.left, left));
    *made = new;
    new = (gs_null_spaces){0};
done:
    if (new.left.V.value != new.right.V.value) gs_null_space_drop(&new.left, A->ctx);
    gs_null_space_drop(&new.right, A->ctx);
    gsolve_free(A->ctx, GSOLVE_DEVICE, h);
    return status;
}

/* Checks the arguments of gsolve_matrix_set_null_space. *k = the dimension. */
static gsolve_status check_arguments(const gsolve_matrix *A, const gsolve_null_space *right,
                                     const gsolve_null_space *left, int32_t *k)
{
    int32_t of_left;
    gsolve_status status = GSOLVE_OK;

    if (left && !right) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_matrix_set_null_space: left is given without right; pass both");
    }
    if (!right) return GSOLVE_OK;
    if (A->csr.nrows != A->csr.ncols) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "a null space needs a square matrix and this one is %d x %d",
                           A->csr.nrows, A->csr.ncols);
    }
    if (A->dist && !A->dist->square) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "a null space needs a square matrix, whose rows and columns are "
                           "distributed alike over the ranks");
    }
    TRY(check_given(A, right, "right", k));
    if (!left) return GSOLVE_OK;
    TRY(check_given(A, left, "left", &of_left));
    if (of_left != *k) {
        return gsolve_fail(A->ctx, GSOLVE_BAD_ARGUMENT,
                           "the right null space has dimension %d and the left one %d; those of a "
                           "square matrix are equal",
                           *k, of_left);
    }
done:
    return status;
}

/* All ranks give null spaces of the same kinds. */
static gsolve_status agree(const gsolve_matrix *A, const gsolve_null_space *right,
                           const gsolve_null_space *left, int32_t k)
{
    const int32_t kinds[] = {k,
                             right && right->constants,
                             left != NULL,
                             left && left->constants,
                             right ? (int32_t)right->vectors.type : 0,
                             left ? (int32_t)left->vectors.type : 0};

    return gs_comm_same(gs_matrix_comm(A), gs_hash(A->ctx, kinds, sizeof kinds, 0),
                        "the dimensions and types of the null spaces");
}

gsolve_status gsolve_matrix_set_null_space(gsolve_matrix *A, const gsolve_null_space *right,
                                           const gsolve_null_space *left)
{
    gs_null_spaces made = {0};
    int32_t k = 0;
    gsolve_status status;

    if (!A) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(A->ctx);
    TRY(gs_comm_check(gs_matrix_comm(A), check_arguments(A, right, left, &k)));
    TRY(agree(A, right, left, k));
    if (right) TRY(make_spaces(A, right, left, k, &made));
    gs_matrix_drop_null_spaces(A);
    made.version = A->null_spaces.version + 1;
    A->null_spaces = made;
done:
    return status;
}
