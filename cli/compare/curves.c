/* curves.c: the cost of a solve of n iterations with each format, divided by that with csr. The
 * build of a format is repaid where its curve falls below 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

enum { WIDTH = 330, LEFT = 34, TOP = 18, DECADES = 5, STEPS = 60, GAP = 12, LETTERS = 20 };
#define LETTER 5.5 /* mean width of a letter */

typedef struct chart {
    const cmp *m;
    const cmp_matrix *a;
    double least, most; /* of the cost over csr's, at top and bottom */
    double right, bottom;
} chart;

static double relative(const chart *t, const cmp_row *r, double n)
{
    return cmp_cost(t->a, r, n) / cmp_cost(t->a, &t->a->row[t->m->base], n);
}

static double x_of(const chart *t, double n)
{
    return LEFT + log10(n) / DECADES * (t->right - LEFT);
}

static double y_of(const chart *t, double cost)
{
    return TOP + log(t->most / cost) / log(t->most / t->least) * (t->bottom - TOP);
}

static bool has_curve(const cmp_matrix *a, const cmp_row *r)
{
    return cmp_is_measured(r) && cmp_step(a, r) > 0;
}

/* --- the frame -------------------------------------------------------------------------------- */

/* The range of the costs from ten iterations on, within 1/8 and 8 times csr. */
static void find_range(chart *t)
{
    t->least = 0.85;
    t->most = 1.2;
    for (int f = 0; f < t->m->formats; f++) {
        const cmp_row *r = &t->a->row[f];
        if (!has_curve(t->a, r)) continue;
        for (int decade = 1; decade <= DECADES; decade++) {
            const double cost = relative(t, r, pow(10, decade));
            t->least = fmin(t->least, cost / 1.04);
            t->most = fmax(t->most, cost * 1.04);
        }
    }
    t->least = fmax(t->least, 1. / 8);
    t->most = fmin(t->most, 8);
}

static void put_tick(FILE *file, const chart *t, double cost)
{
    const double y = y_of(t, cost);

    fprintf(file,
            "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
            "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
            LEFT, y, t->right, y, LEFT - 4, y + 3.3, cost);
}

/* Ticks at 1, and above and below it at the values whose labels do not overlap. */
static void put_ticks(FILE *file, const chart *t)
{
    static const double up[] = {1.05, 1.1, 1.2, 1.5, 2, 3, 4, 5, 6, 8};
    static const double down[] = {0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.125};
    double last = y_of(t, 1);

    put_tick(file, t, 1);
    for (size_t k = 0; k < sizeof up / sizeof *up; k++) {
        if (up[k] > t->most || last - y_of(t, up[k]) < 15) continue;
        put_tick(file, t, up[k]);
        last = y_of(t, up[k]);
    }
    last = y_of(t, 1);
    for (size_t k = 0; k < sizeof down / sizeof *down; k++) {
        if (down[k] < t->least || y_of(t, down[k]) - last < 15) continue;
        put_tick(file, t, down[k]);
        last = y_of(t, down[k]);
    }
}

static void put_frame(FILE *file, const chart *t)
{
    static const char *const name[] = {"1", "10", "100", "1k", "10k", "100k"};
    /* 2: only every second name has space */
    const int every = t->right - LEFT > 40 * DECADES ? 1 : 2;

    put_ticks(file, t);
    for (int decade = 0; decade <= DECADES; decade++) {
        const double x = x_of(t, pow(10, decade));
        fprintf(file,
                "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                x, TOP, x, t->bottom, x, t->bottom + 12, decade < DECADES ? "middle" : "end",
                decade % every ? "" : name[decade]);
    }
    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            (LEFT + t->right) / 2, t->bottom + 25, t->a->solves ? "iterations" : "products");
    fprintf(file, "<text class=\"tick\" x=\"%d\" y=\"%d\">times csr</text>\n", 2, TOP - 7);
}

/* --- the curves ------------------------------------------------------------------------------- */

static void put_curve(FILE *file, const chart *t, const cmp_row *r, int f)
{
    static const char *const dash[] = {"", "5 2", "2 2", "7 2 2 2"};
    const double even = cmp_overtakes(t->m, t->a, r);

    fprintf(file,
            "<polyline class=\"curve c%d\" clip-path=\"url(#clip%d)\" stroke-dasharray=\"%s\" "
            "points=\"",
            f % CMP_COLOURS, (int)(t->a - t->m->matrix), dash[f / CMP_COLOURS % 4]);
    for (int k = 0; k <= STEPS; k++) {
        const double n = pow(10, (double)k * DECADES / STEPS);
        fprintf(file, "%.1f,%.1f ", x_of(t, n), y_of(t, relative(t, r, n)));
    }
    fprintf(file, "\"/>\n");
    if (even >= 1 && even <= pow(10, DECADES)) {
        fprintf(file, "<circle class=\"even c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n",
                f % CMP_COLOURS, x_of(t, even), y_of(t, 1));
    }
}

/* --- the names at their ends ------------------------------------------------------------------ */

typedef struct label {
    int f;
    double end, at; /* y of the end of the curve and of the name */
} label;

static int by_end(const void *a, const void *b)
{
    const double x = ((const label *)a)->end, y = ((const label *)b)->end;
    return (x > y) - (x < y);
}

/* Places the names at least GAP apart, as near to their curves as that allows. Returns their
 * number.
 */
static int place_labels(const chart *t, label l[CMP_MOST_FORMATS])
{
    int count = 0;

    for (int f = 0; f < t->m->formats; f++) {
        const cmp_row *r = &t->a->row[f];
        if (!has_curve(t->a, r)) continue;
        const double y = y_of(t, relative(t, r, pow(10, DECADES)));
        l[count++] = (label){f, y, fmin(fmax(y, TOP), t->bottom)};
    }
    qsort(l, (size_t)count, sizeof *l, by_end);
    for (int k = 1; k < count; k++) l[k].at = fmax(l[k].at, l[k - 1].at + GAP);
    if (count > 0) l[count - 1].at = fmin(l[count - 1].at, t->bottom - 2);
    for (int k = count - 2; k >= 0; k--) l[k].at = fmin(l[k].at, l[k + 1].at - GAP);
    return count;
}

static void put_label(FILE *file, const chart *t, const label *l)
{
    const cmp_row *r = &t->a->row[l->f];
    const double x = t->right, end = fmin(fmax(l->end, TOP), t->bottom);
    char name[80];

    snprintf(name, sizeof name, "%.*s%s", LETTERS, r->spec,
             strlen(r->spec) > LETTERS ? "\xe2\x80\xa6" : "");
    fprintf(file,
            "<path class=\"lead c%d\" d=\"M%.1f %.1fl4 0L%.1f %.1f\"/>"
            "<text class=\"label c%d\" x=\"%.1f\" y=\"%.1f\">",
            l->f % CMP_COLOURS, x, end, x + 12, l->at, l->f % CMP_COLOURS, x + 14, l->at + 3.3);
    /* a valid spec has no character that must be escaped in HTML */
    fprintf(file, "%s %.2f</text>\n", name, relative(t, r, pow(10, DECADES)));
}

static double label_width(const cmp *m)
{
    size_t longest = 3;

    for (int f = 0; f < m->formats; f++) {
        const size_t length = strlen(m->spec[f]);
        if (length > longest) longest = length > LETTERS ? LETTERS + 1 : length;
    }
    return 20 + LETTER * (double)(longest + 5);
}

void cmp_curves(FILE *file, const cmp *m, const cmp_matrix *a)
{
    chart t = {.m = m, .a = a, .right = WIDTH - label_width(m)};
    label l[CMP_MOST_FORMATS];
    int count;

    if (!has_curve(a, &a->row[m->base])) return;
    t.bottom = TOP + fmax(190, GAP * m->formats);
    find_range(&t);
    fprintf(file,
            "<figure><h3>Cost relative to csr</h3>\n<svg viewBox=\"0 0 %d %.0f\" role=\"img\" "
            "aria-label=\"cost divided by that of csr, by number of iterations\">\n"
            "<clipPath id=\"clip%d\"><rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>"
            "</clipPath>\n",
            WIDTH, t.bottom + 30, (int)(a - m->matrix), LEFT, TOP, t.right - LEFT, t.bottom - TOP);
    put_frame(file, &t);
    for (int f = 0; f < m->formats; f++) {
        if (has_curve(a, &a->row[f])) put_curve(file, &t, &a->row[f], f);
    }
    count = place_labels(&t, l);
    for (int k = 0; k < count; k++) put_label(file, &t, &l[k]);
    fprintf(
        file,
        "</svg>\n<figcaption>Time of the build and n %s, divided by that with csr; both axes are "
        "logarithmic. A circle marks where a format overtakes csr. The number after a name is "
        "the ratio at 100000.</figcaption></figure>\n",
        a->solves ? "iterations" : "products");
}
