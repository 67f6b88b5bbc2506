/* page.c: gsolve compare as a self-contained HTML page. */
#include <math.h>
#include <string.h>

#include "cli/compare/compare.h"

/* --- tables ----------------------------------------------------------------------------------- */

static void put_name(FILE *file, const char *spec, int f)
{
    fprintf(file, "<tr><th scope=\"row\"><i class=\"c%d\"></i>", f % CMP_COLOURS);
    cmp_escaped(file, spec);
    fprintf(file, "</th>");
}

static void put_cell(FILE *file, const char *text, bool best)
{
    fprintf(file, "<td%s>%s</td>", best ? " class=\"best\"" : "", text);
}

static void put_time(FILE *file, double seconds, double best)
{
    put_cell(file, cmp_short(1e3 * seconds).text, seconds == best);
}

typedef double figure(const cmp_matrix *a, const cmp_row *r);

static double product_of(const cmp_matrix *a, const cmp_row *r)
{
    (void)a;
    return cmp_median(&r->product);
}

static double total_of(const cmp_matrix *a, const cmp_row *r)
{
    return cmp_converged(a, r) ? cmp_total(a, r) : NAN;
}

static double minimum(const cmp *m, const cmp_matrix *a, figure *of)
{
    double value = NAN;

    for (int f = 0; f < m->formats; f++) {
        if (cmp_is_measured(&a->row[f])) value = fmin(value, of(a, &a->row[f]));
    }
    return value;
}

static void put_row(FILE *file, const cmp *m, const cmp_matrix *a, int f)
{
    const cmp_row *r = &a->row[f];
    const double product = cmp_median(&r->product), build = cmp_median(&r->build);
    const bool solved = a->solves && r->solved;
    char text[64];

    put_name(file, r->spec, f);
    if (!cmp_is_measured(r)) {
        fprintf(file, "<td class=\"problem\" colspan=\"18\">");
        cmp_escaped(file, r->problem[0] ? r->problem : "interrupted");
        fprintf(file, "</td></tr>\n");
        return;
    }
    put_time(file, build, NAN);
    put_cell(file, cmp_short(build / product).text, false);
    put_time(file, product, minimum(m, a, product_of));
    put_cell(file, cmp_short(cmp_gflops(r)).text, false);
    put_cell(file, cmp_short(1e-9 * cmp_speed(r)).text, false);
    snprintf(text, sizeof text, "%.2f", cmp_speed(r) / a->copy_speed);
    put_cell(file, text, false);
    put_cell(file, cmp_short(1e-6 * (double)r->info.bytes).text, false);
    snprintf(text, sizeof text, "%.1f %%", 100 * cmp_padding(r));
    put_cell(file, text, false);
    snprintf(text, sizeof text, "%d", r->result.iterations);
    put_cell(file, solved ? text : "-", false);
    put_time(file, cmp_step(a, r), minimum(m, a, cmp_step));
    put_time(file, cmp_median(&r->solve), NAN);
    put_time(file, total_of(a, r), minimum(m, a, total_of));
    snprintf(text, sizeof text, "%.1e%s%s", r->result.relative_residual,
             r->result.outcome == GSOLVE_CONVERGED ? "" : " NOT CONVERGED: ",
             r->result.outcome == GSOLVE_CONVERGED ? "" : cmp_outcome(a, r));
    put_cell(file, solved ? text : "-", false);
    put_cell(file, cmp_overtakes_words(m, a, r).text, false);
    for (int i = 0; i < CMP_COUNTS; i++) {
        put_cell(file, cmp_short(1e3 * cmp_cost(a, r, cmp_counts[i])).text,
                 r == cmp_winner(m, a, cmp_counts[i]));
    }
    fprintf(file, "</tr>\n");
}

static void put_table(FILE *file, const cmp *m, const cmp_matrix *a)
{
    fprintf(file,
            "<div class=\"box\" tabindex=\"0\"><table><thead>"
            "<tr class=\"over\"><th></th><th colspan=\"2\">build</th><th colspan=\"4\">product</th>"
            "<th colspan=\"2\">moves, pads</th><th colspan=\"5\">solve</th><th></th>"
            "<th colspan=\"4\">ms for build and n %s</th></tr>\n"
            "<tr><th>format</th><th>ms</th><th>/ product</th><th>ms</th><th>GFLOP/s</th>"
            "<th>GB/s</th><th>/ copy</th><th>MB</th><th>padding</th><th>iterations</th>"
            "<th>ms each</th><th>ms</th><th>total ms</th><th>residual</th>"
            "<th>faster than<br>csr from</th>",
            a->solves ? "iterations" : "products");
    for (int i = 0; i < CMP_COUNTS; i++) fprintf(file, "<th>%d</th>", cmp_counts[i]);
    fprintf(file, "</tr></thead><tbody>\n");
    for (int f = 0; f < m->formats; f++) put_row(file, m, a, f);
    fprintf(file, "</tbody></table></div>\n");
}

/* --- a matrix --------------------------------------------------------------------------------- */

static void put_facts(FILE *file, const cmp *m, const cmp_matrix *a)
{
    const cli_system *s = &a->system;

    fprintf(file, "<p class=\"sub\">%d &times; %d, %lld entries, %s; b: ", s->nrows, s->ncols,
            (long long)s->entries, cli_symmetry_words(&s->statistics));
    cmp_escaped(file, cli_rhs_words(m->c, s));
    if (a->solves) {
        fprintf(file, "; method: <b>");
        cmp_escaped(file, a->solver);
        fprintf(file, "</b> with <b>");
        cmp_escaped(file, a->precond);
        fprintf(file, "</b>");
        if (a->why[0]) fprintf(file, ", ");
        cmp_escaped(file, a->why);
        fprintf(file, "; to |b &minus; Ax| &le; %s", cmp_tolerance(a).text);
    } else {
        fprintf(file, "; the matrix is not square, so only products are compared");
    }
    fprintf(file, "; %s; time with csr / its median: %s; a memory copy reaches %.1f GB/s.</p>\n",
            cli_count(a->rounds, "round").text, cmp_csr_spread(m, a).text, 1e-9 * a->copy_speed);
}

static void put_tiles(FILE *file, const cmp *m, const cmp_matrix *a)
{
    fprintf(file, "<div class=\"tiles\">\n");
    for (int i = 0; i < CMP_COUNTS; i++) {
        const cmp_row *r = cmp_winner(m, a, cmp_counts[i]);
        if (!r) continue;
        fprintf(file, "<div class=\"tile c%d\"><span>fastest at %d %s</span><b>",
                (int)(r - a->row) % CMP_COLOURS, cmp_counts[i],
                a->solves ? "iterations" : "products");
        cmp_escaped(file, r->spec);
        fprintf(file, "</b><span>%s, build time included</span></div>\n",
                cli_seconds(cmp_cost(a, r, cmp_counts[i])).text);
    }
    fprintf(file, "</div>\n");
}

static void put_matrix(FILE *file, const cmp *m, const cmp_matrix *a)
{
    fprintf(file, "<section id=\"m%d\"><h2>", (int)(a - m->matrix) + 1);
    cmp_escaped(file, a->system.name);
    fprintf(file, "</h2>\n");
    put_facts(file, m, a);
    put_tiles(file, m, a);
    fprintf(file, "<div class=\"figures\">\n");
    cmp_bars_product(file, m, a);
    cmp_bars_solve(file, m, a);
    cmp_curves(file, m, a);
    cmp_histogram(file, a);
    fprintf(file, "</div>\n");
    put_table(file, m, a);
    fprintf(file, "</section>\n");
}

/* --- all matrices ----------------------------------------------------------------------------- */

static void put_ratio(FILE *file, double value, double best)
{
    char text[32] = "-";

    if (isfinite(value)) snprintf(text, sizeof text, "%.2f", value);
    put_cell(file, text, value == best);
}

static void put_means_row(FILE *file, const cmp *m, int f, const cmp_mean *most)
{
    const cmp_mean mean = cmp_mean_of(m, f);

    put_name(file, m->spec[f], f);
    fprintf(file, "<td>%d</td>", mean.matrices);
    put_ratio(file, mean.product, most->product);
    put_ratio(file, mean.step, most->step);
    put_ratio(file, mean.total, most->total);
    for (int i = 0; i < CMP_COUNTS; i++) put_ratio(file, mean.at[i], most->at[i]);
    put_cell(file, cmp_short(mean.build_products).text, false);
    fprintf(file, "</tr>\n");
}

/* The largest means of the formats that were measured on every matrix; means over different
 * matrices cannot be compared. */
static cmp_mean most_of(const cmp *m)
{
    cmp_mean most = {.product = NAN, .step = NAN, .total = NAN};

    for (int i = 0; i < CMP_COUNTS; i++) most.at[i] = NAN;
    for (int f = 0; f < m->formats; f++) {
        const cmp_mean mean = cmp_mean_of(m, f);
        if (mean.matrices < m->matrices) continue;
        most.product = fmax(most.product, mean.product);
        most.step = fmax(most.step, mean.step);
        most.total = fmax(most.total, mean.total);
        for (int i = 0; i < CMP_COUNTS; i++) most.at[i] = fmax(most.at[i], mean.at[i]);
    }
    return most;
}

static void put_means(FILE *file, const cmp *m)
{
    const cmp_mean most = most_of(m);

    fprintf(file, "<nav>");
    for (int k = 0; k < m->matrices; k++) {
        fprintf(file, "<a href=\"#m%d\">", k + 1);
        cmp_escaped(file, m->matrix[k].system.name);
        fprintf(file, "</a>");
    }
    fprintf(file,
            "</nav>\n<section><h2>All %d matrices</h2>\n<p class=\"sub\">Geometric means of the "
            "time with csr divided by the time with the format: above 1 the format is faster. "
            "The means of a format are over the matrices that it can store.</p>\n<div "
            "class=\"box\" "
            "tabindex=\"0\"><table><thead><tr><th>format</th><th>matrices</th><th>product</"
            "th><th>iteration</th><th>total</th>",
            m->matrices);
    for (int i = 0; i < CMP_COUNTS; i++) fprintf(file, "<th>build +<br>n = %d</th>", cmp_counts[i]);
    fprintf(file, "<th>build /<br>product</th></tr></thead><tbody>\n");
    for (int f = 0; f < m->formats; f++) put_means_row(file, m, f, &most);
    fprintf(file, "</tbody></table></div></section>\n");
}

static void put_head(FILE *file, const cmp *m)
{
    fprintf(file, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                  "<title>gsolve compare</title><style>");
    for (int k = 0; cmp_style[k]; k++) fputs(cmp_style[k], file);
    fprintf(file,
            "</style></head>\n<body><main>\n<h1>Matrix formats compared</h1>\n"
            "<p class=\"sub\">gsolve %s &middot; %.*s &middot; %s &middot; %s</p>\n",
            gsolve_version(), (int)strcspn(m->device.description, ";"), m->device.description,
            m->c->args.type == GSOLVE_F32 ? "single precision" : "double precision", m->date);
    fprintf(file,
            "<p>Each round builds each format, solves with it and multiplies with it; times are "
            "medians over the rounds. The vectors, and the matrix before a build begins, are in "
            "the memory of the device. All solves end at the same true residual, recomputed in "
            "double precision from A, x and b.</p>\n");
    if (cli_interrupted()) fprintf(file, "<p><b>Interrupted: some results are missing.</b></p>\n");
}

void cmp_page(FILE *file, const cmp *m)
{
    put_head(file, m);
    if (m->matrices > 1) put_means(file, m);
    for (int k = 0; k < m->matrices; k++) put_matrix(file, m, &m->matrix[k]);
    fprintf(file,
            "<footer class=\"sub\"><p>Bytes are those that one product has to move: each array "
            "once, x and y included. GB/s are these bytes divided by the time. Padding is the "
            "share of stored values that are not entries. A format is faster than csr from the "
            "number n "
            "of iterations from which build time + n &times; time of an iteration is smaller "
            "than with csr. The set-up of preconditioner and method is the same for all formats; "
            "only the total includes it.</p></footer>\n</main></body></html>\n");
}
