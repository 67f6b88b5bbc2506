/* table.c: gsolve compare as text. */
#include <string.h>

#include "cli/compare/compare.h"

/* The width of the column of names. */
static int name_width(const cmp *m)
{
    int width = 10;

    for (int f = 0; f < m->formats; f++) {
        const int length = (int)strlen(m->spec[f]);
        if (length > width && length <= 40) width = length;
    }
    return width;
}

/* --- the head --------------------------------------------------------------------------------- */

static void say_head(const cmp *m, const cmp_matrix *a)
{
    const cli *c = m->c;
    char solver[sizeof a->solver];

    cli_item(c, "b", "%s", cli_rhs_words(c, &a->system));
    if (cmp_columns(m) > 1) {
        cli_item(c, "columns",
                 "%d columns in b and in each product; times are for all columns together",
                 cmp_columns(m));
    }
    if (a->solves) {
        cli_effective_spec(a->solver, solver);
        cli_item(c, "method", "%s + %s%s%s%s", solver, a->precond, a->why[0] ? " (" : "", a->why,
                 a->why[0] ? ")" : "");
        cli_item(c, "tolerance", "|b - Ax| <= %s", cmp_tolerance(a).text);
    } else {
        cli_item(c, "method", "none: the matrix is not square, so only products are compared");
    }
    if (a->row[m->base].product.count > 0) {
        cli_item(c, "rounds",
                 "%d; each time is the median over the rounds; time of %s with csr / its "
                 "median: %s",
                 a->rounds, a->solves ? "an iteration" : "a product", cmp_csr_spread(m, a).text);
    } else {
        cli_item(c, "rounds", "none: interrupted");
    }
    if (m->ranks == 0) cli_item(c, "bandwidth", CLI_BANDWIDTH, 1e-9 * a->copy_speed);
}

/* --- build and product ------------------------------------------------------------------------ */

static void say_product(const cmp *m, const cmp_matrix *a, const cmp_row *r, int width)
{
    const double product = cmp_median(&r->product), build = cmp_median(&r->build);

    if (!cmp_is_measured(r)) {
        cli_say(m->c, "%-*s  %s\n", width, r->spec, r->problem[0] ? r->problem : "interrupted");
        return;
    }
    cli_say(m->c, "%-*s%11.3f%17.1f%12.4f%9.2f", width, r->spec, 1e3 * build, build / product,
            1e3 * product, cmp_gflops(r));
    if (r->partial) { /* see cmp_row */
        cli_say(m->c, "%9s%9s%12s%18s\n", "-", "-", "-", "-");
    } else {
        cli_say(m->c, "%9.1f%9.2f%12.3f%16.1f %%\n", 1e-9 * cmp_speed(r),
                cmp_speed(r) / a->copy_speed, 1e-6 * cmp_bytes(r), 100 * cmp_padding(r));
    }
}

/* --- the solve -------------------------------------------------------------------------------- */

static void say_solve(const cmp *m, const cmp_matrix *a, const cmp_row *r, int width)
{
    const bool converged = cmp_converged(a, r);

    if (!cmp_is_measured(r)) return;
    if (a->solves && r->solved) {
        cli_say(m->c, "%-*s%11d%14.4f%12.3f%12.3f%11.1e%16s  %s%s\n", width, r->spec,
                r->result.iterations, 1e3 * cmp_step(a, r), 1e3 * cmp_median(&r->solve),
                1e3 * cmp_total(a, r), r->result.relative_residual,
                cmp_overtakes_words(m, a, r).text,
                converged ? "" : "NOT CONVERGED: ", cmp_outcome(a, r));
    } else {
        cli_say(m->c, "%-*s%11s%14s%12s%12s%11s%16s  %s\n", width, r->spec, "-", "-", "-", "-", "-",
                cmp_overtakes_words(m, a, r).text, cmp_outcome(a, r));
    }
}

static void say_winners(const cmp *m, const cmp_matrix *a)
{
    const char *step = a->solves ? "iteration" : "product";
    bool converged = !a->solves;

    cli_say(m->c, "\n");
    if (m->ranks == 0) {
        cli_item(m->c, "/ copy",
                 "GB/s / bandwidth; above 1: faster than the copy, as with data in cache");
    } else {
        cli_item(m->c, "-", "not known of a matrix that is distributed over ranks");
    }
    cli_item(m->c, "faster from", "smallest n for which build + n %ss take less time than with csr",
             step);
    for (int f = 0; f < m->formats; f++) converged |= cmp_converged(a, &a->row[f]);
    for (int i = 0; i < CMP_COUNTS && converged; i++) {
        const cmp_row *r = cmp_winner(m, a, cmp_counts[i]);
        if (!r) continue;
        cli_item(m->c, i == 0 ? "fastest" : "", "build + %d %ss: %s, %s%s", cmp_counts[i], step,
                 r->spec, cli_seconds(cmp_cost(a, r, cmp_counts[i])).text,
                 cmp_is_like_csr(m, a, r, cmp_counts[i]) ? ", within the variation of csr" : "");
    }
}

void cmp_say_matrix(const cmp *m, const cmp_matrix *a)
{
    const int width = name_width(m);

    if (!m->c->text) return;
    say_head(m, a);
    cli_say(m->c, "\n%-*s%11s%17s%12s%9s%9s%9s%12s%18s\n", width, "format", "build ms",
            "build / product", "product ms", "GFLOP/s", "GB/s", "/ copy", "MB moved",
            "padding/entries");
    for (int f = 0; f < m->formats; f++) say_product(m, a, &a->row[f], width);
    cli_say(m->c, "\n%-*s%11s%14s%12s%12s%11s%16s  %s\n", width, "format", "iterations",
            "ms/iteration", "solve ms", "total ms", "residual", "faster from n =", "outcome");
    for (int f = 0; f < m->formats; f++) say_solve(m, a, &a->row[f], width);
    if (a->cause[0]) {
        cli_say(m->c, "\n");
        cli_item(m->c, "why", "%s", a->cause);
    }
    say_winners(m, a);
    fflush(m->c->text);
}

/* --- over matrices ---------------------------------------------------------------------------- */

static cli_words ratio(double value)
{
    cli_words words;

    snprintf(words.text, sizeof words.text, "%.2f", value);
    return words;
}

void cmp_say_means(const cmp *m)
{
    const int width = name_width(m);

    if (!m->c->text) return;
    cli_say(m->c, "\n");
    cli_item(
        m->c, "means",
        "speed-up over csr: geometric mean over the matrices of the time with csr divided by "
        "the time with the format; above 1 the format is faster; n: of build + n iterations, or "
        "products where there is no solve");
    cli_say(m->c, "\n%-*s%10s%10s%11s%9s", width, "format", "matrices", "product", "iteration",
            "total");
    for (int i = 0; i < CMP_COUNTS; i++) {
        char head[24];
        snprintf(head, sizeof head, "n=%d", cmp_counts[i]);
        cli_say(m->c, "%9s", head);
    }
    cli_say(m->c, "%17s\n", "build / product");
    for (int f = 0; f < m->formats; f++) {
        const cmp_mean mean = cmp_mean_of(m, f);
        cli_say(m->c, "%-*s%10d", width, m->spec[f], mean.matrices);
        if (mean.matrices > 0) {
            cli_say(m->c, "%10.2f%11.2f", mean.product, mean.step);
            cli_say(m->c, "%9s", mean.solved ? ratio(mean.total).text : "-");
            for (int i = 0; i < CMP_COUNTS; i++) cli_say(m->c, "%9.2f", mean.at[i]);
            cli_say(m->c, "%17.1f", mean.build_products);
        }
        cli_say(m->c, "\n");
    }
}
