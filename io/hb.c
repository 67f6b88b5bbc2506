/* hb.c: Harwell-Boeing and Rutherford-Boeing files (Duff, Grimes and Lewis 1992 and 1997): a head of
 * four or five lines, then the column pointers, the row numbers and the values of compressed columns,
 * in fields of fixed width as the Fortran formats in the head say. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/number.h"
#include "io/text.h"

enum { LINE = 128 };

typedef struct hb_format { /* a Fortran format such as (1P,4E20.12) */
    int per_line, width, scale; /* scale: of 1P; divides numbers without an exponent */
    bool real;
} hb_format;

typedef struct hb {
    gsolve_context *ctx;
    const gs_text *text;
    const char *at; /* the next line */
    int64_t line;   /* its number */
    char type[4];
    int64_t nrows, ncols, entries;
    hb_format pointers, rows, values;
} hb;

/* The next line without its end, filled up with blanks. False: there is none. */
static bool next_line(hb *h, char line[LINE + 1])
{
    const char *end = h->text->data + h->text->size;
    if (h->at >= end) return false;

    const char *begin = h->at, *stop = memchr(begin, '\n', (size_t)(end - begin));
    size_t length = (size_t)((stop ? stop : end) - begin);
    h->at = stop ? stop + 1 : end;
    h->line++;
    if (length > 0 && begin[length - 1] == '\r') length--;
    memset(line, ' ', LINE);
    memcpy(line, begin, length < LINE ? length : LINE);
    line[LINE] = 0;
    return true;
}

/* --- the head ------------------------------------------------------------------------------------- */

/* The whole number in line[from, from + width); blank is 0. */
static bool take_field(const char *line, int from, int width, int64_t *value)
{
    char field[32] = {0};
    const char *p = field;

    memcpy(field, line + from, (size_t)width);
    p += strspn(p, " \t");
    *value = 0;
    if (*p == 0) return true;
    return gs_parse_integer(&p, value) && p[strspn(p, " \t")] == 0;
}

/* [scale P] [count] letter width [. digits], in brackets; digits at p are read by strtol. */
static bool parse_format(const char *text, hb_format *f)
{
    char *p;

    memset(f, 0, sizeof *f);
    text += strspn(text, " (");
    long number = strtol(text, &p, 10);
    if (toupper((unsigned char)*p) == 'P') {
        f->scale = (int)number;
        p += 1 + strspn(p + 1, " ,");
        text = p;
        number = strtol(text, &p, 10);
    }
    f->per_line = p == text ? 1 : (int)number;
    const int letter = toupper((unsigned char)*p);
    if (!letter || !strchr("IEDFG", letter)) return false;
    f->real = letter != 'I';
    text = p + 1;
    f->width = (int)strtol(text, &p, 10);
    return p > text && f->width > 0 && f->width <= LINE && f->per_line > 0 &&
           (int64_t)f->per_line * f->width <= LINE;
}

static gsolve_status bad_format(hb *h, const char *what, const char *found)
{
    return gs_text_fail(h->ctx, h->text, h->line,
                        "the format of the %s is '%.20s'; allowed are Fortran formats such as "
                        "(13I6) or (3E26.18)",
                        what, found);
}

static gsolve_status read_formats(hb *h)
{
    char line[LINE + 1], one[21] = {0}, two[21] = {0}, three[21] = {0};

    if (!next_line(h, line)) {
        return gs_text_fail(h->ctx, h->text, h->line, "the file ends before the formats");
    }
    memcpy(one, line, 16);
    memcpy(two, line + 16, 16);
    memcpy(three, line + 32, 20);
    if (!parse_format(one, &h->pointers) || h->pointers.real) return bad_format(h, "pointers", one);
    if (!parse_format(two, &h->rows) || h->rows.real) return bad_format(h, "row numbers", two);
    if (h->type[0] != 'P' && !parse_format(three, &h->values)) return bad_format(h, "values", three);
    return GSOLVE_OK;
}

static gsolve_status check_type(hb *h)
{
    if (!strchr("RIPC", h->type[0]) || !strchr("SUHZR", h->type[1]) || !strchr("AE", h->type[2])) {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "found the type '%s'; this is neither a Matrix Market file nor a "
                            "Harwell-Boeing or Rutherford-Boeing one (of type RUA, PSA, ...)",
                            h->type);
    }
    if (h->type[0] == 'C' || h->type[1] == 'H') {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "the matrix is complex (%s); only real, integer and pattern matrices "
                            "are solved",
                            h->type);
    }
    if (h->type[2] == 'E') {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "the matrix is given by elements (%s); only assembled matrices are read",
                            h->type);
    }
    return GSOLVE_OK;
}

/* Title; card counts; type and sizes; formats; in Harwell-Boeing a line on right-hand sides if any. */
static gsolve_status read_head(hb *h)
{
    char line[LINE + 1];
    int64_t cards, rhs_cards = 0;
    gsolve_status status;

    if (!next_line(h, line) || !next_line(h, line)) {
        return gs_text_fail(h->ctx, h->text, 1,
                            "the file is neither in Matrix Market nor in Harwell-Boeing or "
                            "Rutherford-Boeing format");
    }
    for (int k = 0; k < 5; k++) {
        if (take_field(line, 14 * k, 14, &cards)) {
            rhs_cards = k == 4 ? cards : 0;
            continue;
        }
        return gs_text_fail(h->ctx, h->text, h->line,
                            "found '%.60s' where a Harwell-Boeing or Rutherford-Boeing file has its "
                            "numbers of lines; nor does the file begin as a Matrix Market file",
                            line);
    }
    if (!next_line(h, line)) {
        return gs_text_fail(h->ctx, h->text, h->line, "the file ends in its head");
    }
    for (int k = 0; k < 3; k++) h->type[k] = (char)toupper((unsigned char)line[k]);
    TRY(check_type(h));
    if (!take_field(line, 14, 14, &h->nrows) || !take_field(line, 28, 14, &h->ncols) ||
        !take_field(line, 42, 14, &h->entries)) {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "found '%.60s' where rows, columns and entries are expected", line + 14);
    }
    if (h->nrows >= INT_MAX || h->ncols >= INT_MAX) {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "the matrix is %lld x %lld; rows and columns must be below 2^31",
                            (long long)h->nrows, (long long)h->ncols);
    }
    if (h->entries > (int64_t)h->text->size || h->ncols > (int64_t)h->text->size) {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "%lld columns and %lld entries are announced, more than the file can "
                            "hold",
                            (long long)h->ncols, (long long)h->entries);
    }
    if (h->type[1] != 'U' && h->type[1] != 'R' && h->nrows != h->ncols) {
        return gs_text_fail(h->ctx, h->text, h->line,
                            "the matrix is %lld x %lld, and only a square one has a symmetry",
                            (long long)h->nrows, (long long)h->ncols);
    }
    TRY(read_formats(h));
    if (rhs_cards > 0 && !next_line(h, line)) {
        status = gs_text_fail(h->ctx, h->text, h->line, "the file ends in its head");
    }
done:
    return status;
}

/* --- the numbers ---------------------------------------------------------------------------------- */

/* Takes count fields of format f, in lines of their own, and hands each to put. */
typedef bool put_field(hb *h, void *to, int64_t k, const char *field, int width);

static gsolve_status take_fields(hb *h, const hb_format *f, int64_t count, const char *what,
                                 put_field *put, void *to)
{
    char line[LINE + 1];

    for (int64_t k = 0; k < count;) {
        if (!next_line(h, line)) {
            return gs_text_fail(h->ctx, h->text, h->line,
                                "the file ends after %lld of %lld %s; it is truncated", (long long)k,
                                (long long)count, what);
        }
        for (int slot = 0; slot < f->per_line && k < count; slot++, k++) {
            if (put(h, to, k, line + slot * f->width, f->width)) continue;
            return gs_text_fail(h->ctx, h->text, h->line,
                                "found '%.*s' in columns %d to %d where one of the %s is expected",
                                f->width, line + slot * f->width, slot * f->width + 1,
                                (slot + 1) * f->width, what);
        }
    }
    return GSOLVE_OK;
}

static bool take_number(const char *field, int width, int64_t *value)
{
    char text[LINE + 1] = {0};
    const char *p = text;

    memcpy(text, field, (size_t)width);
    p += strspn(p, " \t");
    return gs_parse_integer(&p, value) && p[strspn(p, " \t")] == 0;
}

static bool put_pointer(hb *h, void *to, int64_t k, const char *field, int width)
{
    int64_t *pointer = to, value;

    if (!take_number(field, width, &value) || value < 1 || value > h->entries + 1) return false;
    pointer[k] = value - 1;
    return k == 0 ? value == 1 : value - 1 >= pointer[k - 1];
}

static bool put_row(hb *h, void *to, int64_t k, const char *field, int width)
{
    int64_t value;

    if (!take_number(field, width, &value) || value < 1 || value > h->nrows) return false;
    ((int32_t *)to)[k] = (int32_t)(value - 1);
    return true;
}

static bool put_value(hb *h, void *to, int64_t k, const char *field, int width)
{
    const char *end = field + width;
    gs_real real;

    while (field < end && (*field == ' ' || *field == '\t')) field++;
    while (end > field && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (gs_number_read(field, end, 0, &real) != end) return false;
    if (!real.exponent && h->values.scale) real.value /= pow(10, h->values.scale);
    ((double *)to)[k] = real.value;
    return isfinite(real.value);
}

/* Triplets with the mirrored entries; returns how many there are. */
static int64_t expand(const hb *h, const int64_t *pointer, int32_t *i, int32_t *j, double *v)
{
    const double factor = h->type[1] == 'S' ? 1 : h->type[1] == 'Z' ? -1 : 0;
    int64_t count = h->entries;

    for (int64_t column = 0; column < h->ncols; column++) {
        for (int64_t k = pointer[column]; k < pointer[column + 1]; k++) {
            j[k] = (int32_t)column;
            if (factor == 0 || i[k] == j[k]) continue;
            i[count] = j[k];
            j[count] = i[k];
            if (v) v[count] = factor * v[k];
            count++;
        }
    }
    return count;
}

static void describe(const hb *h, gsolve_source *source)
{
    snprintf(source->kind, sizeof source->kind, "Rutherford-Boeing");
    snprintf(source->field, sizeof source->field, "%s",
             h->type[0] == 'R' ? "real" : h->type[0] == 'I' ? "integer" : "pattern");
    source->symmetry = h->type[1] == 'S' ? GSOLVE_SYMMETRIC
                       : h->type[1] == 'Z' ? GSOLVE_SKEW
                                           : GSOLVE_GENERAL;
    source->stored = h->entries;
}

gsolve_status gs_hb_matrix(gsolve_csr *csr, gsolve_context *ctx, const gs_text *text,
                           gsolve_source *source)
{
    hb h = {.ctx = ctx, .text = text, .at = text->data};
    int64_t *pointer = NULL;
    int32_t *i = NULL, *j = NULL;
    double *v = NULL;
    gsolve_status status;

    TRY(read_head(&h));
    ALLOC(ctx, GSOLVE_HOST, pointer, h.ncols + 1);
    ALLOC(ctx, GSOLVE_HOST, i, 2 * h.entries);
    ALLOC(ctx, GSOLVE_HOST, j, 2 * h.entries);
    TRY(take_fields(&h, &h.pointers, h.ncols + 1, "column pointers", put_pointer, pointer));
    if (pointer[h.ncols] != h.entries) {
        status = gs_text_fail(ctx, text, h.line,
                              "the last column pointer is %lld, and %lld entries were announced",
                              (long long)pointer[h.ncols] + 1, (long long)h.entries);
        goto done;
    }
    TRY(take_fields(&h, &h.rows, h.entries, "row numbers", put_row, i));
    if (h.type[0] != 'P') {
        ALLOC(ctx, GSOLVE_HOST, v, 2 * h.entries);
        TRY(take_fields(&h, &h.values, h.entries, "values", put_value, v));
    }
    const int64_t count = expand(&h, pointer, i, j, v);
    TRY(gs_csr_adopt_triplets(csr, ctx, (int32_t)h.nrows, (int32_t)h.ncols, count, &i, &j, &v));
    describe(&h, source);
    source->duplicates = count - gs_start(csr, csr->nrows);
done:
    gsolve_free(ctx, GSOLVE_HOST, pointer);
    gsolve_free(ctx, GSOLVE_HOST, i);
    gsolve_free(ctx, GSOLVE_HOST, j);
    gsolve_free(ctx, GSOLVE_HOST, v);
    return status;
}
