/* interval.c: the confidence interval of a median. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"

#define CONFIDENCE 0.95

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The k-th smallest and the k-th largest of n values enclose the median of their distribution,
 * whatever that is, with the probability 1 - 2 sum_{i < k} C(n, i) / 2^n (Conover, Practical
 * Nonparametric Statistics, 1999, section 3.2). This is the largest k with 95 % or more; k = 1 if
 * there is none. */
static int enclosing_order(int n, double *confidence)
{
    double term = pow(0.5, n), outside = term; /* C(n, 0) / 2^n; the sum */
    int k = 1;

    *confidence = 1 - 2 * outside;
    while (2 * (k + 1) <= n) {
        term *= (double)(n - k + 1) / k;
        if (1 - 2 * (outside + term) < CONFIDENCE) break;
        outside += term;
        *confidence = 1 - 2 * outside;
        k++;
    }
    return k;
}

cms_interval cms_interval_of(const cmp_series *s)
{
    cms_interval of = {cmp_median(s), NAN, NAN, NAN};
    double sorted[CMP_MOST_ROUNDS];
    const int n = s->count;

    if (n < 2) return of;
    memcpy(sorted, s->value, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    const int k = enclosing_order(n, &of.confidence);
    of.low = sorted[k - 1];
    of.high = sorted[n - k];
    return of;
}
