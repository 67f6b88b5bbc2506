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

    cli_item(c, "b", "%s", cli_rhs_words(c));
    if (cmp_columns(m) > 1) {
        cli_item(c, "columns", "%d of b and of the product; times are for all columns together",
                 cmp_columns(m));
    }
    if (a->solves) {
        cli_item(c, "method", "%s + %s%s%s%s, to |b - Ax| <= %s", a->solver, a->precond,
                 a->why[0] ? " (" : "", a->why, a->why[0] ? ")" : "", cmp_tolerance(a).text);
    } else {
        cli_item(c, "method", "none: the matrix is not square, so only products are compared");
    }
    if (a->row[m->base].product.count > 0) {
        cli_item(c, "rounds", "%d; times are medians; csr varied between %s of its median",
                 a->rounds, cmp_csr_spread(m, a).text);
    } else {
        cli_item(c, "rounds", "none: interrupted");
    }
    cli_item(c, "copy",
             "%.1f GB/s (reads and writes) for a copy of a large array in the same memory",
             1e-9 * a->copy_speed);
}

/* --- build and product ------------------------------------------------------------------------ */

static void say_product(const cmp *m, const cmp_matrix *a, const cmp_row *r, int width)
{
    const double product = cmp_median(&r->product), build = cmp_median(&r->build);

    if (!cmp_is_measured(r)) {
        cli_say(m->c, "%-*s  %s\n", width, r->spec, r->problem[0] ? r->problem : "interrupted");
        return;
    }
    cli_say(m->c, "%-*s%11.3f%10.1f%12.4f%9.2f%9.1f%9.2f%12.3f%9.1f %%\n", width, r->spec,
            1e3 * build, build / product, 1e3 * product, cmp_gflops(r), 1e-9 * cmp_speed(r),
            cmp_speed(r) / a->copy_speed, 1e-6 * (double)r->info.bytes, 100 * cmp_padding(r));
}

/* --- the solve -------------------------------------------------------------------------------- */

static void say_solve(const cmp *m, const cmp_matrix *a, const cmp_row *r, int width)
{
    const bool converged = cmp_converged(a, r);

    if (!cmp_is_measured(r)) return;
    if (a->solves && r->solved) {
        cli_say(m->c, "%-*s%11d%14.4f%12.3f%12.3f%11.1e%15s%s%s\n", width, r->spec,
                r->result.iterations, 1e3 * cmp_step(a, r), 1e3 * cmp_median(&r->solve),
                1e3 * cmp_total(a, r), r->result.residual, cmp_overtakes_words(m, a, r).text,
                converged ? "" : "  NOT CONVERGED: ", converged ? "" : cmp_outcome(a, r));
    } else {
        cli_say(m->c, "%-*s%11s%14.4f%12s%12s%11s%15s  %s\n", width, r->spec, "-",
                1e3 * cmp_step(a, r), "-", "-", "-", cmp_overtakes_words(m, a, r).text,
                cmp_outcome(a, r));
    }
}

static void say_winners(const cmp *m, const cmp_matrix *a)
{
    cli_say(m->c, "\n");
    for (int i = 0; i < CMP_COUNTS; i++) {
        const cmp_row *r = cmp_winner(m, a, cmp_counts[i]);
        if (!r) continue;
        cli_item(m->c, i == 0 ? "fastest" : "", "at %5d iterations: %s, %s, build time included",
                 cmp_counts[i], r->spec, cli_seconds(cmp_cost(a, r, cmp_counts[i])).text);
    }
}

void cmp_say_matrix(const cmp *m, const cmp_matrix *a)
{
    const int width = name_width(m);

    if (!m->c->text) return;
    say_head(m, a);
    cli_say(m->c, "\n%-*s%11s%10s%12s%9s%9s%9s%12s%11s\n", width, "format", "build ms", "products",
            "product ms", "GFLOP/s", "GB/s", "of copy", "MB", "padding");
    for (int f = 0; f < m->formats; f++) say_product(m, a, &a->row[f], width);
    cli_say(m->c, "\n%-*s%11s%14s%12s%12s%11s%15s\n", width, "format", "iterations", "ms/iteration",
            "solve ms", "total ms", "residual", "overtakes csr");
    for (int f = 0; f < m->formats; f++) say_solve(m, a, &a->row[f], width);
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
    cli_item(m->c, "means",
             "geometric means of the time with csr divided by the time with the format; at n "
             "iterations with build time");
    cli_say(m->c, "\n%-*s%10s%10s%11s%9s", width, "format", "matrices", "product", "iteration",
            "total");
    for (int i = 0; i < CMP_COUNTS; i++) cli_say(m->c, "%9d", cmp_counts[i]);
    cli_say(m->c, "%16s\n", "build/product");
    for (int f = 0; f < m->formats; f++) {
        const cmp_mean mean = cmp_mean_of(m, f);
        cli_say(m->c, "%-*s%10d", width, m->spec[f], mean.matrices);
        if (mean.matrices > 0) {
            cli_say(m->c, "%10.2f%11.2f", mean.product, mean.step);
            cli_say(m->c, "%9s", mean.solved ? ratio(mean.total).text : "-");
            for (int i = 0; i < CMP_COUNTS; i++) cli_say(m->c, "%9.2f", mean.at[i]);
            cli_say(m->c, "%16.1f", mean.build_products);
        }
        cli_say(m->c, "\n");
    }
}
