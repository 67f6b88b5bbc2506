/* verdict.c: sorts the combinations, measures the noise and says which combination is the fastest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/solvers.h"

double cms_seconds(const cms_row *r)
{
    return r->solved ? cmp_median(&r->total) : NAN;
}

/* --- one matrix ------------------------------------------------------------------------------- */

/* The fastest first; those that did not solve the system in their first order behind them. */
static int by_seconds(const void *a, const void *b)
{
    const cms_row *p = a, *q = b;
    const double x = p->solved ? cms_seconds(p) : INFINITY;
    const double y = q->solved ? cms_seconds(q) : INFINITY;

    return x != y ? (x > y) - (x < y) : strcmp(p->name, q->name);
}

/* The median, over the combinations with several rounds, of the length of the confidence interval
 * divided by the median time. */
static double noise_of(const cms_matrix *a)
{
    cmp_series spread = {.count = 0};

    for (int k = 0; k < a->rows; k++) {
        const cms_interval i = cms_interval_of(&a->row[k].total);
        if (!a->row[k].solved || isnan(i.low) || spread.count == CMP_MOST_ROUNDS) continue;
        spread.value[spread.count++] = (i.high - i.low) / i.median;
    }
    return cmp_median(&spread);
}

/* The difference is larger than the noise, and the intervals are disjoint. */
static bool is_faster(const cms_matrix *a, const cms_row *p, const cms_row *q)
{
    const cms_interval i = cms_interval_of(&p->total), j = cms_interval_of(&q->total);

    if (!(j.median > (1 + a->noise) * i.median)) return false;
    return isnan(i.high) || isnan(j.low) || i.high < j.low;
}

static cli_words percent(double share)
{
    cli_words words;

    snprintf(words.text, sizeof words.text, share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
    return words;
}

/* "; differences below 8 % are noise" */
static cli_words noise_words(const cms_matrix *a)
{
    cli_words words = {"; one round shows no noise"};

    if (isnan(a->noise)) return words;
    snprintf(words.text, sizeof words.text, "; differences below %.10s are noise",
             percent(a->noise).text);
    return words;
}

/* How much slower q is than p: "5.1 times" or "12 %". */
static cli_words factor(const cms_row *p, const cms_row *q)
{
    const double ratio = cms_seconds(q) / cms_seconds(p);
    cli_words words;

    if (ratio < 1.995) {
        snprintf(words.text, sizeof words.text, "%.2f times", ratio);
    } else {
        snprintf(words.text, sizeof words.text, ratio < 99.5 ? "%.1f times" : "%.0f times", ratio);
    }
    return words;
}

static void say_verdict(cms_matrix *a)
{
    const cms_row *first = &a->row[0], *next = &a->row[1];
    int solved = 0, alike = 1;

    while (solved < a->rows && a->row[solved].solved) solved++;
    while (alike < solved && !is_faster(a, first, &a->row[alike])) alike++;
    if (solved == 0) {
        snprintf(a->verdict, sizeof a->verdict, "no combination solved the system");
    } else if (solved == 1) {
        snprintf(a->verdict, sizeof a->verdict,
                 "%.200s is the only combination that solved the system", first->name);
    } else if (alike == 1 || isnan(a->noise)) {
        snprintf(a->verdict, sizeof a->verdict, "%.200s is %s faster than the next, %.200s%s",
                 first->name, factor(first, next).text, next->name, noise_words(a).text);
    } else if (alike == 2) {
        snprintf(a->verdict, sizeof a->verdict,
                 "%.200s and %.200s are equally fast: their difference is noise%s", first->name,
                 next->name, noise_words(a).text);
    } else {
        snprintf(a->verdict, sizeof a->verdict,
                 "%.200s is the fastest, but %d others are as fast within the noise%s", first->name,
                 alike - 1, noise_words(a).text);
    }
}

void cms_decide(cms_matrix *a)
{
    qsort(a->row, (size_t)a->rows, sizeof *a->row, by_seconds);
    a->noise = noise_of(a);
    say_verdict(a);
}

/* --- all matrices ----------------------------------------------------------------------------- */

/* The time of the combination `name` on matrix a over that of the fastest; INFINITY: not solved. */
double cms_ratio(const cms_matrix *a, const char *name)
{
    for (int k = 0; k < a->rows; k++) {
        const cms_row *r = &a->row[k];
        if (r->solved && strcmp(r->name, name) == 0) return cms_seconds(r) / cms_seconds(a->row);
    }
    return INFINITY;
}

void cms_decide_all(cms *s, const cms_profile *p)
{
    const char *best = p->curves > 0 ? p->name[0] : NULL;
    int wins = 0, solved = 0;
    double worst = 1;

    if (s->matrices == 1) {
        snprintf(s->verdict, sizeof s->verdict, "%s", s->matrix[0].verdict);
        return;
    }
    for (int k = 0; best && k < s->matrices; k++) {
        const double ratio = cms_ratio(&s->matrix[k], best);
        wins += ratio == 1;
        solved += isfinite(ratio);
        if (isfinite(ratio)) worst = fmax(worst, ratio);
    }
    if (!best) {
        snprintf(s->verdict, sizeof s->verdict, "no combination solved a system");
        return;
    }
    snprintf(
        s->verdict, sizeof s->verdict,
        "%.300s has the best profile over %d matrices: it solves %d of them, is the fastest on "
        "%d, and takes at most %.1f times as long as the fastest",
        best, s->matrices, solved, wins, worst);
}
