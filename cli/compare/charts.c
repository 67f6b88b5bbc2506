/* charts.c: bars of times and of row lengths, for the page of gsolve compare. */
#include <math.h>
#include <stdlib.h>

#include "cli/compare/compare.h"

/* --- bars of times ---------------------------------------------------------------------------- */

#define CUT 6 /* bars longer than this multiple of the shortest bar are cut */

typedef struct bar {
    const char *name;
    int colour;
    double part[3], sum; /* seconds: of the build, the set-up and the rest; their sum */
    char note[32];       /* after the number */
} bar;

static int by_sum(const void *a, const void *b)
{
    const double x = ((const bar *)a)->sum, y = ((const bar *)b)->sum;
    return (x > y) - (x < y);
}

static void put_bar(FILE *file, const bar *b, double longest)
{
    static const char *const part[] = {"build", "setup", "main"};
    const bool cut = b->sum > longest;

    fprintf(file, "<span class=\"name\">");
    cmp_escaped(file, b->name);
    fprintf(file, "</span><span class=\"track c%d%s\">", b->colour, cut ? " cut" : "");
    for (int k = 0; k < 3; k++) {
        if (b->part[k] > 0) {
            fprintf(file, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", part[k],
                    100 * fmin(1, b->part[k] / longest));
        }
    }
    fprintf(file, "</span><span class=\"value\">%s ms%s%s%s</span>\n", cmp_short(1e3 * b->sum).text,
            b->note[0] ? " <small>" : "", b->note, b->note[0] ? "</small>" : "");
}

/* Writes the bars, the shortest first. Returns whether some are cut. */
static bool put_bars(FILE *file, bar *b, int count)
{
    qsort(b, (size_t)count, sizeof *b, by_sum);
    const double most = count > 0 ? b[count - 1].sum : 0;
    const double longest = count > 0 ? fmin(most, CUT * b[0].sum) : 0;

    fprintf(file, "<div class=\"bars\">\n");
    for (int k = 0; k < count; k++) put_bar(file, &b[k], longest);
    fprintf(file, "</div>\n");
    return most > longest;
}

static void put_caption(FILE *file, const char *caption, bool cut)
{
    fprintf(file, "<figcaption>%s", caption);
    if (cut)
        fprintf(
            file,
            " Bars longer than %d times the shortest bar are cut; the number beside each bar is "
            "exact.",
            CUT);
    fprintf(file, "</figcaption></figure>\n");
}

void cmp_bars_product(FILE *file, const cmp *m, const cmp_matrix *a)
{
    bar b[CMP_MOST_FORMATS];
    int count = 0;

    for (int f = 0; f < m->formats; f++) {
        const cmp_row *r = &a->row[f];
        const double product = cmp_median(&r->product);
        if (!cmp_is_measured(r)) continue;
        b[count] = (bar){r->spec, f % CMP_COLOURS, {0, 0, product}, product, ""};
        snprintf(b[count++].note, sizeof b->note, "%.0f %%", 100 * cmp_speed(r) / a->copy_speed);
    }
    fprintf(file, "<figure><h3>One product y = A x</h3>\n");
    const bool cut = put_bars(file, b, count);
    put_caption(
        file,
        "Time of a product, and its bandwidth in percent of the bandwidth of a memory copy. "
        "Above 100 %, part of the bytes came from a cache.",
        cut);
}

void cmp_bars_solve(FILE *file, const cmp *m, const cmp_matrix *a)
{
    bar b[CMP_MOST_FORMATS];
    int count = 0;

    for (int f = 0; f < m->formats; f++) {
        const cmp_row *r = &a->row[f];
        if (!cmp_is_measured(r) || !a->solves || !r->solved) continue;
        b[count] = (bar){r->spec,
                         f % CMP_COLOURS,
                         {cmp_median(&r->build), a->precond_seconds + cmp_median(&r->setup),
                          cmp_median(&r->solve)},
                         cmp_total(a, r),
                         ""};
        snprintf(b[count++].note, sizeof b->note, "%s%d it.",
                 r->result.outcome == GSOLVE_CONVERGED ? "" : "FAILED ", r->result.iterations);
    }
    if (count == 0) return;
    fprintf(file, "<figure><h3>Complete solve</h3>\n<div class=\"note key\"><i "
                  "class=\"build\"></i>build<i class=\"setup\"></i>set-up<i "
                  "class=\"solve\"></i>iterations</div>\n");
    const bool cut = put_bars(file, b, count);
    put_caption(file,
                "Time to build the format, to set up preconditioner and method (the same for all "
                "formats), and to iterate to the same true residual.",
                cut);
}

/* --- row lengths ------------------------------------------------------------------------------ */

enum { WIDTH = 330, HEIGHT = 190, LEFT = 12, RIGHT = 322, TOP = 22, BOTTOM = 160 };

/* 12345 as 12k, so that it fits over a bar. */
static cli_words short_count(double count)
{
    static const char unit[] = " kMGT";
    cli_words words;
    int k = 0;

    for (; count >= 999.5 && k < 4; k++) count /= 1000;
    snprintf(words.text, sizeof words.text, k && count < 9.95 ? "%.1f%.*s" : "%.0f%.*s", count,
             k > 0, unit + k);
    return words;
}

/* The length at which bin k begins: 0, 1, 2, 4, ... */
static cli_words bin_name(int k)
{
    cli_words words;

    if (k < 11) {
        snprintf(words.text, sizeof words.text, "%d", k == 0 ? 0 : 1 << (k - 1));
    } else {
        snprintf(words.text, sizeof words.text, "%d%c", 1 << ((k - 11) % 10), "kMG"[(k - 11) / 10]);
    }
    return words;
}

static void put_bin(FILE *file, int k, double share, double count, double x, double width)
{
    const double height = share * (BOTTOM - TOP), middle = x + width / 2;

    fprintf(file, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            middle, BOTTOM + 12, bin_name(k).text);
    if (count == 0) return;
    fprintf(file,
            "<rect class=\"bin\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            x + 1, BOTTOM - height, width - 2, height, middle, BOTTOM - height - 3,
            short_count(count).text);
}

void cmp_histogram(FILE *file, const cmp_matrix *a)
{
    const gsolve_statistics *t = &a->system.statistics;
    double most = 0, least = INFINITY;
    int first = 31, last = 0;

    for (int k = 0; k < 32; k++) {
        if (t->length[k] == 0) continue;
        most = fmax(most, (double)t->length[k]);
        least = fmin(least, (double)t->length[k]);
        if (k < first) first = k;
        last = k;
    }
    if (most == 0) return;
    if (last - first < 5) first = first > 2 ? first - 2 : 0, last = last < 29 ? last + 2 : 31;
    const bool logarithmic = most > 100 * least;
    const double width = fmin(60, (double)(RIGHT - LEFT) / (last - first + 1));
    const double begin = (WIDTH - width * (last - first + 1)) / 2;
    fprintf(file,
            "<figure><h3>Row lengths</h3>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"histogram of row lengths\">\n"
            "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
            WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, BOTTOM);
    for (int k = first; k <= last; k++) {
        const double n = (double)t->length[k];
        const double share = logarithmic ? log(n + 1) / log(most + 1) : n / most;
        put_bin(file, k, share, n, begin + (k - first) * width, width);
    }
    fprintf(file,
            "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">entries in the row, at "
            "least</text></svg>\n",
            WIDTH / 2, HEIGHT - 4);
    fprintf(file,
            "<figcaption>Number of rows by row length, in classes between powers of two; %s "
            "heights. %d to %d entries per row, mean %.1f, standard deviation "
            "%.1f.</figcaption></figure>\n",
            logarithmic ? "logarithmic" : "linear", t->shortest_row, t->longest_row, t->mean_row,
            t->deviation_row);
}
