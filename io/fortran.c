/* fortran.c: Fortran formats and the fields they describe. */
#include "io/fortran.h"

#include <math.h>
#include <stddef.h>

#include "io/input.h"
#include "io/number.h"

#define MOST_WIDTH 100
#define MOST_DEPTH 4

/* --- the format ------------------------------------------------------------------- */

typedef struct scanner {
    const char *p, *end;
    gs_fortran *format;
    int column, scale;
} scanner;

/* The next character that is not blank, in lower case; 0 at the end. */
static char peek(scanner *s)
{
    s->p = gs_skip_blanks(s->p, s->end);
    if (s->p == s->end) return 0;
    return *s->p >= 'A' && *s->p <= 'Z' ? (char)(*s->p + 32) : *s->p;
}

/* Reads the character c, if it comes next. */
static bool take(scanner *s, char c)
{
    if (peek(s) != c) return false;
    s->p++;
    return true;
}

/* A whole number of up to four digits; absent: -1. */
static int take_number(scanner *s)
{
    int n = -1;

    while (peek(s) >= '0' && peek(s) <= '9' && n < 1000) {
        n = 10 * (n < 0 ? 0 : n) + (*s->p++ - '0');
    }
    return n;
}

/* Iw, Fw.d, Ew.dEe and so on; count times. */
static bool take_fields(scanner *s, int count)
{
    const char kind = peek(s);
    gs_fortran_field field = {.scale = s->scale};

    if (kind == 0 || !strchr("ifedg", kind)) return false;
    s->p++;
    if (kind == 'e' && !take(s, 's')) take(s, 'n'); /* ES and EN read as E does */
    field.width = take_number(s);
    if (field.width < 1 || field.width > MOST_WIDTH) return false;
    if (take(s, '.')) {
        field.decimals = take_number(s);
        if (field.decimals < 0) return false;
    }
    if (kind != 'i' && take(s, 'e') && take_number(s) < 0) return false;
    if (kind == 'i') field.decimals = 0;
    s->format->integers &= kind == 'i';
    for (int k = 0; k < count; k++) {
        if (s->format->count == GS_FORTRAN_FIELDS) return false;
        field.at = s->column;
        s->column += field.width;
        s->format->field[s->format->count++] = field;
    }
    return true;
}

static bool take_group(scanner *s, int depth);

/* A repeat count or a scale factor, and the fields or the group that it applies to. */
static bool take_item(scanner *s, int depth)
{
    const bool negative = take(s, '-');
    const bool positive = !negative && take(s, '+');
    const int number = take_number(s), count = number < 0 ? 1 : number;

    if (number >= 0 && take(s, 'p')) {
        s->scale = negative ? -number : number;
        return true;
    }
    if (negative || positive || count == 0 || count > GS_FORTRAN_FIELDS) return false;
    if (take(s, 'x')) {
        s->column += count;
        return s->column <= 10000;
    }
    if (peek(s) != '(') return take_fields(s, count);
    const char *group = s->p;
    for (int k = 0; k < count; k++) {
        s->p = group;
        if (!take_group(s, depth + 1)) return false;
    }
    return true;
}

static bool take_group(scanner *s, int depth)
{
    if (depth > MOST_DEPTH || !take(s, '(')) return false;
    while (!take(s, ')')) {
        if (take(s, ',')) continue;
        if (!take_item(s, depth)) return false;
    }
    return true;
}

bool gs_fortran_parse(gs_fortran *format, const char *begin, const char *end)
{
    scanner s = {begin, end, format, 0, 0};

    format->count = 0;
    format->integers = true;
    return take_group(&s, 0) && format->count > 0;
}

/* --- the fields --------------------------------------------------------------------- */

gs_fortran_reader gs_fortran_begin(const gs_fortran *format, const char *begin, const char *end,
                                   int64_t count)
{
    return (gs_fortran_reader){.format = format,
                               .next = begin,
                               .line = begin,
                               .line_end = begin,
                               .end = end,
                               .index = format->count,
                               .left = count,
                               .at = begin,
                               .at_end = begin};
}

/* Whether a blank may follow c in a number: after a sign, and after the letter of an exponent,
 * where some compilers write a blank for the sign '+'. */
static bool may_precede_blank(char c)
{
    return strchr("+-eEdD", c) != NULL;
}

/* Whether [begin, end) has a blank inside a number. */
static bool has_inner_blank(const char *begin, const char *end)
{
    for (begin = gs_skip_blanks(begin, end); begin < end; begin++) {
        const char *next = gs_skip_blanks(begin + 1, end);
        if (next > begin + 1 && next < end && !may_precede_blank(*begin)) return true;
    }
    return false;
}

static int count_words(const char *begin, const char *end)
{
    int count = 0;

    while ((begin = gs_skip_blanks(begin, end)) < end) {
        while (begin < end && !gs_is_blank(*begin)) begin++;
        count++;
    }
    return count;
}

/* Columns [*at, *at_end) of the line, as far as it has them. */
static void field_in_line(const gs_fortran_reader *r, const gs_fortran_field *f, const char **at,
                          const char **at_end)
{
    const ptrdiff_t length = r->line_end - r->line, to = f->at + f->width;

    *at = r->line + (f->at < length ? f->at : length);
    *at_end = r->line + (to < length ? to : length);
}

/* Whether the next `count` numbers of the line do not lie in their columns, but are its words. */
static bool is_by_words(const gs_fortran_reader *r, int count)
{
    bool misplaced = false;

    for (int k = 0; k < count && !misplaced; k++) {
        const char *at, *end;
        field_in_line(r, &r->format->field[k], &at, &end);
        const bool touches =
            at < end && end < r->line_end && !gs_is_blank(end[-1]) && !gs_is_blank(*end);
        misplaced = at == end || touches || has_inner_blank(at, end);
    }
    return misplaced && count_words(r->line, r->line_end) == count;
}

/* Moves to the next word of the line. */
static void next_word(gs_fortran_reader *r)
{
    const char *from = r->index == 0 ? r->line : r->at_end;

    r->index++;
    r->at = r->at_end = gs_skip_blanks(from, r->line_end);
    while (r->at_end < r->line_end && !gs_is_blank(*r->at_end)) r->at_end++;
}

/* Moves to the next field; false: the text ends. */
static bool next_field(gs_fortran_reader *r)
{
    if (r->index == r->format->count) {
        r->at = r->at_end = r->end;
        if (r->next >= r->end) return false;
        r->line = r->next;
        r->line_end = gs_line_end(r->line, r->end);
        r->next = r->line_end + (r->line_end < r->end);
        r->index = 0;
        r->by_words = is_by_words(r, r->left < r->format->count ? (int)r->left : r->format->count);
    }
    r->left--;
    if (r->by_words) {
        next_word(r);
    } else {
        field_in_line(r, &r->format->field[r->index++], &r->at, &r->at_end);
    }
    return true;
}

/* text = the field without blanks, with an 'e' before an exponent that has none; returns its
 * length, 0 if there is a blank inside the number or it is too long.
 */
static size_t remove_blanks(const gs_fortran_reader *r, char text[2 * MOST_WIDTH + 1])
{
    size_t length = 0;

    text[0] = 0;
    if (r->at_end - r->at > MOST_WIDTH || has_inner_blank(r->at, r->at_end)) return 0;
    for (const char *p = r->at; p < r->at_end; p++) {
        if (gs_is_blank(*p)) continue;
        if ((*p == '+' || *p == '-') && length && strchr("0123456789.", text[length - 1])) {
            text[length++] = 'e';
        }
        text[length++] = *p ? *p : '?';
    }
    text[length] = 0;
    return length;
}

bool gs_fortran_integer(gs_fortran_reader *r, int64_t *n)
{
    char text[2 * MOST_WIDTH + 1];
    size_t length;

    if (!next_field(r)) return false;
    length = remove_blanks(r, text);
    const bool negative = text[0] == '-', sign = negative || text[0] == '+';
    *n = gs_word_integer((gs_word){text + sign, text + length});
    if (*n < 0) return false;
    if (negative) *n = -*n;
    return true;
}

bool gs_fortran_real(gs_fortran_reader *r, double *x)
{
    char text[2 * MOST_WIDTH + 1];
    int64_t scale = 0;
    size_t length;
    gs_real real;

    if (!next_field(r)) return false;
    const gs_fortran_field *f = &r->format->field[r->index - 1];
    length = remove_blanks(r, text);
    if (!strchr(text, '.')) scale -= f->decimals;
    if (!strpbrk(text, "eEdD")) scale -= f->scale;
    if (gs_number_read(text, text + length, scale, &real) != text + length || length == 0) {
        return false;
    }
    *x = real.value;
    return isfinite(real.value);
}
