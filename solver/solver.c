/* solver.c: the solver handle: a method, its work space, and the vectors of a run. */
#include "solver/krylov.h"

#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/auto.h"

static void release_work(gs_krylov *k)
{
    if (k->graph) k->ctx->device->forget(k->graph);
    k->graph = NULL;
    if (k->state && k->method->destroy) k->method->destroy(k);
    while (k->nwork > 0) gsolve_free(k->ctx, GSOLVE_HOST, k->work[--k->nwork]);
    k->width = 0;
}

/* Elements of *pointer's type, one for each column. */
#define NEW_PER_COLUMN(k, place, pointer) \
    gs_new_work(k, place, (size_t)(k)->width, sizeof *(pointer), (void **)(void *)&(pointer))

/* Work space for width columns. */
static gsolve_status reserve(gs_krylov *k, int32_t width)
{
    gsolve_status status;

    if (width <= k->width) return GSOLVE_OK;
    release_work(k);
    k->width = width;
    memset(k->state, 0, k->method->state_size);
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->column));
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->relative));
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->seen));
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->mask));
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->active));
    TRY(NEW_PER_COLUMN(k, GSOLVE_HOST, k->round));
    TRY(NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->flag));
    TRY(NEW_PER_COLUMN(k, GSOLVE_DEVICE, k->ended));
    TRY(gs_new_work(k, GSOLVE_DEVICE, (size_t)k->width,
                    sizeof(gs_progress) + GS_HISTORY * sizeof(double),
                    (void **)(void *)&k->progress));
    TRY(GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
            ->zero(k->ctx->queue,
                   (int64_t)k->width * (int64_t)(sizeof(gs_progress) / sizeof(double) + GS_HISTORY),
                   k->progress));
    TRY(gs_new_scalar(k, &k->rr));
    k->own_b.value = k->own_x.value = NULL;
    if (gs_vectors_place(k) == GSOLVE_DEVICE) {
        TRY(gs_new_vector(k, k->csr.nrows, &k->own_b));
        TRY(gs_new_vector(k, k->csr.ncols, &k->own_x));
    }
    TRY(k->method->setup(k));
done:
    if (status != GSOLVE_OK) release_work(k);
    return status;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static gsolve_status check_operands(const gs_krylov *k, int32_t n)
{
    const char *name = k->method->plugin.name;

    if (k->csr.nrows != k->csr.ncols && !k->method->any_shape) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; direct solves in the "
                           "least-squares sense",
                           name, k->csr.nrows, k->csr.ncols);
    }
    if (!k->M || k->method->ignores_precond) return GSOLVE_OK;
    if (n != k->csr.nrows) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the preconditioner is for %d unknowns and the matrix is %d x %d", n,
                           k->csr.nrows, k->csr.ncols);
    }
    if (gsolve_precond_varies(k->M) && !k->method->flexible) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "this preconditioner varies from one application to the next, which %s "
                           "does not allow; use fgmres",
                           name);
    }
    return GSOLVE_OK;
}

gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                   const gsolve_matrix *A, const gsolve_precond *M)
{
    const gsolve_plugin *plugin;
    gsolve_precond_info info = {0};
    gs_krylov *k = NULL;
    char named[256];
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!S || !spec || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_create: an argument is NULL");
    }
    ALLOC(ctx, GSOLVE_HOST, k, 1);
    memset(k, 0, sizeof *k);
    k->ctx = ctx;
    k->A = A;
    k->M = M;
    gsolve_matrix_csr(A, &k->csr);
    k->vector = GS_KERNELS(gs_vector, ctx, k->csr.type);
    k->small = ctx->device == &gs_device_cuda ? &gs_small_cuda : &gs_small_host;
    TRY(gs_method_name(ctx, spec, &k->csr, M, named, sizeof named));
    TRY(gs_plugin_parse(ctx, NULL, gs_methods, "method", named, &plugin, &k->options));
    k->method = (const gs_method *)(const void *)plugin;
    if (M) gsolve_precond_describe(M, &info);
    TRY(check_operands(k, info.n));
    k->state = gsolve_alloc(ctx, GSOLVE_HOST, 1, k->method->state_size);
    status = k->state ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status != GSOLVE_OK) goto done;
    memset(k->state, 0, k->method->state_size);
    TRY(reserve(k, 1));
    *S = k;
    k = NULL;
done:
    gsolve_solver_destroy(&k);
    return status;
}

void gsolve_solver_destroy(gsolve_solver **S)
{
    gs_krylov *k = S ? *S : NULL;
    if (!k) return;

    release_work(k);
    gsolve_free(k->ctx, GSOLVE_HOST, k->state);
    gsolve_free(k->ctx, GSOLVE_HOST, k->options);
    gsolve_free(k->ctx, GSOLVE_HOST, k->explanation);
    gsolve_free(k->ctx, GSOLVE_HOST, k);
    *S = NULL;
}

void gsolve_solver_watch(gsolve_solver *S, gsolve_monitor *monitor, void *user)
{
    S->monitor = monitor;
    S->user = user;
}

const char *gsolve_solver_name(const gsolve_solver *S)
{
    return S->method->plugin.name;
}

const char *gsolve_solver_note(const gsolve_solver *S)
{
    return S->note;
}

/* --- a run --------------------------------------------------------------------------------------
 */

static gsolve_status check_run(const gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    if (b.nrows != k->csr.nrows || x.nrows != k->csr.ncols || b.ncols != x.ncols || b.ncols < 0) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the matrix is %d x %d, so b must have %d rows and x %d, with as many "
                           "columns; b is %d x %d and x is %d x %d",
                           k->csr.nrows, k->csr.ncols, k->csr.nrows, k->csr.ncols, b.nrows, b.ncols,
                           x.nrows, x.ncols);
    }
    if (b.ncols > 1 && (b.stride < b.nrows || x.stride < x.nrows)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "the columns of b or x overlap: their strides are %lld and %lld",
                           (long long)b.stride, (long long)x.stride);
    }
    if ((!b.value && (int64_t)b.nrows * b.ncols > 0) ||
        (!x.value && (int64_t)x.nrows * x.ncols > 0)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT, "b or x has no values");
    }
    if ((unsigned)b.type >= GSOLVE_TYPE_COUNT || (unsigned)x.type >= GSOLVE_TYPE_COUNT ||
        (gs_vectors_place(k) == GSOLVE_HOST &&
         (b.place != GSOLVE_HOST || x.place != GSOLVE_HOST))) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "b and x must lie on the host, as all vectors of the device cpu");
    }
    return GSOLVE_OK;
}

static size_t size_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
}

/* to = from, of another type, through a copy of from where to lies, if they lie apart. */
static gsolve_status convert_column(gs_krylov *k, gsolve_dense from, gsolve_dense to)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, k->ctx, to.type);
    const size_t read = (size_t)from.nrows * size_of(from.type);
    const size_t written = (size_t)to.nrows * size_of(to.type);
    const gsolve_place place = gs_vectors_place(k);
    void *in = NULL, *out = NULL;
    gsolve_status status;

    if (from.place == place && to.place == place) {
        return vector->copy(k->ctx->queue, to.nrows, from.type, from.value, to.value);
    }
    in = gsolve_alloc(k->ctx, place, read, 1);
    out = gsolve_alloc(k->ctx, place, written, 1);
    status = in && out ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status != GSOLVE_OK) goto done;
    TRY(gsolve_copy(k->ctx, in, place, from.value, from.place, read));
    TRY(vector->copy(k->ctx->queue, to.nrows, from.type, in, out));
    TRY(gsolve_copy(k->ctx, to.value, to.place, out, place, written));
done:
    gsolve_free(k->ctx, place, in);
    gsolve_free(k->ctx, place, out);
    return status;
}

/* The vector of a run: the caller's own, or a copy in A's type where the device reads it. On a
 * device with memory of its own always a copy, so that what was recorded of a run serves for the
 * next. */
static gsolve_status adopt(gs_krylov *k, gsolve_dense given, gsolve_dense *own, gsolve_dense *used)
{
    const bool moves = gs_vectors_place(k) == GSOLVE_DEVICE;
    gsolve_status status;

    *used = given;
    if (given.type == k->csr.type && !moves) return GSOLVE_OK;
    if (!own->value) TRY(gs_new_vector(k, given.nrows, own));
    *used = *own;
    used->ncols = given.ncols;
    for (int32_t c = 0; c < given.ncols; c++) {
        const gsolve_dense from = gs_column_of(given, c), to = gs_column_of(*used, c);
        if (given.type == k->csr.type) {
            TRY(gsolve_copy(k->ctx, to.value, to.place, from.value, from.place,
                            (size_t)from.nrows * size_of(from.type)));
        } else {
            TRY(convert_column(k, from, to));
        }
    }
done:
    return status;
}

static gsolve_status give_back(gs_krylov *k, gsolve_dense x)
{
    gsolve_status status = GSOLVE_OK;

    if (x.value == k->x.value) return GSOLVE_OK;
    for (int32_t c = 0; c < x.ncols && status == GSOLVE_OK; c++) {
        const gsolve_dense from = gs_column_of(k->x, c), to = gs_column_of(x, c);
        status = x.type == k->csr.type
                     ? gsolve_copy(k->ctx, to.value, to.place, from.value, from.place,
                                   (size_t)to.nrows * size_of(to.type))
                     : convert_column(k, from, to);
    }
    return status;
}

/* Values that are not finite would end as "diverged", and say so too late. v: on the device. */
static gsolve_status check_finite(gs_krylov *k, gsolve_dense v, const char *what)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < v.ncols; c++) {
        double square = 0;
        const gsolve_dense column = gs_column_of(v, c);
        TRY(k->vector->dot(k->ctx->queue, v.nrows, column.value, column.value, k->rr));
        TRY(gsolve_copy(k->ctx, &square, GSOLVE_HOST, k->rr, GSOLVE_DEVICE, sizeof square));
        if (!isfinite(square)) {
            return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                               "column %d of %s holds a value that is not finite or whose square "
                               "overflows",
                               c, what);
        }
    }
done:
    return status;
}

static gsolve_result result_of(const gs_krylov *k, const gs_column *column)
{
    const gsolve_result result = {column->outcome,   column->iterations, column->products,
                                  column->residual,  k->result.seconds,  k->product_seconds,
                                  k->precond_seconds};
    return result;
}

/* Of the columns that did not converge, or else of all, the one of the largest residual. */
static const gs_column *worst_column(const gs_krylov *k)
{
    const gs_column *worst = &k->column[0];

    for (int32_t c = 1; c < k->ncols; c++) {
        const gs_column *column = &k->column[c];
        const bool failed = column->outcome != GSOLVE_CONVERGED;
        const bool worst_failed = worst->outcome != GSOLVE_CONVERGED;
        if (failed != worst_failed ? failed : !(column->residual <= worst->residual))
            worst = column;
    }
    return worst;
}

/* Drops what was recorded of a run of other columns, or before A or M were changed. */
static gsolve_status forget_stale(gs_krylov *k)
{
    gsolve_matrix_info A;
    gsolve_precond_info M = {0};

    gsolve_matrix_describe(k->A, &A);
    if (k->M) gsolve_precond_describe(k->M, &M);
    if (k->graph && (k->recorded_ncols != k->ncols || k->recorded_A != A.version ||
                     k->recorded_M != M.version)) {
        k->ctx->device->forget(k->graph);
        k->graph = NULL;
    }
    k->recorded_ncols = k->ncols;
    k->recorded_A = A.version;
    k->recorded_M = M.version;
    return GSOLVE_OK;
}

gsolve_status gsolve_solver_run(gsolve_solver *k, gsolve_dense b, gsolve_dense x,
                                gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_status status;

    if (!k) return GSOLVE_BAD_ARGUMENT;
    if (!result) return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT, "result is NULL");
    k->ncols = 0;
    TRY(check_run(k, b, x));
    TRY(reserve(k, b.ncols));
    gsolve_free(k->ctx, GSOLVE_HOST, k->explanation);
    k->explanation = NULL;
    k->note[0] = 0;
    k->ncols = b.ncols;
    memset(&k->result, 0, sizeof k->result);
    if (b.ncols > 0) {
        TRY(adopt(k, b, &k->own_b, &k->b));
        TRY(adopt(k, x, &k->own_x, &k->x));
        TRY(check_finite(k, k->b, "b"));
        TRY(check_finite(k, k->x, "x, the first guess,"));
        TRY(forget_stale(k));
        TRY(gs_krylov_run(k));
        TRY(give_back(k, x));
        k->result.seconds = gs_now() - begin;
        k->result = result_of(k, worst_column(k));
        k->result.iterations = k->iteration;
        k->result.products = k->products;
    }
    *result = k->result;
done:
    if (status != GSOLVE_OK) k->ncols = 0;
    return status;
}

gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column, gsolve_result *result)
{
    if (!S) return GSOLVE_BAD_ARGUMENT;
    if (column < 0 || column >= S->ncols || !result) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "column %d of a run of %d columns", column,
                           S->ncols);
    }
    *result = result_of(S, &S->column[column]);
    return GSOLVE_OK;
}
