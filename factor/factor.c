/* factor.c: factors of a matrix by one of the libraries, see factor.h. */
#include "factor/factor.h"

#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "gsolve_plugin.h"

#define ENTRY_BYTES 12 /* of an entry of the factors */

static const gs_factor_library *const libraries[GS_LIBRARIES] = {
    [GS_LIBRARY_CXSPARSE - 1] = &gs_cxsparse,
    [GS_LIBRARY_CHOLMOD - 1] = &gs_cholmod,
    [GS_LIBRARY_UMFPACK - 1] = &gs_umfpack,
    [GS_LIBRARY_MUMPS - 1] = &gs_mumps,
};

/* For library=auto: the libraries that are faster than CXSparse from about these operations on, as
 * bench/bench_factor.c measures; the fastest first. */
static const struct {
    const gs_factor_library *library;
    double operations;
} fast[] = {{&gs_cholmod, 1e7}, {&gs_umfpack, 1e7}, {&gs_mumps, 1e9}};

const gs_factor_library *gs_factor_library_at(int k)
{
    return k >= 0 && k < GS_LIBRARIES ? libraries[k] : NULL;
}

const char *gsolve_factor_library_at(int k)
{
    for (int i = 0; i < GS_LIBRARIES && libraries[i]; i++) {
        if (gs_factor_library_is_present(libraries[i]) && k-- == 0) return libraries[i]->name;
    }
    return NULL;
}

bool gs_factor_library_is_present(const gs_factor_library *library)
{
    return library->computes[GS_CHOLESKY] || library->computes[GS_LU] || library->computes[GS_QR];
}

/* --- limits ----------------------------------------------------------------------------------- */

/* The entries of factors that the memory limit of a context on the CPU leaves. */
static double entries_that_fit(const gsolve_context *ctx)
{
    const bool host = gs_location(ctx) == GSOLVE_HOST;
    const size_t left = host ? gs_memory_available(ctx) : SIZE_MAX;

    return left == SIZE_MAX ? INFINITY : (double)left / ENTRY_BYTES;
}

gs_direct_cost gs_factor_limit(const gsolve_context *ctx, double entries, double operations)
{
    return (gs_direct_cost){fmin(entries, entries_that_fit(ctx)), operations};
}

gsolve_status gs_factor_check(gsolve_context *ctx, gs_direct_cost cost, gs_direct_cost limit)
{
    const double bytes = ENTRY_BYTES * cost.entries;
    const bool large = bytes >= 1e9;

    if (gs_cost_fits(cost, limit)) return GSOLVE_OK;
    if (cost.entries > entries_that_fit(ctx)) {
        return gs_memory_need(ctx, bytes, "the factorisation");
    }
    return gsolve_fail(
        ctx, GSOLVE_UNSUPPORTED,
        "the factors would hold up to %s entries (%.3g %s), and computing them would take %s "
        "operations; the limits are %s and %s: raise them by direct,limit=MILLIONS,work=BILLIONS",
        gs_count_in_words(cost.entries).text, large ? bytes / 1e9 : bytes / 1e6,
        large ? "GB" : "MB", gs_count_in_words(cost.operations).text,
        gs_count_in_words(limit.entries).text, gs_count_in_words(limit.operations).text);
}

gsolve_status gs_factor_out_of_memory(gsolve_context *ctx)
{
    return gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory while factoring the matrix");
}

/* --- factors ---------------------------------------------------------------------------------- */

/* *F = a factorisation without a state of the library. */
static gsolve_status new_factorisation(gs_factorisation **out, gsolve_context *ctx,
                                       const gs_factor_library *library,
                                       const gs_factor_request *request, int32_t nrows,
                                       int32_t ncols)
{
    gs_factorisation *F = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, F, 1);
    *F = (gs_factorisation){library, *request, nrows, ncols, NULL, NULL, 0, NAN};
    F->state = gsolve_alloc(ctx, GSOLVE_HOST, 1, library->state_size);
    TRY(F->state ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    memset(F->state, 0, library->state_size);
    *out = F;
    F = NULL;
done:
    gs_factorisation_destroy(F, ctx);
    return status;
}

/* Makes F->work as large as solves with these factors need. */
static gsolve_status reserve_work(gs_factorisation *F, gsolve_context *ctx)
{
    const int64_t count = F->library->work_size ? F->library->work_size(F) : 0;
    double *larger = NULL;
    gsolve_status status = GSOLVE_OK;

    if (!F->library->work_size || (F->work && count <= F->work_count)) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_HOST, larger, count);
    gsolve_free(ctx, GSOLVE_HOST, F->work);
    F->work = larger;
    F->work_count = count;
done:
    return status;
}

static gsolve_status check_request(gsolve_context *ctx, const gs_factor_library *library,
                                   gs_factor_kind kind, const gsolve_csr *A)
{
    if (kind != GS_QR && A->nrows != A->ncols) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; use factor=qr",
                           gs_factor_kind_name(kind), A->nrows, A->ncols);
    }
    return gs_factor_check_library(ctx, library, kind, A);
}

/* The two steps of every library. They cannot be interrupted. */
static gsolve_status analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_status status;

    gs_range_push(ctx, "ordering and analysis");
    TRY(gs_check_interrupt(ctx));
    TRY(F->library->analyse(F, ctx, A));
done:
    gs_range_pop(ctx);
    return status;
}

static gsolve_status compute(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_status status;

    gs_range_push(ctx, "factorisation");
    TRY(gs_check_interrupt(ctx));
    TRY(F->library->factor(F, ctx, A));
done:
    gs_range_pop(ctx);
    return status;
}

gsolve_status gs_factorisation_create(gs_factorisation **out, gsolve_context *ctx,
                                      const gs_factor_library *library,
                                      const gs_factor_request *request, const gsolve_csr *A)
{
    gs_factorisation *F = NULL;
    gsolve_status status;

    TRY(check_request(ctx, library, request->kind, A));
    TRY(new_factorisation(&F, ctx, library, request, A->nrows, A->ncols));
    TRY(analyse(F, ctx, A));
    TRY(compute(F, ctx, A));
    TRY(reserve_work(F, ctx));
    *out = F;
    F = NULL;
done:
    gs_factorisation_destroy(F, ctx);
    return status;
}

/* CXSparse begins, within the operations up to which it is the fastest. If they do not suffice, the
 * others follow, then CXSparse within the whole limit. */
static gsolve_status create_by_any(gs_factorisation **F, gsolve_context *ctx,
                                   const gs_factor_request *request, const gsolve_csr *A)
{
    gs_factor_request small = *request;
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k < sizeof fast / sizeof *fast; k++) {
        if (!fast[k].library->computes[request->kind]) continue;
        if (request->limit.operations <= fast[k].operations) break;
        if (status == GSOLVE_OK) { /* none has tried */
            small.limit.operations = fast[k].operations;
            status = gs_factorisation_create(F, ctx, &gs_cxsparse, &small, A);
            if (status != GSOLVE_UNSUPPORTED) return status;
        }
        status = gs_factorisation_create(F, ctx, fast[k].library, request, A);
        if (status != GSOLVE_UNSUPPORTED) return status;
    }
    return gs_factorisation_create(F, ctx, &gs_cxsparse, request, A);
}

gsolve_status gs_factorisation_create_by(gs_factorisation **F, gsolve_context *ctx,
                                         gs_factor_choice choice, const gs_factor_request *request,
                                         const gsolve_csr *A)
{
    if (choice == GS_LIBRARY_AUTO) return create_by_any(F, ctx, request, A);
    if (A->nrows == 0) choice = GS_LIBRARY_CXSPARSE; /* others refuse an empty matrix */
    return gs_factorisation_create(F, ctx, libraries[choice - 1], request, A);
}

gsolve_status gs_factorisation_update(gs_factorisation *F, gsolve_context *ctx,
                                      gs_direct_cost limit, const gsolve_csr *A)
{
    gsolve_status status;

    F->request.limit = limit;
    F->pivot_ratio = NAN;
    TRY(compute(F, ctx, A));
    TRY(reserve_work(F, ctx)); /* factors from a file may have needed less */
done:
    return status;
}

gsolve_status gs_factorisation_solve(const gs_factorisation *F, bool transposed, const double *b,
                                     double *x)
{
    return F->library->solve(F, transposed, b, x);
}

gs_direct_cost gs_factorisation_cost(const gs_factorisation *F)
{
    return F->library->cost(F);
}

void gs_factorisation_destroy(gs_factorisation *F, gsolve_context *ctx)
{
    if (!F) return;
    if (F->state) F->library->destroy(F, ctx);
    gsolve_free(ctx, GSOLVE_HOST, F->state);
    gsolve_free(ctx, GSOLVE_HOST, F->work);
    gsolve_free(ctx, GSOLVE_HOST, F);
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct saved_factorisation {
    char library[16];
    int32_t kind, ordered;
    double pivot_ratio;
} saved_factorisation;

gsolve_status gs_factorisation_save(const gs_factorisation *F, gs_saving *file)
{
    saved_factorisation s;
    gsolve_status status;

    if (!F->library->save) {
        return gsolve_fail(file->ctx, GSOLVE_UNSUPPORTED,
                           "the factors of %s cannot be saved to a file; use library=cxsparse",
                           F->library->name);
    }
    memset(&s, 0, sizeof s);
    strncpy(s.library, F->library->name, sizeof s.library - 1);
    s.kind = F->request.kind;
    s.ordered = F->request.ordered;
    s.pivot_ratio = F->pivot_ratio;
    TRY(gs_save_array(file, &s, GSOLVE_HOST, sizeof s));
    TRY(F->library->save(F, file));
done:
    return status;
}

gsolve_status gs_factorisation_load(gs_factorisation **out, gs_loading *file, int32_t nrows,
                                    int32_t ncols, gs_direct_cost limit)
{
    gs_factor_request request = {.limit = limit};
    gsolve_context *ctx = file->ctx;
    gs_factorisation *F = NULL;
    saved_factorisation s;
    gsolve_status status;

    TRY(gs_load_array(file, &s, sizeof s));
    if (strncmp(s.library, gs_cxsparse.name, sizeof s.library) != 0 || s.kind <= GS_FACTOR_AUTO ||
        s.kind >= GS_FACTOR_KINDS || (s.kind != GS_QR && nrows != ncols)) {
        return gs_load_damaged(file, "it names no factorisation that can be saved");
    }
    request.kind = (gs_factor_kind)s.kind;
    request.ordered = s.ordered;
    TRY(new_factorisation(&F, ctx, &gs_cxsparse, &request, nrows, ncols));
    F->pivot_ratio = s.pivot_ratio;
    TRY(F->library->load(F, file));
    TRY(gs_factor_check(ctx, gs_factorisation_cost(F), limit));
    TRY(reserve_work(F, ctx));
    *out = F;
    F = NULL;
done:
    gs_factorisation_destroy(F, ctx);
    return status;
}
