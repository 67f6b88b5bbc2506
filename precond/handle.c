/* handle.c: the preconditioner handle. */
#include "precond/handle.h"

#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "vector/vector.h"

/* --- making and freeing ----------------------------------------------------------------------- */

/* *csr checked and, unless it is clean, made to point to *own, a clean copy, on the host. */
static gsolve_status clean(gsolve_context *ctx, const gsolve_csr **csr, gsolve_csr *own)
{
    bool is_clean;
    gsolve_status status;

    TRY(gs_csr_to_host(csr, ctx, own));
    TRY(gs_csr_check(ctx, *csr, &is_clean));
    if (!is_clean) {
        gsolve_csr sorted = {0};
        TRY(gs_csr_clean(&sorted, ctx, *csr, NULL));
        gsolve_csr_free(own, ctx);
        *own = sorted;
        *csr = own;
    }
done:
    return status;
}

/* The same on the device where csr lies there and its rows ascend. *done: it was so. */
static gsolve_status clean_there(gsolve_context *ctx, const gsolve_csr **csr, gsolve_csr *own,
                                 bool *done)
{
    bool is_clean;
    gsolve_status status;

    *done = false;
    if (!*csr || (*csr)->location == GSOLVE_HOST) return GSOLVE_OK;
    TRY(gs_csr_check(ctx, *csr, &is_clean));
    if (!is_clean && !gs_rows_ascend(ctx, *csr)) return GSOLVE_OK;
    *done = true;
    if (!is_clean) {
        TRY(gs_csr_narrow(own, ctx, *csr));
        *csr = own;
    }
done:
    return status;
}

/* The same where kind works. */
static gsolve_status clean_for(const gsolve_precond_kind *kind, gsolve_context *ctx,
                               const gsolve_csr **csr, gsolve_csr *own)
{
    gsolve_csr there = {0};
    bool done = false;
    gsolve_status status;

    if (kind->on_device) TRY(clean_there(ctx, csr, own, &done));
    if (done) return GSOLVE_OK;
    TRY(clean(ctx, csr, own));
    if (kind->on_device && gs_location(ctx) == GSOLVE_DEVICE) {
        TRY(gs_csr_move(&there, ctx, GSOLVE_DEVICE, *csr));
        gsolve_csr_free(own, ctx);
        *own = there;
        *csr = own;
    }
done:
    return status;
}

/* Builds from csr, or updates if there is something to update. */
static gsolve_status build(gsolve_precond *M, const gsolve_csr *csr)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes;
    gsolve_status status;

    gs_range_push(M->ctx, "set-up of the preconditioner");
    if (M->self && M->kind->update) {
        TRY(M->kind->update(M->self, M->ctx, csr));
        M->bytes += M->ctx->bytes - held;
    } else {
        void *fresh = NULL;
        TRY(M->kind->build(&fresh, M->ctx, csr, M->options));
        M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
        if (M->self) M->kind->destroy(M->self, M->ctx);
        M->self = fresh;
    }
    TRY(gs_memory_synchronize(M->ctx, csr->location, csr->start)); /* csr has been read */
    M->setup_seconds = gs_now() - begin;
    M->version++;
done:
    gs_range_pop(M->ctx);
    return status;
}

/* The spec that "auto" stands for. */
static gsolve_status name_kind(gsolve_context *ctx, const gsolve_csr *csr, const char **spec,
                               gsolve_choice *choice)
{
    gsolve_csr own = {0};
    gsolve_statistics traits;
    gsolve_status status = GSOLVE_OK;

    if (!gs_spec_is(*spec, "auto")) return GSOLVE_OK;
    if ((*spec)[strlen("auto")]) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the preconditioner auto takes no options");
    }
    TRY(clean(ctx, &csr, &own));
    TRY(gsolve_csr_statistics(ctx, csr, &traits));
    gsolve_auto_choose(ctx, &traits, 0, choice);
    *spec = choice->precond;
done:
    gsolve_csr_free(&own, ctx);
    return status;
}

static void destroy_left(void *handle)
{
    gsolve_precond *M = handle;
    gsolve_precond_destroy(&M);
}

gsolve_status gsolve_precond_create(gsolve_precond **out, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *csr)
{
    const gsolve_plugin *plugin;
    gsolve_precond *M = NULL;
    gsolve_csr own = {0};
    gsolve_choice choice;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!out || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_create: an argument is NULL");
    }
    TRY(name_kind(ctx, csr, &spec, &choice));
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    gs_own(ctx, M, destroy_left);
    M->ctx = ctx;
    ctx->handles++;
    TRY(gs_plugin_parse(ctx, &ctx->preconds, gs_preconds, "preconditioner", spec, &plugin,
                        &M->options));
    M->kind = (const gsolve_precond_kind *)(const void *)plugin;
    ALLOC(ctx, GSOLVE_HOST, M->spec, strlen(spec) + 1);
    memcpy(M->spec, spec, strlen(spec) + 1);
    TRY(clean_for(M->kind, ctx, &csr, &own));
    M->n = csr->nrows;
    M->type = csr->type;
    if (!M->kind->on_device) M->pattern = gs_csr_pattern_hash(ctx, csr);
    if (csr->nrows != csr->ncols && M->kind != &gs_none) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "the preconditioner %s needs a square matrix and this one is %d x %d",
                             plugin->name, csr->nrows, csr->ncols);
        goto done;
    }
    TRY(build(M, csr));
    *out = M;
    M = NULL;
done:
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&own, ctx);
    return status;
}

/* Whether spec names a kind that works on the device; auto looks at the rows on the host first. */
static bool works_on_device(const gsolve_context *ctx, const char *spec)
{
    const gsolve_plugin *plugin;

    for (int k = 0; (plugin = gsolve_precond_at(ctx, k)); k++) {
        if (gs_spec_is(spec, plugin->name)) {
            return ((const gsolve_precond_kind *)(const void *)plugin)->on_device;
        }
    }
    return false;
}

gsolve_status gsolve_precond_create_from(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                         const gsolve_matrix *A)
{
    gsolve_choice choice;
    gsolve_csr rows;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!M || !spec || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_precond_create_from: an argument is NULL");
    }
    if (gs_spec_is(spec, "auto")) {
        TRY(gsolve_matrix_csr(A, &rows));
        TRY(name_kind(ctx, &rows, &spec, &choice));
    }
    if (works_on_device(ctx, spec)) {
        gsolve_matrix_device_csr(A, &rows);
    } else {
        TRY(gsolve_matrix_csr(A, &rows));
    }
    TRY(gsolve_precond_create(M, ctx, spec, &rows));
done:
    return status;
}

void gsolve_precond_destroy(gsolve_precond **pM)
{
    gsolve_precond *M = pM ? *pM : NULL;
    if (!M) return;

    if (M->self) M->kind->destroy(M->self, M->ctx);
    gsolve_free(M->ctx, GSOLVE_HOST, M->spec);
    gsolve_free(M->ctx, GSOLVE_HOST, M->options);
    M->ctx->handles--;
    gsolve_free(M->ctx, GSOLVE_HOST, M);
    *pM = NULL;
}

/* *same: whether csr, clean and where the kind works, has the type and pattern of before. */
static gsolve_status has_pattern(const gsolve_precond *M, const gsolve_csr *csr, int64_t entries,
                                 bool *same)
{
    gsolve_csr rows;
    int64_t before;
    gsolve_status status;

    *same = csr->type == M->type && csr->nrows == M->n && csr->ncols == M->n;
    if (!M->kind->on_device) {
        *same = csr->type == M->type && gs_csr_pattern_hash(M->ctx, csr) == M->pattern;
        return GSOLVE_OK;
    }
    if (!*same) return GSOLVE_OK;
    M->kind->rows(M->self, &rows);
    if (!rows.start) return GSOLVE_NO_MEMORY;
    TRY(gs_csr_entries(M->ctx, &rows, &before));
    *same = before == entries;
    if (*same) TRY(gs_inspector(M->ctx, csr)->compare_patterns(M->ctx, &rows, csr, same));
done:
    return status;
}

/* *same: whether csr can be taken as it is: where the kind works and wants it, of the pattern of
 * before, with finite values. All of that is one pass; false where it takes more to tell. */
static gsolve_status is_renewal(const gsolve_precond *M, const gsolve_csr *csr, bool *same)
{
    gsolve_csr rows;
    int64_t entries;
    gsolve_status status;

    *same = false;
    if (!M->kind->on_device || !csr || !csr->start || !csr->col || !csr->value ||
        csr->type != M->type || csr->nrows != M->n || csr->ncols != M->n ||
        csr->location != gs_location(M->ctx)) {
        return GSOLVE_OK;
    }
    M->kind->rows(M->self, &rows);
    if (!rows.start) return GSOLVE_NO_MEMORY;
    if (rows.offset != csr->offset) return GSOLVE_OK;
    rows.type = csr->type; /* of its values, which are not looked at */
    TRY(gs_csr_entries(M->ctx, &rows, &entries));
    TRY(gs_inspector(M->ctx, csr)->at_values(M->ctx, &rows, entries, csr, same));
done:
    return status;
}

/* The rows that the kind told are looked at no more. */
static void let_go(const gsolve_precond *M)
{
    if (M->kind->rows) M->kind->rows(M->self, NULL);
}

gsolve_status gsolve_precond_update(gsolve_precond *M, const gsolve_csr *csr)
{
    gsolve_csr own = {0};
    int64_t entries = 0;
    bool same;
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    TRY(is_renewal(M, csr, &same));
    if (same) {
        TRY(build(M, csr));
        goto done;
    }
    TRY(clean_for(M->kind, M->ctx, &csr, &own));
    TRY(gs_csr_entries(M->ctx, csr, &entries));
    TRY(has_pattern(M, csr, entries, &same));
    if (!same) {
        status = gsolve_fail(M->ctx, GSOLVE_BAD_MATRIX,
                             "the new matrix (%d x %d, %lld entries) has another pattern or type "
                             "than the one the preconditioner was made from; make a new one",
                             csr->nrows, csr->ncols, (long long)entries);
        goto done;
    }
    TRY(build(M, csr));
done:
    let_go(M);
    gsolve_csr_free(&own, M->ctx);
    return status;
}

gsolve_status gsolve_precond_update_from(gsolve_precond *M, const gsolve_matrix *A)
{
    gsolve_csr rows;
    gsolve_status status = GSOLVE_OK;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    if (!A)
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_update_from: A is NULL");
    if (M->kind->on_device) {
        gsolve_matrix_device_csr(A, &rows);
    } else {
        TRY(gsolve_matrix_csr(A, &rows));
    }
    TRY(gsolve_precond_update(M, &rows));
done:
    return status;
}

/* --- near-null vectors --------------------------------------------------------------------------
 */

typedef gsolve_status setting(void *self, gsolve_context *ctx, gsolve_dense v);

/* Gives v to the kind, on its device. */
static gsolve_status set(gsolve_precond *M, setting *give, const char *what, gsolve_dense v)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes - (M->ctx->bytes > M->bytes ? M->bytes : 0);
    gs_stage stage = {0};
    gsolve_status status;

    if (!give) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "the preconditioner %s has no use for %s; amg does",
                           M->kind->plugin.name, what);
    }
    if (v.nrows < 0 || v.ncols < 1 || (v.ncols > 1 && v.stride < v.nrows) ||
        (!v.value && v.nrows > 0) || (unsigned)v.type >= GSOLVE_TYPE_COUNT ||
        !gs_reachable(M->ctx, v.location)) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s are %d x %d (stride %lld), without values, of an unknown type, or "
                           "out of reach",
                           what, v.nrows, v.ncols, (long long)v.stride);
    }
    TRY(gs_need_columns(M->ctx, v, what));
    TRY(gs_stage_in(&stage, M->ctx, gs_location(M->ctx), v, true));
    TRY(give(M->self, M->ctx, stage.used));
    gs_stage_drop(&stage, M->ctx);
    M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
    M->setup_seconds = gs_now() - begin;
    M->version++;
done:
    let_go(M);
    gs_stage_drop(&stage, M->ctx);
    return status;
}

gsolve_status gsolve_precond_set_near_null(gsolve_precond *M, gsolve_dense B)
{
    return M ? set(M, M->kind->near_null, "near-null vectors", B) : GSOLVE_BAD_ARGUMENT;
}

gsolve_status gsolve_precond_set_coordinates(gsolve_precond *M, gsolve_dense xyz)
{
    return M ? set(M, M->kind->coordinates, "coordinates", xyz) : GSOLVE_BAD_ARGUMENT;
}

/* --- applying --------------------------------------------------------------------------------- */

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
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                           "vectors must be of the preconditioner's type, and on its device or on "
                           "the host");
    }
    if ((!r.value || !z.value) && M->n > 0 && r.ncols > 0) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT, "r or z has no values");
    }
    return GSOLVE_OK;
}

typedef gsolve_status application(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z);

static gsolve_status apply_staged(const gsolve_precond *M, application *apply, gsolve_dense r,
                                  gsolve_dense z)
{
    gs_stage in = {0}, out = {0};
    gsolve_status status;

    TRY(check_vectors(M, r, z));
    TRY(gs_stage_in(&in, M->ctx, gs_location(M->ctx), r, true));
    TRY(gs_stage_in(&out, M->ctx, gs_location(M->ctx), z, false));
    TRY(apply(M->self, M->ctx, in.used, out.used));
    TRY(gs_stage_out(&out, M->ctx));
done:
    gs_stage_drop(&in, M->ctx);
    gs_stage_drop(&out, M->ctx);
    return status;
}

gsolve_status gsolve_precond_apply(const gsolve_precond *M, gsolve_dense r, gsolve_dense z)
{
    return M ? apply_staged(M, M->kind->apply, r, z) : GSOLVE_BAD_ARGUMENT;
}

gsolve_status gsolve_precond_apply_transpose(const gsolve_precond *M, gsolve_dense r,
                                             gsolve_dense z)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    if (!M->kind->apply_transpose) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "the preconditioner %s cannot be applied transposed",
                           M->kind->plugin.name);
    }
    return apply_staged(M, M->kind->apply_transpose, r, z);
}

/* z = M^-1 r, rz[c] = r_c'z_c, where kernels see all three. */
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

gsolve_status gsolve_precond_apply_dot(const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                                       double *rz)
{
    const gsolve_dense numbers = {
        r.ncols, 1, r.ncols, rz, GSOLVE_F64, r.location, GSOLVE_COLUMN_MAJOR};
    gs_stage in = {0}, out = {0}, dots = {0};
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    TRY(check_vectors(M, r, z));
    if (!rz && r.ncols > 0) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT, "there is nowhere to put r'z");
    }
    TRY(gs_stage_in(&in, M->ctx, gs_location(M->ctx), r, true));
    TRY(gs_stage_in(&out, M->ctx, gs_location(M->ctx), z, false));
    TRY(gs_stage_in(&dots, M->ctx, gs_location(M->ctx), numbers, false));
    TRY(apply_dot(M, in.used, out.used, dots.used.value));
    TRY(gs_stage_out(&out, M->ctx));
    TRY(gs_stage_out(&dots, M->ctx));
done:
    gs_stage_drop(&in, M->ctx);
    gs_stage_drop(&out, M->ctx);
    gs_stage_drop(&dots, M->ctx);
    return status;
}

/* --- what it is ------------------------------------------------------------------------------- */

const void *gsolve_precond_diagonal(const gsolve_precond *M)
{
    return M->kind->diagonal ? M->kind->diagonal(M->self) : NULL;
}

bool gsolve_precond_level(const gsolve_precond *M, int index, gsolve_level_info *info)
{
    return M && info && index >= 0 && M->kind->level && M->kind->level(M->self, index, info);
}

void gsolve_precond_begin_solve(const gsolve_precond *M, int32_t columns)
{
    if (M->kind->begin_solve) M->kind->begin_solve(M->self, columns);
}

bool gsolve_precond_is_variable(const gsolve_precond *M)
{
    return M->kind->is_variable && M->kind->is_variable(M->self);
}

void gsolve_precond_describe(const gsolve_precond *M, gsolve_precond_info *info)
{
    const size_t vector = (size_t)M->n * gs_type_size(M->type);

    memset(info, 0, sizeof *info);
    info->kind = M->kind->plugin.name;
    info->spec = M->spec;
    info->n = M->n;
    info->bytes = M->bytes;
    info->moved = gsolve_precond_diagonal(M) ? 3 * vector : M->bytes + 2 * vector;
    info->version = M->version;
    info->setup_seconds = M->setup_seconds;
    if (M->kind->describe) M->kind->describe(M->self, info);
}
