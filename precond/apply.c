/* apply.c: z = M^-1 r, z = M^-T r, and r'z, for vectors on the host or on the device; and
 * applications of a kind to blocks of columns. */
#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "precond/handle.h"
#include "vector/layout.h"
#include "vector/vector.h"

static gsolve_status check_vectors(const gsolve_precond *M, gsolve_dense r, gsolve_dense z)
{
    if (r.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(M->ctx, r, "r");
    if (z.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(M->ctx, z, "z");
    if (r.nrows != M->n || z.nrows != M->n || r.ncols != z.ncols || r.ncols < 0 ||
        (r.ncols > 1 && (r.stride < r.nrows || z.stride < z.nrows))) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                           "the preconditioner is for %d unknowns; r is %d x %d and z is %d x %d "
                           "(strides %lld and %lld)",
                           M->n, r.nrows, r.ncols, z.nrows, z.ncols, (long long)r.stride,
                           (long long)z.stride);
    }
    if (r.type != M->type || z.type != M->type || !gs_reachable(M->ctx, r.location) ||
        !gs_reachable(M->ctx, z.location)) {
        return gsolve_fail(
            M->ctx, GSOLVE_BAD_ARGUMENT,
            "r and z must have the preconditioner's value type, and lie on its device or on "
            "the host");
    }
    if ((!r.value || !z.value) && M->n > 0 && r.ncols > 0) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                           "r or z has no values: its pointer is NULL; pass allocated vectors");
    }
    return GSOLVE_OK;
}

/* z = M^-1 r, rz[c] = r_c'z_c. All three are where kernels read them. */
static gsolve_status apply_dot(const gsolve_precond *M, gsolve_dense r, gsolve_dense z, double *rz)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, M->ctx, M->type);
    gsolve_status status;

    if (M->kind->apply_dot && r.ncols == 1) return M->kind->apply_dot(M->self, M->ctx, r, z, rz);
    TRY(M->kind->apply(M->self, M->ctx, r, z));
    for (int32_t c = 0; c < r.ncols; c++) {
        TRY(vector->dot(M->ctx->queue, M->n, gs_column_of(r, c).value, gs_column_of(z, c).value,
                        &rz[c]));
    }
done:
    return status;
}

typedef gsolve_status application(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z);

/* The vectors of an application, and its sums. */
typedef struct staged {
    gs_stage r, z, rz;
} staged;

static gsolve_status stage(staged *s, const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                           double *rz)
{
    const gsolve_location there = gs_location(M->ctx);
    const gsolve_dense numbers = {
        r.ncols, 1, r.ncols, rz, GSOLVE_F64, r.location, GSOLVE_COLUMN_MAJOR};
    gsolve_status status;

    TRY(check_vectors(M, r, z));
    TRY(gs_stage_in(&s->r, M->ctx, there, r, true));
    TRY(gs_stage_in(&s->z, M->ctx, there, z, false));
    if (rz) TRY(gs_stage_in(&s->rz, M->ctx, there, numbers, false));
done:
    return status;
}

/* The status of all ranks, if the caller of the library asked for the application: ranks may then
 * differ in the memory that they need. Methods need none after the first application. */
static gsolve_status agree(const gsolve_precond *M, gsolve_status status)
{
    return M->ctx->depth > 1 ? status : gs_comm_check(M->comm, status);
}

/* z = M^-1 r and rz as apply_dot, or z by `apply` if rz is NULL; for vectors anywhere. */
static gsolve_status apply_staged(const gsolve_precond *M, application *apply, gsolve_dense r,
                                  gsolve_dense z, double *rz)
{
    staged s = {0};
    gsolve_status status;

    TRY(agree(M, stage(&s, M, r, z, rz)));
    TRY(agree(M, rz ? apply_dot(M, s.r.used, s.z.used, s.rz.used.value)
                    : apply(M->self, M->ctx, s.r.used, s.z.used)));
    if (rz) TRY(gs_stage_out(&s.rz, M->ctx));
    TRY(gs_stage_out(&s.z, M->ctx));
done:
    gs_stage_drop(&s.r, M->ctx);
    gs_stage_drop(&s.z, M->ctx);
    gs_stage_drop(&s.rz, M->ctx);
    return status;
}

gsolve_status gsolve_precond_apply(const gsolve_precond *M, gsolve_dense r, gsolve_dense z)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    return apply_staged(M, M->kind->apply, r, z, NULL);
}

gsolve_status gsolve_precond_apply_transpose(const gsolve_precond *M, gsolve_dense r,
                                             gsolve_dense z)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    if (!M->kind->apply_transpose) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "the preconditioner %s cannot be applied transposed",
                           M->kind->plugin.name);
    }
    return apply_staged(M, M->kind->apply_transpose, r, z, NULL);
}

gsolve_status gsolve_precond_apply_dot(const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                                       double *rz)
{
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    if (!rz && r.ncols > 0) {
        status = gsolve_fail(
            M->ctx, GSOLVE_BAD_ARGUMENT,
            "gsolve_precond_apply_dot: rz is NULL; it must point to one number per column");
        return agree(M, status);
    }
    status = apply_staged(M, M->kind->apply, r, z, rz);
    if (!M->comm) return status;
    status = gs_comm_defer(M->comm, status);
    if (status != GSOLVE_OK) return status;
    return gs_location(M->ctx) == r.location ? gs_comm_sum_of(M->comm, rz, r.ncols)
                                             : gs_comm_sum_on_host(M->comm, rz, r.ncols);
}

/* --- blocks of columns ------------------------------------------------------------------------ */

gsolve_status gs_column_work_create(gs_column_work *w, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t k = 0; k < w->vectors; k++) {
        TRY(gs_dense_new(&w->one[k], ctx, gs_location(ctx), csr->type, csr->nrows, 1));
    }
done:
    return status;
}

void gs_column_work_destroy(gs_column_work *w, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_DEVICE, w->one[0].value);
    gsolve_free(ctx, GSOLVE_DEVICE, w->one[1].value);
    gsolve_free(ctx, GSOLVE_DEVICE, w->several.value);
}

/* w->several = vectors like r. On all ranks, or on none. */
static gsolve_status allocate_several(gs_column_work *w, gsolve_context *ctx, gsolve_dense r,
                                      int32_t ncols)
{
    gsolve_dense several = {0};
    gsolve_status status;

    TRY(gs_comm_check(w->comm,
                      gs_dense_new(&several, ctx, gs_location(ctx), r.type, r.nrows, ncols)));
    w->several = several;
    several.value = NULL;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, several.value);
    return status;
}

/* Columns in row-major order, which share the passes over a matrix. */
static gsolve_status apply_row_major(gs_column_work *w, gsolve_context *ctx,
                                     gs_block_application *apply, const void *M, const void *how,
                                     gsolve_dense r, gsolve_dense z)
{
    const int32_t ends = w->in_place ? 1 : 2, count = ends + w->vectors;
    gsolve_dense v[4]; /* r, z unless in place, the work vectors */
    gsolve_status status = GSOLVE_OK;

    if (!w->several.value) TRY(allocate_several(w, ctx, r, count * GS_WORK_COLUMNS));
    for (int32_t k = 0; k < count; k++) {
        v[k] = gs_column_of(w->several, k * GS_WORK_COLUMNS);
        v[k].ncols = v[k].stride = r.ncols;
        v[k].layout = GSOLVE_ROW_MAJOR;
    }
    TRY(gs_change_layout(ctx, r, v[0]));
    TRY(apply(M, ctx, how, v[0], v[ends - 1], v + ends));
    TRY(gs_change_layout(ctx, v[ends - 1], z));
done:
    return status;
}

gsolve_status gs_apply_in_blocks(gs_column_work *w, gsolve_context *ctx,
                                 gs_block_application *apply, const void *M, const void *how,
                                 gsolve_dense r, gsolve_dense z)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < r.ncols; c += GS_WORK_COLUMNS) {
        gsolve_dense in = gs_column_of(r, c), out = gs_column_of(z, c);
        in.ncols = out.ncols = r.ncols - c < GS_WORK_COLUMNS ? r.ncols - c : GS_WORK_COLUMNS;
        if (in.ncols == 1) {
            TRY(apply(M, ctx, how, in, out, w->one));
        } else {
            TRY(apply_row_major(w, ctx, apply, M, how, in, out));
        }
    }
done:
    return status;
}
