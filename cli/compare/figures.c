/* figures.c: computes medians, rates and means from the measured times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

const int cmp_counts[CMP_COUNTS] = {10, 100, 1000, 10000};

/* --- times ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cmp_median(const cmp_series *s)
{
    double sorted[CMP_MOST_ROUNDS];
    const int n = s->count;

    if (n == 0) return NAN;
    memcpy(sorted, s->value, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double cmp_least(const cmp_series *s)
{
    double least = NAN;

    for (int k = 0; k < s->count; k++) least = fmin(least, s->value[k]);
    return least;
}

double cmp_most(const cmp_series *s)
{
    double most = NAN;

    for (int k = 0; k < s->count; k++) most = fmax(most, s->value[k]);
    return most;
}

cli_words cmp_csr_spread(const cmp *m, const cmp_matrix *a)
{
    const cmp_row *csr = &a->row[m->base];
    const cmp_series *s = a->solves ? &csr->iteration : &csr->product;
    const double median = cmp_median(s);
    cli_words words;

    snprintf(words.text, sizeof words.text, "%.2f to %.2f", cmp_least(s) / median,
             cmp_most(s) / median);
    return s->count > 0 ? words : (cli_words){"unknown"};
}

/* --- a row ------------------------------------------------------------------------------------ */

int32_t cmp_columns(const cmp *m)
{
    const int asked = m->c->args.columns_count;
    return asked > 0 ? asked : 1;
}

bool cmp_is_measured(const cmp_row *r)
{
    return r->problem[0] == 0 && r->product.count > 0;
}

double cmp_gflops(const cmp_row *r)
{
    return 2e-9 * (double)r->info.total_entries * r->columns / cmp_median(&r->product);
}

double cmp_bytes(const cmp_row *r)
{
    return r->partial ? NAN : (double)r->info.bytes;
}

double cmp_stored(const cmp_row *r)
{
    return r->partial ? NAN : (double)r->info.stored;
}

double cmp_speed(const cmp_row *r)
{
    const double value = r->info.type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    const double vectors = value * ((double)r->info.nrows + r->info.ncols);

    return (cmp_bytes(r) + (r->columns - 1) * vectors) / cmp_median(&r->product);
}

double cmp_padding(const cmp_row *r)
{
    const double entries = (double)r->info.entries;
    return entries > 0 ? (cmp_stored(r) - entries) / entries : 0;
}

double cmp_step(const cmp_matrix *a, const cmp_row *r)
{
    return cmp_median(a->solves ? &r->iteration : &r->product);
}

double cmp_cost(const cmp_matrix *a, const cmp_row *r, double iterations)
{
    return cmp_median(&r->build) + iterations * cmp_step(a, r);
}

double cmp_total(const cmp_matrix *a, const cmp_row *r)
{
    return cmp_median(&r->build) + a->precond_seconds + cmp_median(&r->setup) +
           cmp_median(&r->solve);
}

const char *cmp_outcome(const cmp_matrix *a, const cmp_row *r)
{
    if (!a->solves) return "no solve";
    return r->solved ? gsolve_outcome_text(r->result.outcome) : "interrupted";
}

cli_words cmp_tolerance(const cmp_matrix *a)
{
    cli_words words;

    if (a->atol > 0) {
        snprintf(words.text, sizeof words.text, "max(%.10g |b|, %.10g)", a->rtol, a->atol);
    } else {
        snprintf(words.text, sizeof words.text, "%.10g |b|", a->rtol);
    }
    return words;
}

bool cmp_converged(const cmp_matrix *a, const cmp_row *r)
{
    return a->solves && r->solved && r->result.outcome == GSOLVE_CONVERGED;
}

/* --- comparison with csr ---------------------------------------------------------------------- */

/* build + n t < build_csr + n t_csr from n = (build - build_csr) / (t_csr - t) on. */
double cmp_overtakes(const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    const cmp_row *csr = &a->row[m->base];
    const double gain = cmp_step(a, csr) - cmp_step(a, r);
    const double extra = cmp_median(&r->build) - cmp_median(&csr->build);

    if (isnan(gain) || isnan(extra)) return NAN;
    if (!(gain > 0)) return INFINITY;
    return extra > 0 ? ceil(extra / gain) : 0;
}

cli_words cmp_overtakes_words(const cmp *m, const cmp_matrix *a, const cmp_row *r)
{
    const double n = cmp_overtakes(m, a, r);
    cli_words words;

    if (r == &a->row[m->base] || isnan(n)) {
        snprintf(words.text, sizeof words.text, "-");
    } else if (isinf(n)) {
        snprintf(words.text, sizeof words.text, "never");
    } else {
        snprintf(words.text, sizeof words.text, n < 1e7 ? "%.0f" : "%.1e", n);
    }
    return words;
}

const cmp_row *cmp_winner(const cmp *m, const cmp_matrix *a, double iterations)
{
    const cmp_row *best = NULL;
    double least = INFINITY;

    for (int f = 0; f < m->formats; f++) {
        const cmp_row *r = &a->row[f];
        if (!cmp_is_measured(r) || !(cmp_cost(a, r, iterations) < least)) continue;
        best = r;
        least = cmp_cost(a, r, iterations);
    }
    return best;
}

bool cmp_is_like_csr(const cmp *m, const cmp_matrix *a, const cmp_row *r, double iterations)
{
    const cmp_row *csr = &a->row[m->base];
    const cmp_series *s = a->solves ? &csr->iteration : &csr->product;

    return r != csr && cmp_is_measured(csr) &&
           cmp_cost(a, csr, iterations) * cmp_least(s) <=
               cmp_cost(a, r, iterations) * cmp_median(s);
}

/* --- over matrices -----------------------------------------------------------------------------
 */

cmp_mean cmp_mean_of(const cmp *m, int f)
{
    cmp_mean mean = {0};

    for (int k = 0; k < m->matrices; k++) {
        const cmp_matrix *a = &m->matrix[k];
        const cmp_row *r = &a->row[f], *csr = &a->row[m->base];
        if (!cmp_is_measured(r) || !cmp_is_measured(csr) || isnan(cmp_step(a, r))) continue;
        mean.matrices++;
        mean.product += log(cmp_median(&csr->product) / cmp_median(&r->product));
        mean.step += log(cmp_step(a, csr) / cmp_step(a, r));
        if (cmp_converged(a, r) && cmp_converged(a, csr)) {
            mean.solved++;
            mean.total += log(cmp_total(a, csr) / cmp_total(a, r));
        }
        mean.build_products += log(cmp_median(&r->build) / cmp_median(&r->product));
        for (int i = 0; i < CMP_COUNTS; i++) {
            mean.at[i] += log(cmp_cost(a, csr, cmp_counts[i]) / cmp_cost(a, r, cmp_counts[i]));
        }
    }
    mean.product = exp(mean.product / mean.matrices);
    mean.step = exp(mean.step / mean.matrices);
    mean.total = exp(mean.total / mean.solved);
    mean.build_products = exp(mean.build_products / mean.matrices);
    for (int i = 0; i < CMP_COUNTS; i++) mean.at[i] = exp(mean.at[i] / mean.matrices);
    return mean;
}
