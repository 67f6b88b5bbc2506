/* spectrum.c: spectrum=on: estimates of the extreme eigenvalues, or singular values, and of the
 * condition, from the numbers that a method computes anyway.
 *
 * cg, pipecg and minres run the Lanczos process with M^-1/2 A M^-1/2, whose tridiagonal matrix T
 * has Ritz values between the extreme eigenvalues of M^-1 A. Of an indefinite A a Ritz value can be
 * near 0 and an eigenvalue not; so the condition of minres comes from the singular values of T with
 * the row below it, which are between those of M^-1/2 A M^-1/2. R of a cycle of gmres has the
 * singular values of the Hessenberg matrix, which are between those of A M^-1 (Saad 2003,
 * sections 6.5 to 6.7). All of them approach the extremes from inside, so the condition is a lower
 * bound.
 *
 * The record is on the device and has a bounded size: the first GS_LANCZOS_STEPS steps of a run in
 * each column, or its first cycle. Without the option nothing is allocated or launched. */
#include <math.h>

#include "core/info.h"
#include "core/try.h"
#include "solver/operations/scalar_kernels.h"
#include "solver/run/ritz.h"
#include "solver/run/run.h"

/* --- the record ------------------------------------------------------------------------------- */

static gsolve_status new_record(gs_krylov *k, gs_spectrum_kind kind, int size)
{
    gs_spectrum *s = &k->run->spectrum;

    *s = (gs_spectrum){NULL, size, kind};
    if (gs_run_options_of(k)->spectrum == GS_SPECTRUM_OFF) return GSOLVE_OK;
    return gs_new_columns(k, (size_t)size, sizeof(double), (void **)(void *)&s->record);
}

gsolve_status gs_new_lanczos_record(gs_krylov *k, bool definite)
{
    return new_record(k, definite ? GS_OF_CG : GS_OF_MINRES, LZ_NUMBERS);
}

gsolve_status gs_new_cycle_record(gs_krylov *k, int m)
{
    const bool on = gs_run_options_of(k)->spectrum == GS_SPECTRUM_ON;

    if (on && k->M && gsolve_precond_is_variable(k->M)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "spectrum=on needs a preconditioner that is the same in all iterations; "
                           "leave out spectrum=on, or use another preconditioner");
    }
    return new_record(k, GS_OF_GMRES, 1 + m * (m + 1));
}

gsolve_status gs_spectrum_begin(gs_krylov *k)
{
    const gs_spectrum *s = &k->run->spectrum;

    if (!s->record) return GSOLVE_OK;
    return GS_KERNELS(gs_vector, k->ctx, GSOLVE_F64)
        ->zero(k->ctx->queue, (int64_t)k->width * s->size, s->record);
}

/* --- the estimate ----------------------------------------------------------------------------- */

/* Widens the range a by b. */
static void widen(gs_range *a, gs_range b)
{
    a->least = fmin(a->least, b.least);
    a->most = fmax(a->most, b.most);
}

/* The steps in the record of a column. */
static int steps_of(const double *record)
{
    return (int)record[0]; /* LZ_COUNT, or the columns of R */
}

/* Widens `values`, and for the condition `sizes`, by what a column recorded. work: three times as
 * many numbers as its record has. */
static void read_column(const gs_spectrum *s, const double *record, int m, double *work,
                        gs_range *values, gs_range *sizes)
{
    const int n = steps_of(record);

    if (n == 0) return;
    if (s->kind == GS_OF_GMRES) {
        widen(values, gs_triangle_range((gs_triangle){n, n - 1, m + 1, record + 1}, work));
    } else {
        widen(values, gs_tridiagonal_range(n, record + LZ_T));
    }
    if (s->kind != GS_OF_MINRES) return;
    widen(sizes, gs_triangle_range(gs_tridiagonal_triangle(n, record + LZ_T, work),
                                   work + 3 * (int64_t)n + 2));
}

/* The estimate by the records of all columns, which are on the host. */
static gsolve_spectrum estimate(const gs_krylov *k, const double *records, double *work)
{
    const gs_spectrum *s = &k->run->spectrum;
    const int m = (int)sqrt((double)s->size); /* of gmres: size = 1 + m (m + 1) */
    gs_range values = {INFINITY, -INFINITY}, sizes = values;
    gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum);

    for (int32_t c = 0; c < k->width; c++) {
        const double *record = records + (int64_t)c * s->size;
        e.steps = steps_of(record) > e.steps ? steps_of(record) : e.steps;
        read_column(s, record, m, work, &values, &sizes);
    }
    if (e.steps == 0) return e;
    if (s->kind != GS_OF_MINRES) sizes = values;
    e.smallest = ldexp(values.least, -k->run->size);
    e.largest = ldexp(values.most, -k->run->size);
    e.condition = sizes.least > 0 ? sizes.most / sizes.least : INFINITY;
    return e;
}

gsolve_status gs_spectrum_estimate(const gs_krylov *k, gsolve_spectrum *e)
{
    const gs_spectrum *s = &k->run->spectrum;
    const size_t count = (size_t)k->width * (size_t)s->size;
    double *records =
        gsolve_alloc(k->ctx, GSOLVE_HOST, count + 3 * (size_t)s->size, sizeof(double));
    gsolve_status status = records ? GSOLVE_OK : GSOLVE_NO_MEMORY;

    if (status == GSOLVE_OK) {
        status = gsolve_copy(k->ctx, records, GSOLVE_HOST, s->record, GSOLVE_DEVICE,
                             count * sizeof *records);
    }
    if (status == GSOLVE_OK) *e = estimate(k, records, records + count);
    gsolve_free(k->ctx, GSOLVE_HOST, records);
    return status;
}

gsolve_status gsolve_solver_spectrum(const gsolve_solver *S, gsolve_spectrum *spectrum)
{
    gsolve_spectrum e;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    if (!spectrum) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solver_spectrum: spectrum is NULL");
    }
    TRY(GS_CHECK_INFO(S->ctx, gsolve_spectrum, spectrum));
    if (!S->run->spectrum.record) {
        return gsolve_fail(S->ctx, GSOLVE_UNSUPPORTED,
                           "%s does not record its spectrum: create the solver with the option "
                           "spectrum=on, which cg, pipecg, minres, gmres and fgmres have",
                           S->method->plugin.name);
    }
    if (S->ncols == 0) {
        return gsolve_fail(S->ctx, GSOLVE_BAD_ARGUMENT,
                           "there is no spectrum: there was no run, or the last run failed");
    }
    TRY(gs_spectrum_estimate(S, &e));
    GS_FILL_INFO(gsolve_spectrum, spectrum, &e);
done:
    return status;
}
