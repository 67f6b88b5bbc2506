/* assembly.c: the public functions on an assembly: checks, staged copies, the handle. */
#include "matrix/assembly.h"

#include <string.h>

#include "core/info.h"
#include "core/try.h"

/* --- checks ----------------------------------------------------------------------------------- */

static gsolve_status check_numbers(gsolve_context *ctx, gsolve_type type, const gsolve_triplets *t)
{
    if (t->nrows < 0 || t->ncols < 0 || t->count < 0) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_assembly_create: the size %lld x %lld or the number of triplets "
                           "%lld is negative",
                           (long long)t->nrows, (long long)t->ncols, (long long)t->count);
    }
    if ((unsigned)type >= GSOLVE_TYPE_COUNT || (unsigned)t->index_type > GSOLVE_I64 ||
        (unsigned)t->part > GSOLVE_UPPER || (unsigned)t->location > GSOLVE_DEVICE) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "gsolve_assembly_create: type is %d, index_type %d, part %d and location "
            "%d; they must be enumerators of gsolve_type, gsolve_index, gsolve_part "
            "and gsolve_location",
            (int)type, (int)t->index_type, (int)t->part, (int)t->location);
    }
    if (t->base < 0 || t->base > 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_assembly_create: base is %d; numbers count from 0 or from 1",
                           t->base);
    }
    if (t->count > 0 && (!t->row || !t->col)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_assembly_create: there are triplets but row or col is NULL");
    }
    if (!gs_reachable(ctx, t->location)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_assembly_create: row and col are on the device, but the context "
                           "computes on the CPU; pass arrays of the host");
    }
    return GSOLVE_OK;
}

static gsolve_status check_size(gsolve_context *ctx, const gsolve_triplets *t)
{
    if (t->nrows > INT32_MAX || t->ncols > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the matrix is %lld x %lld; fewer than 2^31 rows and columns are "
                           "supported",
                           (long long)t->nrows, (long long)t->ncols);
    }
    if (t->count > (t->part == GSOLVE_FULL ? UINT32_MAX : UINT32_MAX / 2)) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "there are %lld triplets%s; fewer than 2^32 are supported in one "
                           "assembly",
                           (long long)t->count,
                           t->part == GSOLVE_FULL ? "" : ", and as many mirror images");
    }
    if (t->part != GSOLVE_FULL && t->nrows != t->ncols) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "the matrix is %lld x %lld; only a square matrix can be given by one "
                           "triangle",
                           (long long)t->nrows, (long long)t->ncols);
    }
    return GSOLVE_OK;
}

/* *number = element k of an array of indices at any location. */
static gsolve_status fetch_index(gsolve_context *ctx, const gsolve_triplets *t, const void *array,
                                 int64_t k, long long *number)
{
    const bool wide = t->index_type == GSOLVE_I64;
    const size_t size = wide ? sizeof(int64_t) : sizeof(int32_t);
    int64_t i64 = 0;
    int32_t i32 = 0;
    const gsolve_status status =
        gsolve_copy(ctx, wide ? (void *)&i64 : (void *)&i32, GSOLVE_HOST,
                    (const char *)array + (size_t)k * size, t->location, size);

    *number = wide ? i64 : i32;
    return status;
}

/* Describes triplet k, which is not accepted. */
static gsolve_status fail_for_triplet(gsolve_context *ctx, const gsolve_triplets *t, int64_t k)
{
    long long i = 0, j = 0;
    gsolve_status status;

    TRY(fetch_index(ctx, t, t->row, k, &i));
    TRY(fetch_index(ctx, t, t->col, k, &j));
    const bool row_is_bad = i < t->base || i - t->base >= t->nrows;
    if (row_is_bad || j < t->base || j - t->base >= t->ncols) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "triplet %lld has row %lld and column %lld, but %s are numbered from "
                             "%d to %lld; correct it, or skip it by a negative number",
                             (long long)k + t->base, i, j, row_is_bad ? "rows" : "columns", t->base,
                             (long long)(row_is_bad ? t->nrows : t->ncols) - 1 + t->base);
    } else {
        status =
            gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                        "triplet %lld, in row %lld and column %lld, is in the %s triangle, but "
                        "only the %s triangle is given; numbers count from %d",
                        (long long)k + t->base, i, j, t->part == GSOLVE_LOWER ? "upper" : "lower",
                        t->part == GSOLVE_LOWER ? "lower" : "upper", t->base);
    }
done:
    return status;
}

/* --- create and destroy ----------------------------------------------------------------------- */

static void destroy_left(void *handle)
{
    gsolve_assembly *plan = handle;
    gsolve_assembly_destroy(&plan);
}

/* Makes the plan from t, whose arrays are where kernels read them. */
static gsolve_status make(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t)
{
    int64_t bad = -1;
    const gsolve_status status =
        GS_SCALAR_KERNELS(gs_assembly, plan->ctx, type)->make(plan, type, t, &bad);

    if (status != GSOLVE_OK) return status;
    return bad >= 0 ? fail_for_triplet(plan->ctx, t, bad) : GSOLVE_OK;
}

/* Makes the plan from t, after a copy of its arrays to the device if necessary. */
static gsolve_status make_staged(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t)
{
    const gsolve_location there = gs_location(plan->ctx);
    const size_t size = t->index_type == GSOLVE_I64 ? sizeof(int64_t) : sizeof(int32_t);
    const size_t bytes = (size_t)t->count * size;
    gsolve_triplets copy = *t;
    char *both = NULL; /* rows, then columns */
    gsolve_status status;

    if (t->location == there || t->count == 0) return make(plan, type, t);
    ALLOC(plan->ctx, there, both, 2 * bytes);
    TRY(gsolve_copy(plan->ctx, both, there, t->row, t->location, bytes));
    TRY(gsolve_copy(plan->ctx, both + bytes, there, t->col, t->location, bytes));
    copy.row = both;
    copy.col = both + bytes;
    copy.location = there;
    TRY(make(plan, type, &copy));
done:
    gsolve_free(plan->ctx, there, both);
    return status;
}

gsolve_status gsolve_assembly_create(gsolve_assembly **out, gsolve_context *ctx, gsolve_type type,
                                     const gsolve_triplets *t)
{
    gsolve_assembly *plan = NULL;
    const double begin = gs_now();
    size_t held;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !t) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_assembly_create: an argument is NULL");
    }
    status = check_numbers(ctx, type, t);
    if (status == GSOLVE_OK) status = check_size(ctx, t);
    if (status != GSOLVE_OK) return status;
    held = ctx->bytes;
    gs_range_push(ctx, "plan of an assembly");
    ALLOC(ctx, GSOLVE_HOST, plan, 1);
    memset(plan, 0, sizeof *plan);
    gs_own(ctx, plan, destroy_left);
    plan->ctx = ctx;
    ctx->handles++;
    plan->number = ++ctx->assemblies;
    plan->triplets = t->count;
    TRY(make_staged(plan, type, t));
    TRY(gs_memory_synchronize(ctx, plan->csr.location, plan->csr.start));
    plan->bytes = ctx->bytes - held;
    plan->seconds = gs_now() - begin;
    *out = plan;
    plan = NULL;
done:
    gs_range_pop(ctx);
    gsolve_assembly_destroy(&plan);
    return status;
}

void gsolve_assembly_destroy(gsolve_assembly **handle)
{
    gsolve_assembly *plan = handle ? *handle : NULL;
    if (!plan) return;
    GS_ENTER(plan->ctx);

    gsolve_csr_free(&plan->csr, plan->ctx);
    gsolve_free(plan->ctx, GSOLVE_DEVICE, plan->first);
    gsolve_free(plan->ctx, GSOLVE_DEVICE, plan->place);
    gsolve_free(plan->ctx, GSOLVE_DEVICE, plan->bad);
    gsolve_free(plan->ctx, GSOLVE_DEVICE, plan->staged);
    plan->ctx->handles--;
    gsolve_free(plan->ctx, GSOLVE_HOST, plan);
    *handle = NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

gsolve_status gs_assembly_check_values(const gsolve_assembly *plan, const void *value,
                                       gsolve_location location)
{
    if (!value && plan->triplets > 0) {
        return gsolve_fail(plan->ctx, GSOLVE_BAD_ARGUMENT,
                           "the values of the triplets are NULL; the assembly needs %lld of them",
                           (long long)plan->triplets);
    }
    if ((unsigned)location > GSOLVE_DEVICE || !gs_reachable(plan->ctx, location)) {
        return gsolve_fail(plan->ctx, GSOLVE_BAD_ARGUMENT,
                           "the location of the values of the triplets is %d; in a context on the "
                           "CPU they must be on the host (GSOLVE_HOST)",
                           (int)location);
    }
    return GSOLVE_OK;
}

/* Copies the values of the host to plan->staged. */
static gsolve_status stage_values(gsolve_assembly *plan, const void *value)
{
    const size_t size = gs_type_size(plan->csr.type);

    if (!plan->staged) {
        plan->staged = gsolve_alloc(plan->ctx, GSOLVE_DEVICE, (size_t)plan->triplets, size);
        if (!plan->staged) return GSOLVE_NO_MEMORY;
        plan->bytes += (size_t)plan->triplets * size;
    }
    return gsolve_copy(plan->ctx, plan->staged, GSOLVE_DEVICE, value, GSOLVE_HOST,
                       (size_t)plan->triplets * size);
}

gsolve_status gs_assembly_sum(gsolve_assembly *plan, const void *value, gsolve_location location,
                              void *to, bool add, int64_t *bad)
{
    gsolve_status status = GSOLVE_OK;

    if (bad) *bad = -1;
    if (plan->entries == 0) return GSOLVE_OK;
    gs_range_push(plan->ctx, "assembly");
    if (location != gs_location(plan->ctx)) {
        TRY(stage_values(plan, value));
        value = plan->staged;
    }
    TRY(GS_SCALAR_KERNELS(gs_assembly, plan->ctx, plan->csr.type)->sum(plan, value, to, add, bad));
done:
    gs_range_pop(plan->ctx);
    return status;
}

static gsolve_status put_values(gsolve_assembly *plan, const void *value, gsolve_location location,
                                bool add)
{
    const gsolve_status status = gs_assembly_check_values(plan, value, location);

    if (status != GSOLVE_OK) return status;
    return gs_assembly_sum(plan, value, location, gs_owned_block(plan->ctx, plan->csr.value), add,
                           NULL);
}

gsolve_status gsolve_assembly_set_values(gsolve_assembly *plan, const void *value,
                                         gsolve_location location)
{
    if (!plan) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(plan->ctx);
    return put_values(plan, value, location, false);
}

gsolve_status gsolve_assembly_add_values(gsolve_assembly *plan, const void *value,
                                         gsolve_location location)
{
    if (!plan) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(plan->ctx);
    return put_values(plan, value, location, true);
}

/* --- results ---------------------------------------------------------------------------------- */

gsolve_status gsolve_assembly_csr(const gsolve_assembly *plan, gsolve_csr *csr)
{
    if (!plan) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(plan->ctx);
    if (!csr) {
        return gsolve_fail(plan->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_assembly_csr: csr is NULL");
    }
    *csr = plan->csr;
    return GSOLVE_OK;
}

void gsolve_assembly_describe(const gsolve_assembly *plan, gsolve_assembly_info *info)
{
    const gsolve_assembly_info own = {
        .size = sizeof own,
        .nrows = plan->csr.nrows,
        .ncols = plan->csr.ncols,
        .type = plan->csr.type,
        .triplets = plan->triplets,
        .skipped = plan->skipped,
        .entries = plan->entries,
        .bytes = plan->bytes,
        .seconds = plan->seconds,
    };

    GS_FILL_INFO(gsolve_assembly_info, info, &own);
}
