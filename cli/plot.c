/* plot.c: draws convergence curves with characters. A character holds 2 x 4 dots (Unicode, Braille
 * patterns) or one (ASCII). */
#include "cli/plot.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { HEIGHT = 16, MOST_WIDTH = 120, MARGIN = 9, TICK = 16 };

typedef struct plot {
    const cli *c;
    FILE *file;
    bool ascii, colour;
    int width;                              /* characters between the axis and the right edge */
    int across, down;                       /* dots of a character */
    int last;                               /* the largest iteration */
    double top, bottom;                     /* decimal logarithms */
    unsigned char dots[HEIGHT][MOST_WIDTH]; /* bits of the Braille pattern, or 1 */
    signed char owner[HEIGHT][MOST_WIDTH];  /* the attempt that drew last, from 0 on */
    char mark[HEIGHT][MOST_WIDTH];          /* the number of an attempt, or 0 */
} plot;

static const char letters[] = "*o+x#@%&"; /* of the attempts, in ASCII */
static const char *const colours[] = {"34", "33", "32", "35", "36", "31"};

/* --- options --------------------------------------------------------------------------------- */

double cli_spec_rtol(const cli *c, const char *spec)
{
    const char *found = NULL, *at = spec;

    while ((at = strstr(at, ",rtol="))) found = at += strlen(",rtol=");
    return found ? strtod(found, NULL) : cli_rtol(c);
}

static bool locale_is_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool is = false;

    if (!locale) return false;
    is = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return is;
}

static void choose_characters(plot *p)
{
    struct winsize size = {0};
    int width = 80;

    if (p->c->live && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    }
    width = width < 40 ? 40 : width > MOST_WIDTH ? MOST_WIDTH : width;
    p->ascii = p->c->args.ascii || !locale_is_utf8();
    p->colour = p->c->live && !p->ascii && !getenv("NO_COLOR");
    p->width = width - MARGIN - 2;
    p->across = p->ascii ? 1 : 2;
    p->down = p->ascii ? 1 : 4;
}

/* --- the curves ------------------------------------------------------------------------------- */

static bool is_drawn(const cli_attempt *a, int k)
{
    return isfinite(a->history[k]) && a->history[k] > 0;
}

/* Sets the ranges of both axes. Returns whether there is a point. */
static bool find_range(plot *p, const cli_solution *s, double rtol)
{
    double most = 0, least = rtol > 0 ? rtol : 1;

    for (int j = 0; j < s->attempts; j++) {
        const cli_attempt *a = &s->attempt[j];
        for (int k = 0; k < a->length; k++) {
            if (!is_drawn(a, k)) continue;
            most = fmax(most, a->history[k]);
            least = fmin(least, a->history[k]);
            if (k > p->last) p->last = k;
        }
    }
    if (most == 0) return false;
    p->top = ceil(log10(fmax(most, least)) - 1e-9);
    p->bottom = floor(log10(least) + 1e-9);
    if (p->top - p->bottom < 1) p->top = p->bottom + 1;
    if (p->last == 0) p->last = 1;
    return true;
}

static void put_dot(plot *p, int x, int y, int owner)
{
    static const unsigned char bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    const int column = x / p->across, row = y / p->down;

    p->dots[row][column] |= p->ascii ? 1 : bit[y % 4][x % 2];
    p->owner[row][column] = (signed char)owner;
}

/* Dots of iteration k. */
static int x_of(const plot *p, int k)
{
    return (int)lrint((double)k / p->last * (p->width * p->across - 1));
}

static int y_of(const plot *p, double residual)
{
    const double part = (p->top - log10(residual)) / (p->top - p->bottom);
    return (int)lrint(fmin(1, fmax(0, part)) * (HEIGHT * p->down - 1));
}

static void put_line(plot *p, int x0, int y0, int x1, int y1, int owner)
{
    const int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

    for (int k = 0; k <= steps; k++) {
        const double part = steps > 0 ? (double)k / steps : 0;
        put_dot(p, (int)lrint(x0 + part * (x1 - x0)), (int)lrint(y0 + part * (y1 - y0)), owner);
    }
}

/* Draws the curve of attempt j, with its number in the middle and at the end if there are several.
 */
static void put_curve(plot *p, const cli_attempt *a, int j, bool several)
{
    int before = -1, count = 0, half = 0;

    for (int k = 0; k < a->length; k++) count += is_drawn(a, k);
    for (int k = 0; k < a->length; k++) {
        if (!is_drawn(a, k)) continue;
        const int x = x_of(p, k), y = y_of(p, a->history[k]);
        const int from = before < 0 ? k : before;
        put_line(p, x_of(p, from), y_of(p, a->history[from]), x, y, j);
        before = k;
        half++;
        if (several && (half == count / 2 || half == count)) {
            p->mark[y / p->down][x / p->across] = (char)(j < 9 ? '1' + j : 'a' + j - 9);
            p->owner[y / p->down][x / p->across] = (signed char)j;
        }
    }
}

/* --- output ----------------------------------------------------------------------------------- */

/* Writes the character of Unicode U+2800 + dots. */
static void put_braille(FILE *file, unsigned char dots)
{
    fprintf(file, "\xe2%c%c", 0xa0 + (dots >> 6), 0x80 + (dots & 63));
}

static void put_cell(const plot *p, int row, int column, bool tolerance)
{
    const int owner = p->owner[row][column];
    const bool drawn = p->dots[row][column] || p->mark[row][column];

    if (p->colour && drawn) fprintf(p->file, "\033[%sm", colours[owner % 6]);
    if (p->mark[row][column]) {
        fputc(p->mark[row][column], p->file);
    } else if (drawn && p->ascii) {
        fputc(letters[owner % 8], p->file);
    } else if (drawn) {
        put_braille(p->file, p->dots[row][column]);
    } else if (tolerance) {
        fputs(p->ascii ? "-" : "\xe2\x94\x84", p->file);
    } else {
        fputc(' ', p->file);
    }
    if (p->colour && drawn) fputs("\033[0m", p->file);
}

/* Whether row is that of the power of ten; every step-th is labelled. */
static bool power_of_row(const plot *p, int row, int *power)
{
    const int decades = (int)(p->top - p->bottom), step = 1 + (decades - 1) / 6;

    for (*power = (int)p->top; *power >= (int)p->bottom; *power -= step) {
        if (y_of(p, pow(10, *power)) / p->down == row) return true;
    }
    return false;
}

static void put_row(const plot *p, int row, int tolerance)
{
    int last = p->width - 1, power;
    char label[32] = "";

    if (power_of_row(p, row, &power)) snprintf(label, sizeof label, "1e%+03d", power);
    fprintf(p->file, "%*s %s", MARGIN, label,
            p->ascii ? (*label ? "+" : "|") : (*label ? "\xe2\x94\xa4" : "\xe2\x94\x82"));
    if (row != tolerance) {
        while (last >= 0 && !p->dots[row][last] && !p->mark[row][last]) last--;
    }
    for (int k = 0; k <= last; k++) put_cell(p, row, k, row == tolerance);
    fputc('\n', p->file);
}

/* 1, 2 or 5 times a power of ten: the iterations between two labels. */
static int tick_step(const plot *p)
{
    const double least = fmax(1, (double)p->last * TICK / p->width);
    const double unit = pow(10, floor(log10(least)));
    const double digit = least / unit;

    return (int)(unit * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10));
}

static void put_iterations(const plot *p)
{
    const int step = tick_step(p);
    int at = -1;

    fprintf(p->file, "%*s %s", MARGIN, "", p->ascii ? "+" : "\xe2\x94\x94");
    for (int k = 0, x = 0; x < p->width; x++) {
        const bool tick = k <= p->last && x == x_of(p, k) / p->across;
        if (tick) k += step;
        fputs(p->ascii ? (tick ? "+" : "-") : (tick ? "\xe2\x94\xac" : "\xe2\x94\x80"), p->file);
    }
    fprintf(p->file, "\n%*s", MARGIN + 1, "");
    for (int k = 0; k <= p->last; k += step) {
        const int x = x_of(p, k) / p->across;
        char label[16];
        const int length = snprintf(label, sizeof label, "%d", k);
        if (x - at - 1 < 0 || x + length > p->width) break;
        fprintf(p->file, "%*s%s", x - at, "", label);
        at = x + length;
    }
    fprintf(p->file, "\n%*s\n", MARGIN + 2 + (p->width + 9) / 2, "iteration");
}

/* Writes the line that names the curve of attempt j. */
static void put_name(const plot *p, const cli_attempt *a, int j, bool several)
{
    char solver[sizeof a->solver], number[8] = "", text[2 * sizeof solver + 200];

    cli_effective_spec(a->solver, solver);
    if (several) snprintf(number, sizeof number, "%c ", j < 9 ? '1' + j : 'a' + j - 9);
    snprintf(text, sizeof text, "%s%s + %s: %s after %s, residual %.1e", number, solver, a->precond,
             gsolve_outcome_text(a->result.outcome),
             cli_count(a->result.iterations, "iteration").text, a->result.relative_residual);
    fprintf(p->file, "%*s ", MARGIN, "");
    if (p->colour) fprintf(p->file, "\033[%sm", colours[j % 6]);
    if (p->ascii) {
        fputc(letters[j % 8], p->file);
    } else {
        fputs("\xe2\x94\x80", p->file);
    }
    fputs(p->colour ? "\033[0m " : " ", p->file);
    cli_wrap(p->file, MARGIN + 3, p->c->live ? p->width + MARGIN + 2 : 0, text);
}

static void draw(plot *p, const cli_solution *s)
{
    const double rtol = cli_spec_rtol(p->c, s->attempt[s->best].solver);
    int tolerance = -1;

    if (!find_range(p, s, rtol)) {
        fprintf(p->file, "\nplot        no iterations to draw\n");
        return;
    }
    for (int j = 0; j < s->attempts; j++) put_curve(p, &s->attempt[j], j, s->attempts > 1);
    if (rtol > 0) tolerance = y_of(p, rtol) / p->down;
    fprintf(p->file, "\n%*s residual |b - Ax| / |b|, logarithmic\n", MARGIN - 3, "");
    for (int row = 0; row < HEIGHT; row++) put_row(p, row, tolerance);
    put_iterations(p);
    if (rtol > 0) {
        fprintf(p->file, "%*s %s tolerance %s\n", MARGIN, "", p->ascii ? "-" : "\xe2\x94\x84",
                cli_number(rtol).text);
    }
    for (int j = 0; j < s->attempts; j++) {
        if (s->attempt[j].ran) put_name(p, &s->attempt[j], j, s->attempts > 1);
    }
}

void cli_plot(const cli *c, const cli_solution *s)
{
    plot *p = c->args.plot ? calloc(1, sizeof *p) : NULL;

    if (!p) return;
    p->c = c;
    p->file = c->text ? c->text : cli_uses_stdout(c) ? stderr : NULL;
    if (p->file) {
        choose_characters(p);
        p->colour &= s->attempts > 1;
        draw(p, s);
        fflush(p->file);
    }
    free(p);
}
