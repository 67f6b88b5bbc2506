/* solver_table.c: gsolve compare --solvers as text. */
#include <math.h>
#include <string.h>

#include "cli/compare/solvers.h"

/* --- a matrix --------------------------------------------------------------------------------- */

static int name_width(const cms_matrix *a)
{
    int width = 11;

    for (int k = 0; k < a->rows; k++) {
        const int length = (int)strlen(a->row[k].name);
        if (length > width && length <= 48) width = length;
    }
    return width;
}

/* value / unit with three digits, or "-". */
static cli_words figure(double value)
{
    cli_words words = {"-"};

    if (!isfinite(value)) return words;
    snprintf(words.text, sizeof words.text, "%.*f",
             value < 0.9995   ? 4
             : value < 9.995  ? 3
             : value < 99.95  ? 2
             : value < 9999.5 ? 1
                              : 0,
             value);
    return words;
}

static cli_words interval_words(const cms_row *r)
{
    const cms_interval i = cms_interval_of(&r->total);
    cli_words words = {"-"};

    if (!r->solved || isnan(i.low)) return words;
    snprintf(words.text, sizeof words.text, "%.16s to %.16s", figure(1e3 * i.low).text,
             figure(1e3 * i.high).text);
    return words;
}

static void say_row(const cms *s, const cms_matrix *a, const cms_row *r, int width)
{
    const cli *c = s->m->c;
    char iterations[24] = "-", residual[24] = "-", memory[24] = "-";

    if (isfinite(r->residual)) {
        snprintf(iterations, sizeof iterations, "%d", r->iterations);
        snprintf(residual, sizeof residual, "%.1e", r->residual);
    }
    if (isfinite(r->memory)) snprintf(memory, sizeof memory, "%.2f", 1e-6 * r->memory);
    cli_say(c, "%-*s%12s%24s%9s%11s%11s%11s%10s%10s  %s%s%s%s\n", width, r->name,
            figure(1e3 * cms_seconds(r)).text, interval_words(r).text,
            r->solved ? figure(cms_ratio(a, r->name)).text : "-",
            figure(1e3 * cmp_median(&r->setup)).text, figure(1e3 * cmp_median(&r->solve)).text,
            iterations, residual, memory, r->outcome, r->reason[0] ? ": " : "", r->reason,
            r->automatic ? " (the choice of auto)" : "");
}

/* The confidence of the row with the most rounds. */
static double confidence_of(const cms_matrix *a, int *counted)
{
    double confidence = NAN;

    *counted = 0;
    for (int k = 0; k < a->rows; k++) {
        if (a->row[k].total.count <= *counted || !a->row[k].solved) continue;
        *counted = a->row[k].total.count;
        confidence = cms_interval_of(&a->row[k].total).confidence;
    }
    return confidence;
}

static void say_rounds(const cms *s, const cms_matrix *a)
{
    int counted;
    const double confidence = confidence_of(a, &counted);

    if (isnan(confidence)) {
        cli_item(s->m->c, "rounds", "%d; a time is that of one run", a->rounds);
        return;
    }
    cli_item(s->m->c, "rounds",
             "%d, and one before them that does not count; a time is the median, with an interval "
             "that contains it with a probability of %.1f %%",
             counted, 100 * confidence);
}

static void say_aliases(const cms *s, const cms_matrix *a)
{
    for (int k = 0; k < a->rows; k++) {
        if (!a->row[k].aliases[0]) continue;
        cli_item(s->m->c, "merged", "%s: the same as %s, which stores the matrix in the same form",
                 a->row[k].aliases, a->row[k].name);
    }
}

static cli_words tolerance_words(const cms_matrix *a)
{
    cli_words words;

    if (a->atol > 0) {
        snprintf(words.text, sizeof words.text, "max(%.10g |b|, %.10g)", a->rtol, a->atol);
    } else {
        snprintf(words.text, sizeof words.text, "%.10g |b|", a->rtol);
    }
    return words;
}

void cms_say_matrix(const cms *s, const cms_matrix *a, const char *head)
{
    const cli *c = s->m->c;
    const int width = name_width(a);

    if (!c->text) return;
    cli_item(c, "verdict", "%s", a->verdict);
    cli_say(c, "%s", head);
    cli_item(c, "b", "%s", cli_rhs_words(c, &a->system));
    cli_item(c, "goal", "|b - Ax| <= %s, recomputed from A, b and x", tolerance_words(a).text);
    say_rounds(s, a);
    say_aliases(s, a);
    cli_say(c, "\n%-*s%12s%24s%9s%11s%11s%11s%10s%10s  %s\n", width, "combination", "total ms",
            "interval", "/ best", "set-up ms", "solve ms", "iterations", "residual", "MB",
            "outcome");
    for (int k = 0; k < a->rows; k++) say_row(s, a, &a->row[k], width);
    fflush(c->text);
}

/* --- over matrices ---------------------------------------------------------------------------- */

void cms_say_profile(const cms *s, const cms_profile *p)
{
    static const double ratio[] = {1, 1.2, 1.5, 2, 5, 10, INFINITY};
    const cli *c = s->m->c;
    int width = 11;

    if (!c->text) return;
    for (int k = 0; k < p->curves; k++) {
        const int length = (int)strlen(p->name[k]);
        if (length > width && length <= 48) width = length;
    }
    cli_say(c, "\n");
    cli_item(c, "verdict", "%s", s->verdict);
    cli_item(c, "profile",
             "performance profile (Dolan and More 2002): share of the %d matrices that a "
             "combination solves in at most f times the time of the fastest",
             s->matrices);
    cli_say(c, "\n%-*s", width, "combination");
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; k++) {
        char head[24] = "solved";
        if (isfinite(ratio[k])) snprintf(head, sizeof head, "f = %g", ratio[k]);
        cli_say(c, "%9s", head);
    }
    cli_say(c, "\n");
    for (int k = 0; k < p->curves; k++) {
        cli_say(c, "%-*s", width, p->name[k]);
        for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) {
            cli_say(c, "%7.0f %%", 100 * cms_profile_at(p, k, ratio[i]));
        }
        cli_say(c, "\n");
    }
    fflush(c->text);
}
