/* format_rows.c: the verdict on formats, and their rows in the shape that formats and solvers
 * share.
 */
#include <math.h>
#include <string.h>

#include "cli/compare/rows.h"
#include "cli/compare/solvers.h"

/* --- the verdict ------------------------------------------------------------------------------ */

/* Seconds of a solve with its set-up; without solves, of a product. NAN: there is no such time. */
static double seconds_of(const cmp_matrix *a, const cmp_row *r)
{
    if (!cmp_is_measured(r)) return NAN;
    if (!a->solves) return cmp_median(&r->product);
    return cmp_converged(a, r) ? cmp_total(a, r) : NAN;
}

double cmp_noise(const cmp *m)
{
    double noise = NAN;

    for (int k = 0; k < m->matrices; k++) {
        const cmp_matrix *a = &m->matrix[k];
        const cmp_row *csr = &a->row[m->base];
        const cmp_series *s = a->solves ? &csr->iteration : &csr->product;
        if (s->count < 2) continue;
        noise = fmax(noise, (cmp_most(s) - cmp_least(s)) / cmp_median(s));
    }
    return noise;
}

static const char *verdict_on(const cmp *m, const cmp_matrix *a, char verdict[400])
{
    const cmp_row *first = NULL, *csr = &a->row[m->base];
    const char *what = a->solves ? "the solve, set-up included" : "a product";

    for (int f = 0; f < m->formats; f++) {
        const cmp_row *r = &a->row[f];
        if (isnan(seconds_of(a, r))) continue;
        if (!first || seconds_of(a, r) < seconds_of(a, first)) first = r;
    }
    if (!first) {
        snprintf(verdict, 400, "no format has a time");
    } else if (first == csr) {
        snprintf(verdict, 400, "csr is the fastest for %s", what);
    } else if (isnan(seconds_of(a, csr))) {
        snprintf(verdict, 400, "%.240s is the fastest for %s", first->spec, what);
    } else {
        snprintf(verdict, 400, "%.240s is %.2f times faster than csr for %s", first->spec,
                 seconds_of(a, csr) / seconds_of(a, first), what);
    }
    return verdict;
}

const char *cmp_verdict(const cmp *m, char verdict[400])
{
    int best = -1;
    double most = 0;

    if (m->matrices == 1) return verdict_on(m, &m->matrix[0], verdict);
    for (int f = 0; f < m->formats; f++) {
        const cmp_mean mean = cmp_mean_of(m, f);
        if (mean.matrices < m->matrices || !(mean.step > most)) continue;
        best = f;
        most = mean.step;
    }
    if (best < 0) {
        snprintf(verdict, 400, "no format was measured on all matrices");
    } else if (best == m->base) {
        snprintf(verdict, 400, "csr has the shortest iterations in the mean over the matrices");
    } else {
        snprintf(verdict, 400,
                 "an iteration with %.240s is %.2f times faster than with csr, in the geometric "
                 "mean over the matrices",
                 m->spec[best], most);
    }
    return verdict;
}

/* --- rows ------------------------------------------------------------------------------------- */

static cmp_flat flat_of(const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    const cms_interval solve = cms_interval_of(&r->solve);
    const double others = cmp_total(a, r) - solve.median; /* NAN without solves */
    const bool solved = a->solves && r->solved, converged = cmp_converged(a, r);

    return (cmp_flat){
        .name = r->spec,
        .matrix = a->system.name,
        .solver = a->solves ? a->solver : NULL,
        .precond = a->solves ? a->precond : NULL,
        .format = r->spec,
        .device = m->device.device,
        .outcome = r->problem[0] ? "failed" : cmp_outcome(a, r),
        .reason = r->problem[0]                         ? r->problem
                  : solved && !converged && a->cause[0] ? a->cause
                                                        : NULL,
        .seconds = converged ? cmp_total(a, r) : NAN,
        .seconds_low = converged ? others + solve.low : NAN,
        .seconds_high = converged ? others + solve.high : NAN,
        .confidence = converged ? solve.confidence : NAN,
        .setup_seconds = others,
        .solve_seconds = solve.median,
        .iterations = solved ? r->result.iterations : NAN,
        .memory = NAN,
        .residual = solved ? r->result.relative_residual : NAN,
        .rounds = r->product.count,
    };
}

void cmp_add_rows(cJSON *object, const cmp *m)
{
    cJSON *list = cJSON_AddArrayToObject(object, "rows");

    for (int k = 0; k < m->matrices; k++) {
        const cmp_matrix *a = &m->matrix[k];
        for (int f = 0; f < m->formats; f++) {
            const cmp_flat flat = flat_of(m, a, &a->row[f]);
            cJSON_AddItemToArray(list, cmp_json_flat(&flat));
        }
    }
}
