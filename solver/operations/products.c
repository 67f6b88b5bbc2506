/* products.c: the operations that apply A or M. They work on the first k->wide columns at once,
 * including those that have ended. */
#include <math.h>

#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/operations/common.h"

/* v with as many columns as may be active. */
static gsolve_dense wide_columns(const gs_krylov *k, gsolve_dense v)
{
    return gs_first_columns(v, k->wide);
}

/* --- the profile ------------------------------------------------------------------------------ */

/* A product begins. It reads the matrix once, and moves x, y and `others` other vectors in each
 * column. Returns the time. */
static double begin_product(gs_krylov *k, gs_class class, int others)
{
    const double size = (double)gs_type_size(k->csr.type), y = size * k->csr.nrows;
    const double xy = y + size * k->csr.ncols;
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);

    if (gs_profiling(&k->run->profile)) gsolve_matrix_describe(k->A, &A);
    gs_expect_bytes(&k->run->profile, class,
                    (double)A.bytes + (k->wide - 1) * xy + k->wide * others * y);
    return gs_op_begin_all(k);
}

/* M begins. It reads what it holds once, and moves r and z in each column. Returns the time. */
static double begin_precond(gs_krylov *k, gs_class class)
{
    const size_t vectors = 2 * (size_t)k->csr.nrows * gs_type_size(k->csr.type);
    gsolve_precond_info M = GSOLVE_INIT(gsolve_precond_info);

    if (gs_profiling(&k->run->profile)) gsolve_precond_describe(k->M, &M);
    gs_expect_bytes(&k->run->profile, class, (double)M.moved + (k->wide - 1) * (double)vectors);
    return gs_op_begin_all(k);
}

/* A failure of this rank waits for the next sum. */
static gsolve_status end_product(gs_krylov *k, double begin, gsolve_status status)
{
    gs_end_block(k);
    k->run->counts.products++;
    k->run->counts.product_seconds += gs_now() - begin;
    return gs_comm_defer(k->comm, status);
}

static gsolve_status end_precond(gs_krylov *k, double begin, gsolve_status status)
{
    gs_end_block(k);
    k->run->counts.precond_seconds += gs_now() - begin;
    return gs_comm_defer(k->comm, status);
}

/* --- null spaces ------------------------------------------------------------------------------ */

static const gs_null_space *right_space(const gs_krylov *k)
{
    return &k->run->projection.spaces->right;
}

static const gs_null_space *left_space(const gs_krylov *k)
{
    return &k->run->projection.spaces->left;
}

/* --- products --------------------------------------------------------------------------------- */

/* The run's A is this multiple of the caller's, see outer.c. */
static double factor_of_A(const gs_krylov *k)
{
    return ldexp(1, k->run->size);
}

/* y = A x. The columns of k->x do not move, so that they may be in another order than those of y:
 * then there is a product for each column. */
static gsolve_status multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    const double factor = factor_of_A(k);
    bool in_order = x.value != k->x.value;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->wide && !in_order; c++) {
        if (k->run->order[c] != c) break;
        in_order = c + 1 == k->wide;
    }
    if (in_order) {
        return gsolve_matrix_apply(k->A, factor, wide_columns(k, x), 0, wide_columns(k, y));
    }
    for (int32_t c = 0; c < k->wide && status == GSOLVE_OK; c++) {
        status =
            gsolve_matrix_apply(k->A, factor, gs_operand_column(k, x, c), 0, gs_column_of(y, c));
    }
    return status;
}

gsolve_status gs_multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    const double begin = begin_product(k, GS_PRODUCT, 0);

    return end_product(k, begin, multiply(k, x, y));
}

gsolve_status gs_multiply_transpose(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    const double begin = begin_product(k, GS_PRODUCT_TRANSPOSE, 0);
    const gsolve_status status = gsolve_matrix_apply_transpose(
        k->A, factor_of_A(k), wide_columns(k, x), 0, wide_columns(k, y));

    return end_product(k, begin, status);
}

/* A format computes the sums of one column during the product. Those of several columns are
 * computed after it. */
gsolve_status gs_multiply_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gsolve_dense w,
                              gs_scalar wy, gs_scalar yy)
{
    gsolve_status status;
    double begin;

    if (k->wide > 1 || k->run->size != 0) {
        TRY(gs_multiply(k, x, y));
        return yy ? gs_dot2(k, y, w, wy, yy) : gs_dot(k, w, y, wy);
    }
    begin = begin_product(k, GS_PRODUCT_DOT, w.value != x.value);
    status = gsolve_matrix_apply_dot(k->A, wide_columns(k, x), wide_columns(k, y),
                                     wide_columns(k, w), wy, yy);
    status = end_product(k, begin, status);
done:
    return status;
}

gsolve_status gs_residual(gs_krylov *k, gsolve_dense r)
{
    gsolve_status status;

    if (k->run->x_is_zero) {
        TRY(gs_copy_vector(k, k->b, r)); /* r = b       */
    } else {
        TRY(gs_multiply(k, k->x, r));                           /* r = A x     */
        TRY(gs_axpby(k, gs_number(1), k->b, gs_number(-1), r)); /* r = b - r   */
    }
    if (gs_projects(k)) TRY(gs_op_project(k, left_space(k), r));
    TRY(gs_dot(k, r, r, k->rr));
done:
    return status;
}

/* --- preconditioner --------------------------------------------------------------------------- */

bool gs_has_precond(const gs_krylov *k)
{
    return k->M || gs_projects(k);
}

const void *gs_diagonal(const gs_krylov *k, bool *simple)
{
    const void *d = k->M && !gs_projects(k) ? gsolve_precond_diagonal(k->M) : NULL;

    *simple = d || !gs_has_precond(k);
    return d;
}

/* z = r. With null spaces, columns that have ended are copied, too, as M would compute them. */
static gsolve_status copy(gs_krylov *k, gsolve_dense r, gsolve_dense z)
{
    const int *skip = k->skip;
    gsolve_status status;

    if (gs_projects(k)) k->skip = k->run->projection.none;
    status = gs_copy_vector(k, r, z);
    k->skip = skip;
    return status;
}

/* z = r without M, else what `apply` computes of M and r. */
static gsolve_status precondition(gs_krylov *k, gs_class class,
                                  gsolve_status (*apply)(const gsolve_precond *M, gsolve_dense r,
                                                         gsolve_dense z),
                                  gsolve_dense r, gsolve_dense z)
{
    gsolve_status status;
    double begin;

    if (!k->M) return copy(k, r, z);
    begin = begin_precond(k, class);
    status = apply(k->M, wide_columns(k, r), wide_columns(k, z));
    return end_precond(k, begin, status);
}

gsolve_status gs_precondition(gs_krylov *k, gsolve_dense r, gsolve_dense z)
{
    gsolve_status status;

    TRY(precondition(k, GS_PRECOND, gsolve_precond_apply, r, z));
    if (gs_projects(k)) TRY(gs_op_project(k, right_space(k), z));
done:
    return status;
}

gsolve_status gs_precondition_transpose(gs_krylov *k, gsolve_dense r, gsolve_dense z)
{
    gsolve_status status;

    if (gs_projects(k)) TRY(gs_op_project(k, right_space(k), r));
    TRY(precondition(k, GS_PRECOND_TRANSPOSE, gsolve_precond_apply_transpose, r, z));
    if (gs_projects(k)) TRY(gs_op_project(k, left_space(k), z));
done:
    return status;
}

/* v = 2^-size v, where the run's A is 2^size times the caller's. */
static gsolve_status unscale(gs_krylov *k, gsolve_dense v)
{
    return k->run->size == 0 ? GSOLVE_OK : gs_scale(k, gs_number(ldexp(1, -k->run->size)), v);
}

gsolve_status gs_precondition_normal(gs_krylov *k, gsolve_dense r, gsolve_dense t, gsolve_dense z)
{
    const bool twice = k->M && gs_precond_is_of_matrix(k->M);
    gsolve_status status;

    if (twice) {
        TRY(gs_precondition_transpose(k, r, t));
        TRY(unscale(k, t));
        TRY(gs_precondition(k, t, z));
    } else {
        TRY(gs_precondition(k, r, z));
        TRY(k->M ? unscale(k, z) : GSOLVE_OK);
    }
    if (k->M) TRY(unscale(k, z));
done:
    return status;
}

/* gs_op_precondition_dot for a run with null spaces. */
static gsolve_status precondition_project_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z,
                                              gs_scalar rz, bool always)
{
    const int *skip = k->skip;
    gsolve_status status;

    if (always) k->skip = k->run->projection.none;
    TRY(gs_precondition(k, r, z));
    TRY(gs_dot(k, r, z, rz));
done:
    k->skip = skip;
    return status;
}

gsolve_status gs_op_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz,
                                     bool always)
{
    gsolve_status status;
    double begin;

    if (gs_projects(k)) return precondition_project_dot(k, r, z, rz, always);
    if (!k->M || (k->wide > 1 && !always)) {
        status = gs_precondition(k, r, z);
        return status == GSOLVE_OK ? gs_dot(k, r, z, rz) : status;
    }
    begin = begin_precond(k, GS_PRECOND_DOT);
    if (always) gs_op_unguard(k);
    status = gsolve_precond_apply_dot(k->M, wide_columns(k, r), wide_columns(k, z), rz);
    status = gs_comm_defer(k->comm, status);
    if (status == GSOLVE_OK && !gs_precond_comm(k->M)) {
        status = gs_comm_sum_of(k->comm, rz, k->wide); /* before the guard of the columns ends */
    }
    return end_precond(k, begin, status);
}

gsolve_status gs_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz)
{
    return gs_op_precondition_dot(k, r, z, rz, false);
}

/* --- updates that end with M ------------------------------------------------------------------ */

/* z = a x + b y + g z and w = d z. Without values of y or w that vector is left out. */
typedef struct combination {
    gs_coefficient a, b, g;
    gsolve_dense x, y, z, w;
    const void *d; /* a diagonal, or NULL: w = z */
} combination;

static gsolve_status combine(gs_krylov *k, const combination *f)
{
    const bool with_y = f->y.value, with_w = f->w.value;
    const int read = gs_op_reads(f->a) + (with_y && gs_op_reads(f->b)) + gs_op_reads(f->g);
    const int others = with_w ? 1 + (f->d != NULL) : 0;

    gs_op_expect(k, GS_AXPBYPCZ_DIAGONAL, (read + 1 + others) * gs_op_bytes(f->z));
    GS_EACH_COLUMN(
        k->csr.type,
        vector->axpbypcz(queue, f->z.nrows,
                         &(gs_axpbypcz_args){GS_RATIO(f->a), GS_RATIO(f->b), GS_RATIO(f->g),
                                             GS_AT(f->x), with_y ? GS_AT(f->y) : NULL, GS_AT(f->z),
                                             f->d, with_w ? GS_AT(f->w) : NULL}));
}

gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient g,
                                       gsolve_dense z, gsolve_dense w)
{
    combination f = {a, b, g, x, y, z, w, NULL};
    bool simple;
    gsolve_status status;

    f.d = gs_diagonal(k, &simple);
    if (!simple) f.w.value = NULL;
    TRY(combine(k, &f));
    if (!simple) TRY(gs_precondition(k, z, w));
done:
    return status;
}

static gsolve_status residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                                   const void *d, gs_scalar rz)
{
    gs_convergence_test test = gs_convergence_test_of(k, 0);

    if (k->comm) test.progress = NULL; /* r'r is not known yet */
    gs_op_expect(k, GS_RESIDUAL_STEP, (3 + (d != NULL)) * gs_op_bytes(r));
    GS_EACH_COLUMN_AND_SUM(
        k->csr.type,
        (test.c = c, vector->residual_step(queue, r.nrows, GS_RATIO(a),
                                           (gs_residual_vectors){GS_AT(q), d, GS_AT(r)}, &k->rr[c],
                                           &rz[c], &test)),
        {k->rr, 1, 1}, {rz, 1, 1});
}

/* Over several ranks: the convergence test of residual_step. */
static gsolve_status test_over_ranks(gs_krylov *k, bool simple, gs_scalar rz)
{
    if (!k->comm) return GSOLVE_OK;
    if (!gs_has_preconditioned_norm(k)) return gs_op_test_ranks(k);
    return simple ? gs_op_test_norm(k, rz) : GSOLVE_OK; /* else r'M^-1 r is not known yet */
}

gsolve_status gs_residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                               gsolve_dense z, gs_scalar rz)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    gsolve_status status;

    TRY(residual_step(k, a, q, r, d, rz));
    TRY(test_over_ranks(k, simple, rz));
    /* a run of an inner solver may continue with p, so z is needed even if the column has ended */
    if (!simple) TRY(gs_op_precondition_dot(k, r, z, rz, k->inner));
    if (!simple) TRY(gs_op_test_norm(k, rz));
done:
    return status;
}

gsolve_status gs_direction_step(gs_krylov *k, gs_coefficient a, gs_coefficient b, gsolve_dense r,
                                gsolve_dense z, gsolve_dense p)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    const gsolve_dense from = simple ? r : z;

    gs_op_expect(k, GS_DIRECTION_STEP, (5 + (d != NULL)) * gs_op_bytes(p));
    GS_EACH_COLUMN(k->csr.type, vector->direction_step(queue, p.nrows, GS_RATIO(a), GS_RATIO(b), d,
                                                       GS_AT(from), GS_AT(p), GS_AT(k->x)));
}

/* --- norm=preconditioned, see norm.c ---------------------------------------------------------- */

gsolve_status gs_compute_norm_factor(gs_krylov *k, gsolve_dense u, gsolve_dense v)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    if (!gs_has_preconditioned_norm(k)) return GSOLVE_OK;
    TRY(gs_copy_vector(k, k->b, u)); /* in the order of the columns */
    TRY(gs_precondition_dot(k, u, v, k->run->norm_factor));
    TRY(gs_dot(k, u, u, k->rr));
    a.s[0] = k->rr;
    a.s[1] = k->run->norm_factor;
    TRY(GS_RUN_SCALAR(k, norm_factor, &a));
done:
    return status;
}
