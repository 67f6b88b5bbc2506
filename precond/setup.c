/* setup.c: checks and sorts the rows of a preconditioner's matrix and copies them to where its kind
 * reads them. Then builds the preconditioner, or updates it: with new values of the matrix in the
 * same pattern, or with near-null vectors. */
#include <string.h>

#include "core/interrupt.h"
#include "core/staging.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/null_space.h"
#include "matrix/operator.h"
#include "precond/handle.h"
#include "spmv/handle.h"

gsolve_location gs_precond_location(const gs_precond_extension *extension,
                                    const gsolve_context *ctx, const void *options,
                                    gsolve_location given)
{
    if (extension->on_device) return gs_location(ctx);
    return extension->anywhere && extension->anywhere(options) ? given : GSOLVE_HOST;
}

gsolve_status gs_precond_prepare_rows(gsolve_location location, gsolve_context *ctx,
                                      const gsolve_csr **csr, gsolve_csr *own)
{
    const gsolve_csr *A = *csr;
    gsolve_csr fetched = {0}, sorted = {0};
    gs_csr_findings found;
    bool is_clean;
    gsolve_status status;

    TRY(gs_csr_inspect(ctx, A, &found, &is_clean));
    if (!found.ascending || location == GSOLVE_HOST) TRY(gs_csr_to_host(&A, ctx, &fetched));
    if (!is_clean) {
        TRY(gs_csr_clean(&sorted, ctx, A, found.ascending, NULL));
        A = &sorted;
    }
    if (A->location != location) {
        TRY(gs_csr_move(own, ctx, location, A));
    } else if (A == &sorted) {
        *own = sorted;
        memset(&sorted, 0, sizeof sorted);
    } else {
        *own = fetched;
        memset(&fetched, 0, sizeof fetched);
    }
    if (own->start) *csr = own;
done:
    gsolve_csr_free(&fetched, ctx);
    gsolve_csr_free(&sorted, ctx);
    return status;
}

static void log_set_up(const gsolve_precond *M)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    if (!M->ctx->log) return;
    if (M->kind->describe) M->kind->describe(M->self, &info);
    gs_log(M->ctx, "preconditioner %s: set-up took %.3g s%s%s", M->spec, M->setup_seconds,
           info.note[0] ? "; " : "", info.note);
}

gsolve_status gs_precond_set_up(gsolve_precond *M, const gsolve_csr *csr, const gsolve_matrix *A)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes;
    const int64_t first = M->ctx->first_row;
    gsolve_status status;

    gs_range_push(M->ctx, "set-up of the preconditioner");
    gs_range_push(M->ctx, M->kind->plugin.name);
    M->ctx->first_row += M->first_row;
    TRY(gs_check_interrupt(M->ctx));
    if (gs_precond_is_over_ranks(M)) {
        TRY(M->extension->set_up_over_ranks(&M->self, M->ctx, A, M->options));
        M->bytes += M->ctx->bytes - held;
    } else if (M->self && M->kind->update) {
        TRY(M->kind->update(M->self, M->ctx, csr));
        M->bytes += M->ctx->bytes - held;
    } else {
        void *built = NULL;
        TRY(M->kind->build(&built, M->ctx, csr, M->options, M->kind->user));
        M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
        if (M->self) M->kind->destroy(M->self, M->ctx);
        M->self = built;
    }
    TRY(gs_memory_synchronize(M->ctx, csr->location, csr->start)); /* kernels have read csr */
    M->setup_seconds = gs_now() - begin;
    M->version++;
    log_set_up(M);
done:
    M->ctx->first_row = first;
    gs_range_pop(M->ctx);
    gs_range_pop(M->ctx);
    return status;
}

gsolve_status gs_precond_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                               const void *options, const gsolve_precond_kind *kind, size_t size)
{
    void *M = gsolve_alloc(ctx, GSOLVE_HOST, 1, size);
    gsolve_status status;

    if (!M) return GSOLVE_NO_MEMORY;
    memset(M, 0, size);
    memcpy(M, options, kind->plugin.option_size);
    status = kind->update(M, ctx, csr);
    if (status == GSOLVE_OK) {
        *self = M;
    } else {
        kind->destroy(M, ctx);
    }
    return status;
}

/* --- new values ------------------------------------------------------------------------------- */

/* *same: whether csr has the type and the pattern of the matrix that M was built from. csr is
 * clean, where M's kind reads it, and has this many entries. A: NULL, or the matrix of these rows,
 * which knows its pattern. */
static gsolve_status has_pattern(const gsolve_precond *M, const gsolve_csr *csr,
                                 const gsolve_matrix *A, int64_t entries, bool *same)
{
    gsolve_csr rows;
    int64_t before;
    gsolve_status status;

    *same = csr->type == M->type && csr->nrows == M->n && csr->ncols == M->n;
    if (!M->extension->on_device) {
        uint64_t pattern;
        TRY(A && !A->dist ? gs_matrix_find_pattern(&pattern, A)
                          : gs_csr_find_pattern(&pattern, M->ctx, csr));
        *same = csr->type == M->type && pattern == M->pattern;
        return GSOLVE_OK;
    }
    if (!*same) return GSOLVE_OK;
    M->extension->rows(M->self, &rows);
    if (!rows.start) return GSOLVE_NO_MEMORY;
    TRY(gs_csr_entries(M->ctx, &rows, &before));
    *same = before == entries;
    if (*same) {
        TRY(gs_inspector(M->ctx, csr)->compare(M->ctx, &rows, entries, csr, false, same));
    }
done:
    return status;
}

/* *same: whether csr can be read in place: it lies where M's kind reads it, has the pattern of M's
 * matrix, and finite values. One pass over csr checks this. False: has_pattern must decide. */
static gsolve_status fits_in_place(const gsolve_precond *M, const gsolve_csr *csr, bool *same)
{
    gsolve_csr rows;
    int64_t entries;
    gsolve_status status;

    *same = false;
    if (!M->extension->on_device || !csr || !csr->start || !csr->col || !csr->value ||
        csr->type != M->type || csr->nrows != M->n || csr->ncols != M->n ||
        csr->location != gs_location(M->ctx)) {
        return GSOLVE_OK;
    }
    M->extension->rows(M->self, &rows);
    if (!rows.start) return GSOLVE_NO_MEMORY;
    if (rows.offset != csr->offset) return GSOLVE_OK;
    rows.type = csr->type; /* of its values, which compare does not read */
    TRY(gs_csr_entries(M->ctx, &rows, &entries));
    TRY(gs_inspector(M->ctx, csr)->compare(M->ctx, &rows, entries, csr, true, same));
done:
    return status;
}

static void release_rows(const gsolve_precond *M)
{
    if (M->extension->release_rows) M->extension->release_rows(M->self);
}

/* Sets up M again, with the null space of A unless that is NULL. After a failure recorded graphs
 * may hold arrays that M has freed. */
static gsolve_status set_up_again(gsolve_precond *M, const gsolve_csr *csr, const gsolve_matrix *A)
{
    gsolve_status status;

    TRY(gs_precond_set_null_space(M, A));
    TRY(gs_precond_set_up(M, csr, A));
done:
    if (status != GSOLVE_OK) M->version++;
    return status;
}

/* Prepares a csr of the caller, which may be NULL. */
static gsolve_status prepare(const gsolve_precond *M, const gsolve_csr **csr, gsolve_csr *own)
{
    const gsolve_location given = *csr ? (*csr)->location : GSOLVE_HOST;

    return gs_precond_prepare_rows(gs_precond_location(M->extension, M->ctx, M->options, given),
                                   M->ctx, csr, own);
}

/* Updates M. A: NULL, or the matrix of these rows, which are clean and lie where M's kind reads
 * them. */
static gsolve_status update(gsolve_precond *M, const gsolve_csr *csr, const gsolve_matrix *A)
{
    gsolve_csr own = {0};
    int64_t entries = 0;
    bool same;
    gsolve_status status;

    TRY(fits_in_place(M, csr, &same));
    if (same) {
        TRY(set_up_again(M, csr, A));
        goto done;
    }
    if (!A) TRY(prepare(M, &csr, &own));
    TRY(gs_csr_entries(M->ctx, csr, &entries));
    TRY(has_pattern(M, csr, A, entries, &same));
    if (!same) {
        status = gsolve_fail(M->ctx, GSOLVE_BAD_MATRIX,
                             "the new matrix (%d x %d, %lld entries) differs in pattern or type "
                             "from the matrix of the "
                             "preconditioner; create a new preconditioner",
                             csr->nrows, csr->ncols, (long long)entries);
        goto done;
    }
    TRY(set_up_again(M, csr, A));
done:
    release_rows(M);
    gsolve_csr_free(&own, M->ctx);
    return status;
}

/* Updates M from the rows of all ranks. */
static gsolve_status update_over_ranks(gsolve_precond *M, const gsolve_matrix *A)
{
    if (A->csr.nrows == M->n && A->csr.type == M->type) return set_up_again(M, &A->csr, A);
    return gsolve_fail(M->ctx, GSOLVE_BAD_MATRIX,
                       "the new matrix differs in pattern or type from the matrix of the "
                       "preconditioner; create a new preconditioner");
}

/* Fails if M was not built from rows. */
static gsolve_status check_rows(const gsolve_precond *M)
{
    if (!M->extension->update_call) return GSOLVE_OK;
    return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                       "the preconditioner '%s' was not created from the rows of a matrix; update "
                       "it by %s",
                       M->spec, M->extension->update_call);
}

gsolve_status gsolve_precond_update(gsolve_precond *M, const gsolve_csr *csr)
{
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    TRY(check_rows(M));
    if (gs_precond_is_over_ranks(M)) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "the preconditioner %s was created from a matrix that is distributed "
                           "over ranks; update it by gsolve_precond_update_from",
                           M->kind->plugin.name);
    }
    TRY(gs_comm_check(M->comm, update(M, csr, NULL)));
done:
    return status;
}

gsolve_status gs_precond_set_null_space(gsolve_precond *M, const gsolve_matrix *A)
{
    if (!A || !M->extension->null_space) return GSOLVE_OK;
    return M->extension->null_space(M->self, M->ctx,
                                    gs_null_dimension(&gs_matrix_null_spaces(A)->right));
}

static gsolve_status update_from(gsolve_precond *M, const gsolve_matrix *A)
{
    const gsolve_location there = gs_location(M->ctx);
    gsolve_csr rows;
    gsolve_status status = GSOLVE_OK;

    TRY(check_rows(M));
    if (M->kind == &gs_none && A->is_operator) return GSOLVE_OK; /* it depends on nothing */
    TRY(gs_matrix_check_rows(A));
    if (gs_precond_is_over_ranks(M)) return update_over_ranks(M, A);
    if (gs_precond_location(M->extension, M->ctx, M->options, there) == there) {
        TRY(gs_matrix_rows_there(A, &rows));
    } else {
        TRY(gsolve_matrix_csr(A, &rows));
    }
    TRY(update(M, &rows, A));
done:
    return status;
}

gsolve_status gsolve_precond_update_from(gsolve_precond *M, const gsolve_matrix *A)
{
    gsolve_status status;

    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    if (!A) {
        status = gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_precond_update_from: A is NULL");
    } else if (M->comm != gs_matrix_comm(A)) {
        status =
            gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                        "gsolve_precond_update_from: only one of the matrix and the one that the "
                        "preconditioner was created from is distributed over ranks");
    } else {
        status = update_from(M, A);
    }
    return gs_comm_check(M->comm, status);
}

/* --- near-null vectors ------------------------------------------------------------------------ */

typedef gsolve_status vector_setter(void *self, gsolve_context *ctx, gsolve_dense v);

/* Calls set with a copy of v where M's kernels read it. name: of v, for messages. */
static gsolve_status set_vectors(gsolve_precond *M, vector_setter *set, const char *name,
                                 gsolve_dense v)
{
    const double begin = gs_now();
    const size_t held = M->ctx->bytes - (M->ctx->bytes > M->bytes ? M->bytes : 0);
    gs_stage stage = {0};
    gsolve_status status;

    if (!set) {
        return gsolve_fail(M->ctx, GSOLVE_UNSUPPORTED,
                           "the preconditioner %s does not use %s; amg does", M->kind->plugin.name,
                           name);
    }
    if (v.nrows < 0 || v.ncols < 1 || (v.ncols > 1 && v.stride < v.nrows) ||
        (!v.value && v.nrows > 0) || (unsigned)v.type >= GSOLVE_TYPE_COUNT ||
        !gs_reachable(M->ctx, v.location)) {
        return gsolve_fail(M->ctx, GSOLVE_BAD_ARGUMENT,
                           "the %s (%d x %d, stride %lld) have no values, an unknown type, a "
                           "stride smaller than the "
                           "number of rows, or lie in memory that the context cannot reach",
                           name, v.nrows, v.ncols, (long long)v.stride);
    }
    TRY(gs_need_columns(M->ctx, v, name));
    TRY(gs_stage_in(&stage, M->ctx, gs_location(M->ctx), v, true));
    TRY(set(M->self, M->ctx, stage.used));
    gs_stage_drop(&stage, M->ctx);
    M->bytes = M->ctx->bytes > held ? M->ctx->bytes - held : 0;
    M->setup_seconds = gs_now() - begin;
    M->version++;
done:
    release_rows(M);
    gs_stage_drop(&stage, M->ctx);
    return status;
}

gsolve_status gsolve_precond_set_near_null(gsolve_precond *M, gsolve_dense B)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    return gs_comm_check(M->comm, set_vectors(M, M->extension->near_null, "near-null vectors", B));
}

gsolve_status gsolve_precond_set_coordinates(gsolve_precond *M, gsolve_dense xyz)
{
    if (!M) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(M->ctx);
    return gs_comm_check(M->comm, set_vectors(M, M->extension->coordinates, "coordinates", xyz));
}
