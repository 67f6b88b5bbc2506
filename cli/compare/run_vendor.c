/* run_vendor.c: the row `vendor` of gsolve compare --solvers: which method it runs, and its run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"
#include "cli/compare/vendor.h"

bool cms_vendor_runs(const cms *s, const cms_matrix *a)
{
    return strcmp(s->m->device.device, "cuda") == 0 && a->system.nrows == a->system.ncols &&
           a->system.nrows > 0;
}

void cms_set_vendor(const cms_matrix *a, cms_row *r)
{
    const gsolve_statistics *t = &a->system.statistics;
    const bool definite = t->symmetric && t->zero_diagonals == 0 && t->negative_diagonals == 0;

    memset(r, 0, sizeof *r);
    r->vendor = true;
    r->residual = r->memory = NAN;
    snprintf(r->method, sizeof r->method, "%s", definite ? "cg" : "bicgstab");
    snprintf(r->solver, sizeof r->solver, "%s", r->method);
    snprintf(r->precond, sizeof r->precond, "%s", t->zero_diagonals > 0 ? "none" : "jacobi");
    snprintf(r->format, sizeof r->format, "cusparse");
    snprintf(r->name, sizeof r->name, "vendor: %.60s + %.60s", r->method, r->precond);
}

/* The index of the GPU in the spec of the device. */
static int device_index(const cli *c)
{
    const char *spec = c->args.device ? c->args.device : getenv("GSOLVE_DEVICE");
    const char *index = spec ? strstr(spec, ",index=") : NULL;

    return index ? atoi(index + strlen(",index=")) : 0;
}

static const char *unsupported(const cms_matrix *a)
{
    const gsolve_csr *A = &a->system.csr;

    if (A->type != GSOLVE_F64) return "the loop on cuSPARSE and cuBLAS is in double precision only";
    if (A->offset != GSOLVE_O32) return "the loop on cuSPARSE takes fewer than 2^31 entries";
    if (a->system.b.ncols != 1) return "the loop on cuSPARSE and cuBLAS takes one right-hand side";
    return NULL;
}

/* The outcome by the true residual, as for other rows. */
static bool decide(const cmp *m, const cms_matrix *a, cms_row *r, const cmp_vendor *t)
{
    const int32_t n = a->system.csr.nrows;

    cms_true_residual(m, &a->system, gsolve_vector(t->x, n), &r->residual);
    r->iterations = t->iterations;
    if (t->converged && r->residual <= t->rtol * (1 + 1e-6)) {
        snprintf(r->outcome, sizeof r->outcome, "converged");
        r->reason[0] = 0;
        return true;
    }
    snprintf(r->outcome, sizeof r->outcome, "%s", t->converged ? "stagnated" : t->stop);
    if (t->converged) {
        snprintf(r->reason, sizeof r->reason,
                 "the residual of the recurrence is small, but the true one is %.1e", r->residual);
    } else if (strcmp(t->stop, "stopped") == 0) {
        snprintf(r->reason, sizeof r->reason, "%s",
                 cli_interrupted() ? "interrupted" : "more than 10 times the time of the fastest");
    } else {
        snprintf(r->reason, sizeof r->reason, "%s after %s", t->stop,
                 cli_count(t->iterations, "iteration").text);
    }
    return false;
}

/* |r| <= max(rtol |b|, atol) as a relative tolerance. */
static double tolerance(const cms_matrix *a)
{
    const double *b = a->system.b.value;
    long double bb = 0;

    for (int32_t i = 0; i < a->system.b.nrows; i++) bb += (long double)b[i] * b[i];
    return bb > 0 ? fmax(a->rtol, (double)(a->atol / sqrtl(bb))) : a->rtol;
}

bool cms_run_vendor(const cms *s, const cms_matrix *a, cms_row *r, gsolve_monitor *follow,
                    void *user, cms_times *times)
{
    cmp_vendor t = {.device = device_index(s->m->c),
                    .A = &a->system.csr,
                    .b = a->system.b.value,
                    .method = strcmp(r->method, "cg") == 0 ? CMP_VENDOR_CG : CMP_VENDOR_BICGSTAB,
                    .jacobi = strcmp(r->precond, "jacobi") == 0,
                    .rtol = tolerance(a),
                    .maxit = s->m->c->args.maxit >= 0 ? s->m->c->args.maxit : 10000,
                    .follow = follow,
                    .user = user};
    char why[256] = "out of memory";
    const char *refused = unsupported(a);
    bool solved = false;

    t.x = calloc((size_t)a->system.ncols, sizeof *t.x);
    if (!refused && t.x && cmp_vendor_solve(&t, why)) {
        solved = decide(s->m, a, r, &t);
    } else {
        snprintf(r->outcome, sizeof r->outcome, "set-up failed");
        snprintf(r->reason, sizeof r->reason, "%s", refused ? refused : why);
    }
    r->memory = t.bytes > 0 ? t.bytes : NAN;
    *times = (cms_times){t.setup_seconds, t.solve_seconds};
    free(t.x);
    return solved;
}
