/* ops.c: the operations of method.h: the same for every column that is active. */
#include <math.h>

#include "core/try.h"
#include "solver/method.h"

/* --- work space ---------------------------------------------------------------------------------
 */

gsolve_status gs_new_work(gs_krylov *k, gsolve_location location, size_t count, size_t size,
                          void **work)
{
    void *block;

    if (k->counting) {
        const bool there = location == GSOLVE_DEVICE || gs_location(k->ctx) == GSOLVE_HOST;
        k->counted += there ? count * size : 0;
        *work = NULL;
        return GSOLVE_OK;
    }
    if (k->nwork == GS_MAX_WORK) {
        return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED, "a method cannot own more than %d blocks",
                           GS_MAX_WORK);
    }
    block = gsolve_alloc(k->ctx, location, count, size);
    if (!block) return GSOLVE_NO_MEMORY;
    k->work[k->nwork++] = block;
    *work = block;
    return GSOLVE_OK;
}

gsolve_status gs_new_zeros(gs_krylov *k, size_t bytes, void **work)
{
    const gsolve_status status = gs_new_work(k, GSOLVE_DEVICE, 1, bytes, work);

    if (status != GSOLVE_OK || !*work) return status;
    return GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
        ->zero(k->ctx->queue, (int64_t)(bytes / sizeof(double)), *work);
}

gsolve_status gs_new_columns(gs_krylov *k, size_t count, size_t size, void **work)
{
    const gsolve_status status =
        gs_new_work(k, GSOLVE_DEVICE, count * (size_t)k->width, size, work);
    const struct gs_moving moving = {*work, (int64_t)(count * size / sizeof(uint32_t))};

    if (status == GSOLVE_OK && *work) k->moving[k->nmoving++] = moving;
    return status;
}

int64_t gs_vector_stride(int32_t nrows)
{
    return ((int64_t)nrows + 15) / 16 * 16; /* begins on a cache line */
}

gsolve_status gs_new_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, gsolve_dense *v)
{
    const int64_t stride = gs_vector_stride(nrows);
    const gsolve_dense shape = {
        nrows, k->width, stride, NULL, type, gs_location(k->ctx), GSOLVE_COLUMN_MAJOR};

    *v = shape;
    return gs_new_columns(k, (size_t)stride, gs_type_size(type), &v->value);
}

gsolve_status gs_new_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v)
{
    return gs_new_vector_of(k, k->csr.type, nrows, v);
}

gsolve_status gs_new_outer_vector_of(gs_krylov *k, gsolve_type type, int32_t nrows, gsolve_dense *v)
{
    const int moving = k->nmoving;
    const gsolve_status status = gs_new_vector_of(k, type, nrows, v);

    k->nmoving = moving;
    return status;
}

gsolve_status gs_new_outer_vector(gs_krylov *k, int32_t nrows, gsolve_dense *v)
{
    return gs_new_outer_vector_of(k, k->csr.type, nrows, v);
}

gsolve_status gs_new_basis(gs_krylov *k, gsolve_type type, int32_t width, int count,
                           gsolve_dense *V)
{
    const size_t size = gs_type_size(type);
    const int64_t stride = width > 1 ? count * gs_vector_stride(k->csr.nrows) : 0;
    const gsolve_dense shape = {k->csr.nrows,       width, stride, NULL, type, gs_location(k->ctx),
                                GSOLVE_COLUMN_MAJOR};

    *V = shape;
    if (stride) return gs_new_columns(k, (size_t)stride, size, &V->value);
    return gs_new_work(k, V->location, (size_t)(count * gs_vector_stride(k->csr.nrows) * width),
                       size, &V->value);
}

gsolve_dense gs_basis_at(gsolve_dense V, int64_t ld, int j)
{
    const size_t size = gs_type_size(V.type);

    V.value = (char *)V.value + (size_t)(j * ld) * size;
    return V;
}

gsolve_status gs_new_scalar(gs_krylov *k, gs_scalar *s)
{
    void *block = NULL;
    const gsolve_status status = gs_new_columns(k, 1, sizeof(double), &block);

    *s = block;
    return status;
}

/* --- what the operations move, for the profile ---------------------------------------------------
 */

static double bytes_of(gsolve_dense v) /* a column's */
{
    return (double)v.nrows * (double)gs_type_size(v.type);
}

/* Vectors that y = a x + ... reads for a x. */
static int reads(gs_coefficient a)
{
    return a.num || a.den || a.sign != 0;
}

/* The next operation moves so many bytes in each active column. */
static void announce(gs_krylov *k, gs_class class, double bytes)
{
    int columns = 0;

    for (int32_t c = 0; gs_profiling(&k->profile) && c < k->ncols; c++) columns += k->active[c];
    gs_expect_bytes(&k->profile, class, k->unless ? 0 : columns * bytes); /* who knows */
}

/* It is a product: the matrix once; x, y and so many other vectors for each column. */
static void expect_product_bytes(gs_krylov *k, gs_class class, int others)
{
    const double size = (double)gs_type_size(k->csr.type), y = size * k->csr.nrows;
    const double xy = y + size * k->csr.ncols;
    gsolve_matrix_info A = {0};

    if (gs_profiling(&k->profile)) gsolve_matrix_describe(k->A, &A);
    gs_expect_bytes(&k->profile, class,
                    (double)A.bytes + (k->wide - 1) * xy + k->wide * others * y);
}

/* It applies the preconditioner: what that holds once, r and z for each column. */
static void expect_precond_bytes(gs_krylov *k, gs_class class)
{
    const size_t vectors = 2 * (size_t)k->csr.nrows * gs_type_size(k->csr.type);
    gsolve_precond_info M = {0};

    if (gs_profiling(&k->profile)) gsolve_precond_describe(k->M, &M);
    gs_expect_bytes(&k->profile, class, (double)M.moved + (k->wide - 1) * (double)vectors);
}

/* --- products and preconditioner
 * ------------------------------------------------------------------ */

/* v with as many columns as may go on. */
static gsolve_dense fit(const gs_krylov *k, gsolve_dense v)
{
    v.ncols = k->wide;
    return v;
}

/* Whether column c goes on: the host may not know yet, the kernels given to q do. */
static bool goes_on(gs_krylov *k, gs_queue *q, int32_t c)
{
    const int *unless = k->unless ? &k->unless[c] : &k->ended[c];

    if (!k->active[c]) return false;
    if (!k->ctx->device->guard) return !k->unless || !*unless; /* of the kernels' own memory */
    k->ctx->device->guard(q, unless);
    return true;
}

static void unguard(gs_krylov *k)
{
    if (k->ctx->device->guard) k->ctx->device->guard(k->ctx->queue, NULL);
}

static void count_product(gs_krylov *k, double begin)
{
    unguard(k);
    gs_profile_close(&k->profile);
    k->products++;
    k->product_seconds += gs_now() - begin;
}

static void count_precond(gs_krylov *k, double begin)
{
    unguard(k);
    gs_profile_close(&k->profile);
    k->precond_seconds += gs_now() - begin;
}

/* What works on all columns at once is spared where all have ended. */
static double begin_all(gs_krylov *k)
{
    gs_profile_open(&k->profile);
    if (k->wide == 1) {
        goes_on(k, k->ctx->queue, 0);
    } else if (k->all_ended) {
        k->ctx->device->guard(k->ctx->queue, k->all_ended);
    }
    return gs_now();
}

/* What A is multiplied by, see outer.c. */
static double size(const gs_krylov *k)
{
    return ldexp(1, k->outer.size);
}

/* y = A x, by columns where x is that of the run, which does not stand in the order of columns. */
static gsolve_status multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    bool in_order = x.value != k->x.value;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < k->wide && !in_order; c++) {
        if (k->order[c] != c) break;
        in_order = c + 1 == k->wide;
    }
    if (in_order) return gsolve_matrix_apply(k->A, size(k), fit(k, x), 0, fit(k, y));
    for (int32_t c = 0; c < k->wide && status == GSOLVE_OK; c++) {
        status = gsolve_matrix_apply(k->A, size(k), gs_place_of(k, x, c), 0, gs_column_of(y, c));
    }
    return status;
}

gsolve_status gs_multiply(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    expect_product_bytes(k, GS_PRODUCT, 0);
    const double begin = begin_all(k);
    const gsolve_status status = multiply(k, x, y);

    count_product(k, begin);
    return status;
}

gsolve_status gs_multiply_transpose(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    expect_product_bytes(k, GS_PRODUCT_TRANSPOSE, 0);
    const double begin = begin_all(k);
    const gsolve_status status =
        gsolve_matrix_apply_transpose(k->A, size(k), fit(k, x), 0, fit(k, y));

    count_product(k, begin);
    return status;
}

/* A format's own sums are of one column; those of several are made together once y is there. */
gsolve_status gs_multiply_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gsolve_dense w,
                              gs_scalar wy, gs_scalar yy)
{
    gsolve_status status;
    double begin;

    if (k->wide > 1 || k->outer.size != 0) {
        TRY(gs_multiply(k, x, y));
        return yy ? gs_dot2(k, y, w, wy, yy) : gs_dot(k, w, y, wy);
    }
    expect_product_bytes(k, GS_PRODUCT_DOT, w.value != x.value);
    begin = begin_all(k);
    status = gsolve_matrix_apply_dot(k->A, fit(k, x), fit(k, y), fit(k, w), wy, yy);
    count_product(k, begin);
done:
    return status;
}

gsolve_status gs_precondition(gs_krylov *k, gsolve_dense r, gsolve_dense z)
{
    gsolve_status status;
    double begin;

    if (!k->M) return gs_copy_vector(k, r, z);
    expect_precond_bytes(k, GS_PRECOND);
    begin = begin_all(k);
    status = gsolve_precond_apply(k->M, fit(k, r), fit(k, z));
    count_precond(k, begin);
    return status;
}

gsolve_status gs_precondition_transpose(gs_krylov *k, gsolve_dense r, gsolve_dense z)
{
    gsolve_status status;
    double begin;

    if (!k->M) return gs_copy_vector(k, r, z);
    expect_precond_bytes(k, GS_PRECOND_TRANSPOSE);
    begin = begin_all(k);
    status = gsolve_precond_apply_transpose(k->M, fit(k, r), fit(k, z));
    count_precond(k, begin);
    return status;
}

/* z = M^-1 r, rz = r'z; always: even where the column has ended. */
static gsolve_status precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz,
                                      bool always)
{
    gsolve_status status;
    double begin;

    if (!k->M || (k->wide > 1 && !always)) {
        status = gs_precondition(k, r, z);
        return status == GSOLVE_OK ? gs_dot(k, r, z, rz) : status;
    }
    expect_precond_bytes(k, GS_PRECOND_DOT);
    begin = begin_all(k);
    if (always) unguard(k);
    status = gsolve_precond_apply_dot(k->M, fit(k, r), fit(k, z), rz);
    count_precond(k, begin);
    return status;
}

gsolve_status gs_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz)
{
    return precondition_dot(k, r, z, rz, false);
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* The queue for the kernels on each column: what it is given runs at once, or in the end. */
static gs_queue *begin_each(gs_krylov *k)
{
    const bool many = k->together && k->wide > 1;

    gs_profile_open(&k->profile);
    if (many) k->columns->begin(k->together, k->ctx->queue);
    return many ? k->together : k->ctx->queue;
}

static gsolve_status end_each(gs_krylov *k, gs_queue *q, gsolve_status status)
{
    if (q != k->ctx->queue && status == GSOLVE_OK) status = k->columns->end(q);
    unguard(k);
    gs_profile_close(&k->profile);
    return status;
}

/* The vector kernels of a type that q runs. */
static const gs_vector_kernels *kernels(const gs_krylov *k, const gs_queue *q, gsolve_type type)
{
    return q == k->ctx->queue ? GS_KERNELS(gs_vector, k->ctx, type) : &k->columns->vector[type];
}

/* Runs the kernel call, of vector on q, for each active column c; it was announced before. */
#define EACH_COLUMN(type, call)                                     \
    gsolve_status status = GSOLVE_OK;                               \
    gs_queue *queue = begin_each(k);                                \
    const gs_vector_kernels *vector = kernels(k, queue, type);      \
    for (int32_t c = 0; c < k->ncols && status == GSOLVE_OK; c++) { \
        if (goes_on(k, queue, c)) status = (call);                  \
    }                                                               \
    return end_each(k, queue, status)

#define AT(v) (gs_place_of(k, v, c).value) /* column c of v */

static gs_ratio ratio(gs_krylov *k, gs_coefficient a, int32_t c)
{
    const gs_ratio r = {.sign = a.sign,
                        .num = a.num ? a.num + c : NULL,
                        .den = a.den ? a.den + c : NULL,
                        .num2 = a.num2 ? a.num2 + c : NULL,
                        .den2 = a.den2 ? a.den2 + c : NULL,
                        .flag = &k->flag[c],
                        .flaw = (int)a.flaw,
                        .positive = a.positive};
    return r;
}

gsolve_status gs_run_scalar_kernel(gs_krylov *k, gs_scalar_function *function,
                                   const gs_scalar_arguments *a)
{
    gsolve_status status;

    gs_expect_bytes(&k->profile, function == k->small->test ? GS_TEST : GS_SCALARS, 0);
    gs_profile_open(&k->profile);
    status = function(k->ctx->queue, a);
    gs_profile_close(&k->profile);
    return status;
}

gsolve_status gs_copy_scalar(gs_krylov *k, gs_scalar a, gs_scalar b)
{
    gs_scalar_arguments small = gs_scalar_arguments_of(k);

    small.s[0] = b;
    small.s[1] = a;
    return GS_RUN_SCALAR(k, copy, &small);
}

gsolve_status gs_zero(gs_krylov *k, gsolve_dense y)
{
    announce(k, GS_ZERO, bytes_of(y));
    EACH_COLUMN(k->csr.type, vector->zero(queue, y.nrows, AT(y)));
}

gsolve_status gs_copy_vector(gs_krylov *k, gsolve_dense x, gsolve_dense y)
{
    announce(k, GS_COPY, bytes_of(x) + bytes_of(y));
    EACH_COLUMN(y.type, vector->copy(queue, y.nrows, x.type, AT(x), AT(y)));
}

gsolve_status gs_scale(gs_krylov *k, gs_coefficient a, gsolve_dense y)
{
    announce(k, GS_SCALE, 2 * bytes_of(y));
    EACH_COLUMN(k->csr.type, vector->scale(queue, y.nrows, ratio(k, a, c), AT(y)));
}

gsolve_status gs_dot(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy)
{
    announce(k, GS_DOT, (x.value == y.value ? 1 : 2) * bytes_of(y));
    EACH_COLUMN(k->csr.type, vector->dot(queue, y.nrows, AT(x), AT(y), &xy[c]));
}

gsolve_status gs_dot2(gs_krylov *k, gsolve_dense x, gsolve_dense y, gs_scalar xy, gs_scalar xx)
{
    announce(k, GS_DOT2, 2 * bytes_of(y));
    EACH_COLUMN(k->csr.type, vector->dot2(queue, y.nrows, AT(x), AT(y), &xy[c], &xx[c]));
}

gsolve_status gs_axpby(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                       gsolve_dense y)
{
    announce(k, GS_AXPBY, (reads(a) + reads(b) + 1) * bytes_of(y));
    EACH_COLUMN(k->csr.type,
                vector->axpby(queue, y.nrows, ratio(k, a, c), AT(x), ratio(k, b, c), AT(y)));
}

gsolve_status gs_axpbypcz(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient g, gsolve_dense z)
{
    announce(k, GS_AXPBYPCZ, (reads(a) + reads(b) + reads(g) + 1) * bytes_of(z));
    EACH_COLUMN(k->csr.type, vector->axpbypcz(queue, z.nrows, ratio(k, a, c), AT(x), ratio(k, b, c),
                                              AT(y), ratio(k, g, c), AT(z), NULL, NULL));
}

gsolve_status gs_axpy_norm(gs_krylov *k, gs_coefficient a, gsolve_dense x, gsolve_dense y,
                           gs_scalar yy)
{
    announce(k, GS_AXPY_NORM, 3 * bytes_of(y));
    EACH_COLUMN(k->csr.type,
                vector->axpy_norm(queue, y.nrows, ratio(k, a, c), AT(x), AT(y), &yy[c]));
}

gsolve_status gs_residual(gs_krylov *k, gsolve_dense r)
{
    gsolve_status status;

    if (k->at_zero) {
        TRY(gs_copy_vector(k, k->b, r)); /* x = 0       */
    } else {
        TRY(gs_multiply(k, k->x, r));                           /* r = A x     */
        TRY(gs_axpby(k, gs_number(1), k->b, gs_number(-1), r)); /* r = b - r   */
    }
    TRY(gs_dot(k, r, r, k->rr));
done:
    return status;
}

const void *gs_diagonal(const gs_krylov *k, bool *simple)
{
    const void *d = k->M ? gsolve_precond_diagonal(k->M) : NULL;

    *simple = d || !k->M;
    return d;
}

static gsolve_status turn(gs_krylov *k, gs_coefficient a, gsolve_dense x, gs_coefficient b,
                          gsolve_dense y, gs_coefficient g, gsolve_dense z, const void *d,
                          gsolve_dense w)
{
    const int made = w.value ? 1 + (d != NULL) : 0;

    announce(k, GS_TURN, (reads(a) + (y.value && reads(b)) + reads(g) + 1 + made) * bytes_of(z));
    EACH_COLUMN(k->csr.type, vector->axpbypcz(queue, z.nrows, ratio(k, a, c), AT(x), ratio(k, b, c),
                                              y.value ? AT(y) : NULL, ratio(k, g, c), AT(z), d,
                                              w.value ? AT(w) : NULL));
}

gsolve_status gs_axpbypcz_precondition(gs_krylov *k, gs_coefficient a, gsolve_dense x,
                                       gs_coefficient b, gsolve_dense y, gs_coefficient g,
                                       gsolve_dense z, gsolve_dense w)
{
    const gsolve_dense none = {0};
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    gsolve_status status;

    TRY(turn(k, a, x, b, y, g, z, d, simple ? w : none));
    if (!simple) TRY(gs_precondition(k, z, w));
done:
    return status;
}

gsolve_status gs_solution_step(gs_krylov *k, gs_coefficient a, gsolve_dense p, gs_coefficient b,
                               gsolve_dense s, gsolve_dense t, gsolve_dense w, gsolve_dense r,
                               gs_scalar wr)
{
#define VECTORS ((gs_solution){AT(p), AT(s), AT(t), AT(w), AT(k->x), AT(r)})
    gs_convergence_test judge = gs_convergence_test_of(k, 0);

    announce(k, GS_SOLUTION_STEP, 8 * bytes_of(r));
    EACH_COLUMN(k->csr.type,
                (judge.c = c, vector->solution_step(queue, r.nrows, ratio(k, a, c), ratio(k, b, c),
                                                    VECTORS, &k->rr[c], &wr[c], &judge)));
#undef VECTORS
}

static gsolve_status residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                                   const void *d, gs_scalar rz)
{
    gs_convergence_test judge = gs_convergence_test_of(k, 0);

    announce(k, GS_RESIDUAL_STEP, (3 + (d != NULL)) * bytes_of(r));
    EACH_COLUMN(k->csr.type,
                (judge.c = c, vector->residual_step(queue, r.nrows, ratio(k, a, c), AT(q), AT(r), d,
                                                    &k->rr[c], &rz[c], &judge)));
}

gsolve_status gs_residual_step(gs_krylov *k, gs_coefficient a, gsolve_dense q, gsolve_dense r,
                               gsolve_dense z, gs_scalar rz)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    gsolve_status status;

    TRY(residual_step(k, a, q, r, d, rz));
    if (!simple) TRY(precondition_dot(k, r, z, rz, k->within)); /* p is wanted after the end */
done:
    return status;
}

gsolve_status gs_direction_step(gs_krylov *k, gs_coefficient a, gs_coefficient b, gsolve_dense r,
                                gsolve_dense z, gsolve_dense p)
{
    bool simple;
    const void *d = gs_diagonal(k, &simple);
    const gsolve_dense from = simple ? r : z;

    announce(k, GS_DIRECTION_STEP, (5 + (d != NULL)) * bytes_of(p));
    EACH_COLUMN(k->csr.type, vector->direction_step(queue, p.nrows, ratio(k, a, c), ratio(k, b, c),
                                                    d, AT(from), AT(p), AT(k->x)));
}

gsolve_status gs_pipe_step(gs_krylov *k, gs_coefficient a, gs_coefficient b,
                           const gs_pipe_vectors *v, gs_scalar ru, gs_scalar wu)
{
#define PIPE                                                                                   \
    ((gs_pipe){AT(v->m), AT(v->n), AT(v->z), AT(v->q), AT(v->s), AT(v->p), AT(k->x), AT(v->r), \
               AT(v->u), AT(v->w)})
    announce(k, GS_PIPE_STEP, 18 * bytes_of(v->r));
    EACH_COLUMN(k->csr.type, vector->pipe_step(queue, v->r.nrows, ratio(k, a, c), ratio(k, b, c),
                                               PIPE, &ru[c], &wu[c], &k->rr[c]));
#undef PIPE
}

gsolve_status gs_dots(gs_krylov *k, int m, gsolve_dense V, int64_t ld, gsolve_dense w, double *h,
                      int64_t hstride)
{
    announce(k, GS_DOTS, m * bytes_of(V) + bytes_of(w));
    EACH_COLUMN(k->csr.type,
                vector->dots(queue, w.nrows, m, V.type, AT(V), ld, AT(w), h + c * hstride));
}

gsolve_status gs_combine(gs_krylov *k, int m, gsolve_dense V, int64_t ld, const double *h,
                         int64_t hstride, double sign, gsolve_dense w, gs_scalar ww)
{
    announce(k, GS_COMBINE, m * bytes_of(V) + 2 * bytes_of(w));
    EACH_COLUMN(k->csr.type, vector->combine(queue, w.nrows, m, V.type, AT(V), ld, h + c * hstride,
                                             sign, AT(w), ww ? &ww[c] : NULL));
}

void gs_begin_block(gs_krylov *k, gs_class class, double numbers)
{
    gs_expect_bytes(&k->profile, class, numbers * (double)gs_type_size(k->csr.type));
    begin_all(k);
}

void gs_end_block(gs_krylov *k)
{
    unguard(k);
    gs_profile_close(&k->profile);
}
