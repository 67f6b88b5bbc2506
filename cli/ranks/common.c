/* common.c: what several parts of gsolve-mpi need: errors, vectors, the context and the choice. */
#include <stdarg.h>
#include <string.h>

#include "cli/ranks/ranks.h"

int ranks_fail(ranks_run *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(r->error, sizeof r->error, format, arguments);
    va_end(arguments);
    return 1;
}

int ranks_check(ranks_run *r, gsolve_status status)
{
    if (status == GSOLVE_OK) return 0;
    r->status = status;
    return ranks_fail(r, "%s", gsolve_error(r->ctx));
}

int ranks_agree(ranks_run *r, int code)
{
    int first = code ? r->rank : r->ranks;
    char sentence[sizeof r->error - 40];

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, r->comm);
    if (first == r->ranks) return 0;
    snprintf(sentence, sizeof sentence, "%.*s", (int)sizeof sentence - 1, r->error);
    MPI_Bcast(sentence, (int)sizeof sentence, MPI_CHAR, first, r->comm);
    return first == 0 ? ranks_fail(r, "%s", sentence)
                      : ranks_fail(r, "rank %d: %s", first, sentence);
}

int ranks_new_vector(ranks_run *r, gsolve_dense *v, int32_t rows, int32_t ncols)
{
    const size_t count = (size_t)rows * (size_t)ncols;
    double *value = gsolve_alloc(r->ctx, GSOLVE_HOST, count, sizeof *value);

    *v = gsolve_vector(value, rows);
    v->ncols = ncols;
    if (value) memset(value, 0, count * sizeof *value);
    return ranks_agree(r, value ? 0 : ranks_fail(r, "out of memory"));
}

int ranks_open_context(ranks_run *r)
{
    char spec[300];

    snprintf(spec, sizeof spec, "%.250s%s%.20s", r->args.device ? r->args.device : "cpu",
             r->args.threads ? ",threads=" : "", r->args.threads ? r->args.threads : "");
    r->status = gsolve_context_create_mpi(&r->ctx, spec, r->comm);
    if (r->status == GSOLVE_OK) return 0;
    return ranks_fail(r, "%s", gsolve_mpi_error());
}

bool ranks_choose(ranks_run *r, int k)
{
    const char *method = r->args.solver, *precond = r->args.precond;
    const bool open_method = ranks_is_open(method), open_precond = ranks_is_open(precond);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    if (!open_method && !open_precond && k > 0) return false;
    if ((open_method || open_precond) && !gsolve_dist_choose(r->ctx, &r->statistics, k, &choice)) {
        return false;
    }
    snprintf(r->method, sizeof r->method, "%.400s%s%.20s%s%.20s",
             open_method ? choice.method : method, r->args.rtol ? ",rtol=" : "",
             r->args.rtol ? r->args.rtol : "", r->args.maxit ? ",maxit=" : "",
             r->args.maxit ? r->args.maxit : "");
    snprintf(r->precond, sizeof r->precond, "%.400s", open_precond ? choice.precond : precond);
    return true;
}
