/* handle.c: the preconditioner handle: it is created from a spec, described and destroyed. */
#include "precond/handle.h"
#include "core/info.h"

#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "spmv/handle.h"

/* *is: whether spec is "auto". Fails if it has options. */
static gsolve_status is_auto(gsolve_context *ctx, const char *spec, bool *is)
{
    *is = gs_spec_is(spec, "auto");
    if (!*is || !strchr(spec, ',')) return GSOLVE_OK;
    return gsolve_fail(
        ctx, GSOLVE_BAD_SPEC,
        "the preconditioner auto has no options; name a preconditioner to set options");
}

static void destroy_precond(void *handle)
{
    gsolve_precond *M = handle;
    gsolve_precond_destroy(&M);
}

gsolve_status gs_precond_new(gsolve_precond **out, gsolve_context *ctx, const char *spec)
{
    gsolve_precond *M = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, M, 1);
    memset(M, 0, sizeof *M);
    gs_own(ctx, M, destroy_precond);
    M->ctx = ctx;
    ctx->handles++;
    ALLOC(ctx, GSOLVE_HOST, M->spec, strlen(spec) + 1);
    memcpy(M->spec, spec, strlen(spec) + 1);
    gsolve_tidy_spec(M->spec);
    *out = M;
    M = NULL;
done:
    gsolve_precond_destroy(&M);
    return status;
}

static bool is_of_normal(const gsolve_precond *M)
{
    return M->extension->is_of_normal && M->extension->is_of_normal(M->options);
}

/* Before M is set up from the diagonal block of this rank. */
static gsolve_status prepare_over_ranks(gsolve_precond *M, const gsolve_matrix *A)
{
    gsolve_row_range rows;

    gsolve_matrix_row_range(A, &rows, NULL, NULL, NULL);
    M->comm = gs_matrix_comm(A);
    M->first_row = rows.first;
    if (is_of_normal(M)) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "jacobi,normal=1 does not work with a matrix that is distributed over "
                           "%d ranks; use jacobi, chebyshev, amg, or one that each rank applies to "
                           "its own rows: ilu, ic, isai, block_jacobi",
                           M->comm->ranks);
    }
    if (M->kind == &gs_amg && gs_location(M->ctx) != GSOLVE_HOST) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "amg does not work with a matrix that is distributed over %d ranks on "
                           "GPUs; compute on CPUs, or use jacobi, chebyshev, or one that each rank "
                           "applies to its own rows: ilu, ic, isai, block_jacobi",
                           M->comm->ranks);
    }
    if (!M->extension->build_over_ranks) return GSOLVE_OK;
    return M->extension->build_over_ranks(&M->self, M->ctx, A, M->options);
}

/* Creates the preconditioner `spec`, which is not "auto". pattern: NULL, or csr is clean and lies
 * where the kind reads it, and *pattern is its hash, or 0. A kind on the device needs no hash.
 * A: the matrix whose rows are csr, or NULL. */
static gsolve_status create(gsolve_precond **out, gsolve_context *ctx, const char *spec,
                            const gsolve_csr *csr, const uint64_t *pattern, const gsolve_matrix *A)
{
    const gsolve_plugin *plugin;
    gsolve_precond *M = NULL;
    gsolve_csr own = {0};
    gsolve_status status;

    TRY(gs_precond_new(&M, ctx, spec));
    TRY(gs_plugin_parse(ctx, &ctx->preconds, gs_preconds, "preconditioner", spec, &plugin,
                        &M->options));
    M->kind = gs_precond_kind_of(plugin);
    M->extension = gs_precond_extension_of(M->kind);
    if (A && M->extension->set_block) M->extension->set_block(M->options, gs_matrix_block_size(A));
    if (!pattern) {
        TRY(gs_precond_prepare_rows(
            gs_precond_location(M->extension, ctx, M->options, csr->location), ctx, &csr, &own));
    }
    M->n = is_of_normal(M) ? csr->ncols : csr->nrows;
    M->type = csr->type;
    if (!M->extension->on_device && csr->start) { /* an operator has no pattern */
        if (pattern) M->pattern = *pattern;
        if (M->pattern == 0) {
            TRY(A && !A->dist ? gs_matrix_find_pattern(&M->pattern, A)
                              : gs_csr_find_pattern(&M->pattern, ctx, csr));
        }
    }
    if (csr->nrows != csr->ncols && M->kind != &gs_none && !is_of_normal(M)) {
        status = gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                             "the preconditioner %s needs a square matrix and this one is %d x %d; "
                             "for lsqr and lsmr use jacobi,normal=1 or none",
                             plugin->name, csr->nrows, csr->ncols);
        goto done;
    }
    if (A && gs_matrix_comm(A)) TRY(prepare_over_ranks(M, A));
    TRY(gs_precond_set_up(M, csr, A));
    TRY(gs_precond_set_null_space(M, A));
    *out = M;
    M = NULL;
done:
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&own, ctx);
    return status;
}

/* *location = where the kind of spec reads its rows if they are at `given`. *over_ranks: whether it
 * reads the rows of all ranks; it may be NULL. */
static gsolve_status location_for(gsolve_context *ctx, const char *spec, gsolve_location given,
                                  gsolve_location *location, bool *over_ranks)
{
    const gs_precond_extension *extension;
    const gsolve_plugin *plugin;
    void *options = NULL;
    gsolve_status status;

    TRY(gs_plugin_parse(ctx, &ctx->preconds, gs_preconds, "preconditioner", spec, &plugin,
                        &options));
    extension = gs_precond_extension_of(gs_precond_kind_of(plugin));
    *location = gs_precond_location(extension, ctx, options, given);
    if (over_ranks) *over_ranks = extension->set_up_over_ranks != NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, options);
    return status;
}

/* Creates the preconditioner that auto chooses. One pass checks the rows and another computes the
 * statistics, both at the location of csr. */
static gsolve_status create_auto(gsolve_precond **M, gsolve_context *ctx, const gsolve_csr *csr)
{
    const gsolve_csr *rows = csr;
    gsolve_csr fetched = {0}, sorted = {0}, moved = {0};
    gs_statistics known = {.known = false};
    gs_csr_findings found;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    gsolve_location there;
    bool clean;
    gsolve_status status;

    TRY(gs_csr_inspect(ctx, rows, &found, &clean));
    if (!found.ascending) TRY(gs_csr_to_host(&rows, ctx, &fetched));
    if (!clean) {
        TRY(gs_csr_clean(&sorted, ctx, rows, found.ascending, NULL));
        rows = &sorted;
    }
    TRY(gs_csr_need_statistics(ctx, rows, &known));
    known.t.size = sizeof known.t;
    gsolve_auto_choose(ctx, &known.t, 0, &choice);
    TRY(location_for(ctx, choice.precond, rows->location, &there, NULL));
    if (clean && csr->location == there) {
        rows = csr;
    } else if (rows->location != there) {
        TRY(gs_csr_move(&moved, ctx, there, rows));
        rows = &moved;
    }
    TRY(create(M, ctx, choice.precond, rows, &known.pattern, NULL));
done:
    gsolve_csr_free(&moved, ctx);
    gsolve_csr_free(&sorted, ctx);
    gsolve_csr_free(&fetched, ctx);
    return status;
}

gsolve_status gsolve_precond_create(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *csr)
{
    bool automatic;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!M || !spec || !csr) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_create: an argument is NULL");
    }
    TRY(is_auto(ctx, spec, &automatic));
    TRY(automatic ? create_auto(M, ctx, csr) : create(M, ctx, spec, csr, NULL, NULL));
done:
    return status;
}

/* The preconditioner that auto chooses. */
static gsolve_status choose(const gsolve_matrix *A, gsolve_choice *choice)
{
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_status status;

    TRY(gsolve_matrix_statistics(A, &statistics));
    if (gs_matrix_comm(A)) {
        gsolve_dist_choose(A->ctx, &statistics, 0, choice);
    } else {
        gsolve_auto_choose(A->ctx, &statistics, 0, choice);
    }
done:
    return status;
}

static gsolve_status create_from(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                 const gsolve_matrix *A)
{
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    gsolve_csr rows;
    gsolve_location there;
    const uint64_t pattern = 0;
    bool automatic, over_ranks;
    gsolve_status status;

    TRY(is_auto(ctx, spec, &automatic));
    if (!gs_spec_is(spec, gs_none.plugin.name)) TRY(gs_matrix_check_rows(A));
    if (automatic) {
        TRY(choose(A, &choice));
        spec = choice.precond;
    }
    TRY(location_for(ctx, spec, gs_location(ctx), &there, &over_ranks));
    if (over_ranks && gs_matrix_comm(A)) {
        rows = A->csr; /* it reads only the shape */
    } else if (there == gs_location(ctx) || A->is_operator) {
        TRY(gs_matrix_rows_there(A, &rows));
    } else {
        TRY(gsolve_matrix_csr(A, &rows));
    }
    TRY(create(M, ctx, spec, &rows, &pattern, A));
done:
    return status;
}

gsolve_status gsolve_precond_create_from(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                         const gsolve_matrix *A)
{
    gsolve_precond *created = NULL;
    gs_comm *comm;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!M || !spec || !A) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_precond_create_from: an argument is NULL");
        return A ? gs_comm_check(gs_matrix_comm(A), status) : status;
    }
    comm = gs_matrix_comm(A);
    TRY(gs_comm_same(comm, gs_hash(ctx, spec, strlen(spec), 0), "the specs of the preconditioner"));
    TRY(gs_comm_check(comm, create_from(&created, ctx, spec, A)));
    *M = created;
    created = NULL;
done:
    gsolve_precond_destroy(&created);
    return status;
}

void gsolve_precond_destroy(gsolve_precond **pM)
{
    gsolve_precond *M = pM ? *pM : NULL;
    if (!M) return;
    GS_ENTER(M->ctx);

    if (M->self) M->kind->destroy(M->self, M->ctx);
    gsolve_free(M->ctx, GSOLVE_HOST, M->spec);
    gsolve_free(M->ctx, GSOLVE_HOST, M->options);
    M->ctx->handles--;
    gsolve_free(M->ctx, GSOLVE_HOST, M);
    *pM = NULL;
}

/* --- description ------------------------------------------------------------------------------ */

const void *gsolve_precond_diagonal(const gsolve_precond *M)
{
    return M->kind->diagonal ? M->kind->diagonal(M->self) : NULL;
}

bool gsolve_precond_level(const gsolve_precond *M, int index, gsolve_level_info *info)
{
    gsolve_level_info own = {.size = sizeof own};

    if (!M || !GS_INFO_FITS(gsolve_level_info, info) || index < 0 || !M->extension->level ||
        !M->extension->level(M->self, index, &own)) {
        return false;
    }
    GS_FILL_INFO(gsolve_level_info, info, &own);
    return true;
}

void gsolve_precond_begin_solve(const gsolve_precond *M, int32_t columns)
{
    if (M->extension->begin_solve) M->extension->begin_solve(M->self, columns);
}

bool gsolve_precond_is_variable(const gsolve_precond *M)
{
    return M->kind->is_variable && M->kind->is_variable(M->self);
}

struct gs_comm *gs_precond_comm(const gsolve_precond *M)
{
    return M->comm;
}

bool gs_precond_is_of_normal(const gsolve_precond *M)
{
    return is_of_normal(M);
}

bool gs_precond_is_of_matrix(const gsolve_precond *M)
{
    return !is_of_normal(M) && !M->extension->of_any_matrix;
}

bool gs_precond_is_recordable(const gsolve_precond *M)
{
    return !M || !M->extension->is_recordable || M->extension->is_recordable(M->self);
}

/* Says which kinds do not couple the ranks. */
static void note_ranks(const gsolve_precond *M, gsolve_precond_info *info)
{
    const size_t length = strlen(info->note);

    if (M->kind == &gs_none || M->kind == &gs_jacobi || M->extension->build_over_ranks ||
        M->extension->set_up_over_ranks ||
        M->extension->update_call) { /* chebyshev of a given diagonal */
        return;
    }
    snprintf(info->note + length, sizeof info->note - length,
             "%seach of the %d ranks uses the block of its own rows", length ? "; " : "",
             M->comm->ranks);
}

void gsolve_precond_describe(const gsolve_precond *M, gsolve_precond_info *info)
{
    const size_t vector = (size_t)M->n * gs_type_size(M->type);
    gsolve_precond_info own = {
        .size = sizeof own,
        .kind = M->kind->plugin.name,
        .spec = M->spec,
        .n = M->n,
        .type = M->type,
        .bytes = M->bytes,
        .moved = gsolve_precond_diagonal(M) ? 3 * vector : M->bytes + 2 * vector,
        .version = M->version,
        .setup_seconds = M->setup_seconds,
    };

    if (M->kind->describe) M->kind->describe(M->self, &own);
    if (M->comm) note_ranks(M, &own);
    GS_FILL_INFO(gsolve_precond_info, info, &own);
}
