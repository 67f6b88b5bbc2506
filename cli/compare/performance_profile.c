/* performance_profile.c: the performance profile of Dolan and More (2002) of the combinations over
 * the matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_name(cms_profile *p, const char *name)
{
    for (int c = 0; c < p->curves; c++) {
        if (strcmp(p->name[c], name) == 0) return;
    }
    p->name[p->curves++] = name;
}

/* Every ratio of a combination on a matrix, each once. */
static void gather(const cms *s, cms_profile *p)
{
    int count = 0, left = 0;

    p->ratio[count++] = 1;
    for (int k = 0; k < s->matrices; k++) {
        const cms_matrix *a = &s->matrix[k];
        for (int i = 0; i < a->rows && a->row[i].solved; i++) {
            add_name(p, a->row[i].name);
            p->ratio[count++] = cms_seconds(&a->row[i]) / cms_seconds(a->row);
        }
    }
    qsort(p->ratio, (size_t)count, sizeof *p->ratio, by_size);
    for (int k = 0; k < count; k++) {
        if (left == 0 || p->ratio[k] > p->ratio[left - 1]) p->ratio[left++] = p->ratio[k];
    }
    p->ratios = left;
}

/* The area below a curve on a logarithmic axis, up to twice the largest ratio. */
static double area(const cms_profile *p, const double *share)
{
    double sum = 0;

    for (int k = 0; k < p->ratios; k++) {
        const double end = k + 1 < p->ratios ? p->ratio[k + 1] : 2 * p->ratio[k];
        sum += share[k] * log(end / p->ratio[k]);
    }
    return sum;
}

static void swap_curves(cms_profile *p, int c, int d)
{
    const char *name = p->name[c];

    p->name[c] = p->name[d];
    p->name[d] = name;
    for (int k = 0; k < p->ratios; k++) {
        const double share = p->share[c * p->ratios + k];
        p->share[c * p->ratios + k] = p->share[d * p->ratios + k];
        p->share[d * p->ratios + k] = share;
    }
}

/* The largest area first. */
static void sort_curves(cms_profile *p)
{
    for (int c = 0; c < p->curves; c++) {
        int best = c;
        for (int d = c + 1; d < p->curves; d++) {
            if (area(p, p->share + d * p->ratios) > area(p, p->share + best * p->ratios)) best = d;
        }
        if (best != c) swap_curves(p, c, best);
    }
}

int cms_profile_make(const cms *s, cms_profile *p)
{
    size_t rows = 1;

    *p = (cms_profile){.curves = 0};
    for (int k = 0; k < s->matrices; k++) rows += (size_t)s->matrix[k].rows;
    p->name = calloc(rows, sizeof *p->name);
    p->ratio = calloc(rows, sizeof *p->ratio);
    if (p->name && p->ratio) gather(s, p);
    p->share = calloc((size_t)p->curves * (size_t)p->ratios + 1, sizeof *p->share);
    if (!p->name || !p->ratio || !p->share) return cli_fail(s->m->c, "out of memory");
    for (int c = 0; c < p->curves; c++) {
        for (int i = 0; i < s->matrices; i++) {
            const double ratio = cms_ratio(&s->matrix[i], p->name[c]);
            for (int k = 0; k < p->ratios; k++) {
                p->share[c * p->ratios + k] += (ratio <= p->ratio[k]) / (double)s->matrices;
            }
        }
    }
    sort_curves(p);
    return 0;
}

void cms_profile_free(cms_profile *p)
{
    free(p->name);
    free(p->ratio);
    free(p->share);
}

double cms_profile_at(const cms_profile *p, int curve, double ratio)
{
    double share = 0;

    for (int k = 0; k < p->ratios && p->ratio[k] <= ratio; k++) {
        share = p->share[curve * p->ratios + k];
    }
    return share;
}
