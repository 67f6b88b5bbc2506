/* market_line.h: parses one line of a Matrix Market file's entries. parse_common_line, with scan.h,
 * is fast, accepts common lines only, and reads beyond the line. parse_line handles all other lines
 * and the last ones, and finds errors. */
#ifndef GS_IO_MARKET_LINE_H
#define GS_IO_MARKET_LINE_H

#include <math.h>

#include "io/market.h"
#include "io/scan.h"
#include "io/text.h"

#define GS_FAST_LINE_BYTES 256 /* the most bytes that parse_common_line reads */

typedef enum line_status {
    ENTRY,
    BLANK,
    BAD_ROW,
    BAD_COLUMN,
    BAD_VALUE,
    ON_DIAGONAL,
    MORE_WORDS,
    MORE_ENTRIES
} line_status;

/* --- a common line ------------------------------------------------------------------ */

GS_ALWAYS_INLINE const char *skip_short_blanks(const char *p)
{
    for (int k = 0; k < 16 && (*p == ' ' || *p == '\t'); k++) p++;
    return p;
}

GS_ALWAYS_INLINE const char *scan_integer(const char *p, double *value)
{
    const bool negative = *p == '-';
    uint64_t n;

    p = gs_scan_integer(p + negative, &n);
    if (p) *value = negative ? -(double)n : (double)n;
    return p;
}

/* Parses the line at p as the k-th entry and returns the next line; NULL: parse_line must parse it.
 */
GS_ALWAYS_INLINE const char *parse_common_line(const char *p, const gs_market *m, bool array,
                                               gs_field field, const gs_triplets *t, int64_t k)
{
    uint64_t i = 1, j = 0;

    p = skip_short_blanks(p);
    if (!array) {
        p = gs_scan_integer(p, &i);
        if (!p || i - 1 >= (uint64_t)m->nrows || (*p != ' ' && *p != '\t')) return NULL;
        p = gs_scan_integer(skip_short_blanks(p + 1), &j);
        if (!p || j - 1 >= (uint64_t)m->ncols) return NULL;
        if (i == j && m->symmetry == GSOLVE_SKEW) return NULL;
        t->i[k] = (int32_t)(i - 1);
        t->j[k] = (int32_t)(j - 1);
        if (field != GS_PATTERN) {
            if (*p != ' ' && *p != '\t') return NULL;
            p = skip_short_blanks(p + 1);
        }
    }
    if (field != GS_PATTERN) {
        p = field == GS_REAL ? gs_scan_real(p, &t->v[k]) : scan_integer(p, &t->v[k]);
        if (!p) return NULL;
    }
    if (*p != '\n') {
        p = skip_short_blanks(p);
        p += *p == '\r';
    }
    return *p == '\n' ? p + 1 : NULL;
}

/* --- any line ----------------------------------------------------------------------- */

static inline bool parse_index(gs_word word, int32_t most, int32_t *index)
{
    const int64_t n = gs_word_integer(word);

    if (n < 1 || n > most) return false;
    *index = (int32_t)(n - 1);
    return true;
}

static inline bool parse_value(gs_word word, gs_field field, double *value)
{
    gs_real real;

    if (gs_number_read(word.begin, word.end, 0, &real) != word.end || word.begin == word.end) {
        return false;
    }
    *value = real.value;
    return isfinite(real.value) && (real.integer || field == GS_REAL);
}

/* Parses the line at *p and moves *p to its end; *word: the word that is wrong. */
static inline line_status parse_line(const char **p, const gs_market *m, const gs_input *in,
                                     const gs_triplets *t, int64_t k, bool full, gs_word *word)
{
    int32_t i = 0, j = 0;
    double value = 1;

    *word = gs_next_word(p, in->end);
    if (word->begin == word->end) return BLANK;
    if (*word->begin == '%') {
        *p = gs_line_end(*p, in->end);
        return BLANK;
    }
    if (full) return MORE_ENTRIES;
    if (!m->array) {
        if (!parse_index(*word, m->nrows, &i)) return BAD_ROW;
        *word = gs_next_word(p, in->end);
        if (!parse_index(*word, m->ncols, &j)) return BAD_COLUMN;
        t->i[k] = i;
        t->j[k] = j;
        if (m->field != GS_PATTERN) *word = gs_next_word(p, in->end);
    }
    if (m->field != GS_PATTERN) {
        if (!parse_value(*word, m->field, &value)) return BAD_VALUE;
        if (m->symmetry == GSOLVE_SKEW && !m->array && i == j && value != 0) return ON_DIAGONAL;
        t->v[k] = value;
    }
    *word = gs_next_word(p, in->end);
    return word->begin == word->end ? ENTRY : MORE_WORDS;
}

#endif
