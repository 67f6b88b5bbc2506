/* boeing.c: Rutherford-Boeing and Harwell-Boeing files: compressed columns in fixed Fortran fields.
 * I. S. Duff, R. G. Grimes, J. G. Lewis: The Rutherford-Boeing sparse matrix collection, 1997.
 * Reads assembled matrices that are not complex; ignores right-hand sides. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/fortran.h"
#include "io/market.h"

typedef struct boeing {
    const char *type; /* three letters in the text */
    int32_t nrows, ncols;
    int64_t entries;
    bool pattern;
    gsolve_symmetry symmetry;
    gs_fortran pointers, rows, values;
    const char *body;
} boeing;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* The line after the one at p. */
static const char *next_line(const char *p, const char *end)
{
    p = gs_line_end(p, end);
    return p < end ? p + 1 : p;
}

bool gs_boeing_is(const gs_input *in)
{
    const char *p = next_line(next_line(in->begin, in->end), in->end);

    return in->end - p > 4 && strchr("rcpiq", lower(p[0])) && strchr("suhzr", lower(p[1])) &&
           strchr("ae", lower(p[2])) && gs_is_blank(p[3]) && p[0] && p[1] && p[2];
}

/* --- the head ------------------------------------------------------------------------- */

static gsolve_status read_type(boeing *b, gs_input *in)
{
    const char field = lower(b->type[0]), symmetry = lower(b->type[1]);

    if (field == 'c') {
        return gs_input_fail(
            in, b->type,
            "the matrix is complex (%.3s); only real, integer and pattern matrices are supported",
            b->type);
    }
    if (field == 'q') {
        return gs_input_fail(in, b->type,
                             "the values are in another file (matrix type %.3s); gsolve reads "
                             "matrices of one file only",
                             b->type);
    }
    if (lower(b->type[2]) == 'e') {
        return gs_input_fail(
            in, b->type,
            "the matrix is a list of element matrices (%.3s); gsolve reads assembled "
            "matrices only",
            b->type);
    }
    b->pattern = field == 'p';
    b->symmetry = symmetry == 's'   ? GSOLVE_SYMMETRIC
                  : symmetry == 'h' ? GSOLVE_HERMITIAN
                  : symmetry == 'z' ? GSOLVE_SKEW
                                    : GSOLVE_GENERAL; /* u: unsymmetric, r: rectangular */
    snprintf(in->source.field, sizeof in->source.field, "%s",
             b->pattern     ? "pattern"
             : field == 'i' ? "integer"
                            : "real");
    in->source.symmetry = b->symmetry;
    if (b->pattern && b->symmetry == GSOLVE_SKEW) {
        return gs_input_fail(in, b->type, "a pattern cannot be skew-symmetric (%.3s)", b->type);
    }
    return GSOLVE_OK;
}

static gsolve_status read_sizes(boeing *b, gs_input *in)
{
    const int64_t size = in->end - in->begin;
    const char *p = b->type + 3;
    int64_t nrows, ncols;
    gsolve_status status;

    TRY(gs_input_size(&nrows, &p, in, "rows", INT32_MAX));
    TRY(gs_input_size(&ncols, &p, in, "columns", INT32_MAX));
    TRY(gs_input_size(&b->entries, &p, in, "entries", INT64_MAX));
    b->nrows = (int32_t)nrows;
    b->ncols = (int32_t)ncols;
    in->source.stored = b->entries;
    if (b->symmetry != GSOLVE_GENERAL && nrows != ncols) {
        return gs_input_fail(in, b->type,
                             "a symmetric or skew-symmetric matrix is square; this one has %d rows "
                             "and %d columns",
                             b->nrows, b->ncols);
    }
    if (ncols > size || b->entries > size || gs_input_too_large(in, nrows)) {
        return gs_input_fail(
            in, b->type,
            "the header declares %d rows, %d columns and %lld entries, but the file "
            "has only %lld bytes; it is truncated",
            b->nrows, b->ncols, (long long)b->entries, (long long)size);
    }
done:
    return status;
}

/* The next format of the line at *p: from '(' to the ')' that closes it. integers: it must be one
 * of integers. */
static gsolve_status read_format(gs_fortran *format, const char **p, const gs_input *in,
                                 const char *what, bool integers)
{
    const char *line_end = gs_line_end(*p, in->end), *begin = *p, *end;
    char token[GS_TOKEN];
    int depth = 0;

    while (begin < line_end && *begin != '(') begin++;
    for (end = begin; end < line_end; end++) {
        depth += (*end == '(') - (*end == ')');
        if (depth == 0) {
            end++;
            break;
        }
    }
    *p = end;
    if (gs_fortran_parse(format, begin, end) && (format->integers || !integers)) return GSOLVE_OK;
    gs_input_token(token, begin, end);
    return gs_input_fail(in, begin,
                         "the Fortran format of the %s is '%s'; it must have a form such as %s",
                         what, token, integers ? "(16I5)" : "(1P,4E20.12) or (10F7.1)");
}

static gsolve_status read_head(boeing *b, gs_input *in)
{
    const char *second = next_line(in->begin, in->end), *p = second;
    /* numbers of lines: in all, of pointers, rows, values, and (Harwell-Boeing) right-hand sides */
    int64_t lines[5] = {0};
    int counts = 0;
    gsolve_status status;

    for (; counts < 5; counts++) {
        const gs_word word = gs_next_word(&p, in->end);
        if (word.begin == word.end) break;
        lines[counts] = gs_word_integer(word);
    }
    if (counts < 4) {
        return gs_input_fail(in, second, "the second line must hold four or five numbers of lines");
    }
    snprintf(in->source.kind, sizeof in->source.kind, "%s",
             counts == 5 ? "Harwell-Boeing" : "Rutherford-Boeing");
    b->type = next_line(second, in->end);
    TRY(read_type(b, in));
    TRY(read_sizes(b, in));
    p = next_line(b->type, in->end);
    b->body = next_line(p, in->end);
    if (lines[4] > 0) b->body = next_line(b->body, in->end);
    TRY(read_format(&b->pointers, &p, in, "column pointers", true));
    TRY(read_format(&b->rows, &p, in, "row numbers", true));
    if (!b->pattern) TRY(read_format(&b->values, &p, in, "values", false));
done:
    return status;
}

/* --- the body --------------------------------------------------------------------------- */

static gsolve_status bad_field(const gs_input *in, const gs_fortran_reader *r, const char *what,
                               const char *allowed)
{
    char token[GS_TOKEN];

    if (r->at == in->end) return gs_input_fail(in, r->at, "the file ends before the last %s", what);
    gs_input_token(token, r->at, r->at_end);
    return gs_input_fail(in, r->at, "the %s is '%s'; %s", what, token, allowed);
}

/* j[k] = the column of entry k, from the column pointers, which count from 1. */
static gsolve_status read_columns(int32_t *j, const boeing *b, const gs_input *in, const char **p)
{
    gs_fortran_reader r = gs_fortran_begin(&b->pointers, *p, in->end, (int64_t)b->ncols + 1);
    int64_t from = 1, to;

    for (int64_t column = 0; column <= b->ncols; column++, from = to) {
        if (!gs_fortran_integer(&r, &to) || to < from || to > b->entries + 1 ||
            (column == 0 && to != 1) || (column == b->ncols && to != b->entries + 1)) {
            char allowed[160];
            snprintf(allowed, sizeof allowed,
                     "the column pointers must be whole numbers that increase from 1 to %lld, the "
                     "number of entries plus 1",
                     (long long)b->entries + 1);
            return bad_field(in, &r, "column pointer", allowed);
        }
        for (int64_t k = from - 1; k < to - 1; k++) j[k] = (int32_t)(column - 1);
    }
    *p = r.next;
    return GSOLVE_OK;
}

static gsolve_status read_rows(int32_t *i, const int32_t *j, const boeing *b, const gs_input *in,
                               const char **p)
{
    gs_fortran_reader r = gs_fortran_begin(&b->rows, *p, in->end, b->entries);
    char allowed[80];
    int sides = 0; /* 1: an entry lies below the diagonal, 2: one above it */

    snprintf(allowed, sizeof allowed, "it must be a whole number from 1 to %d", b->nrows);
    for (int64_t k = 0; k < b->entries; k++) {
        int64_t row;
        if (!gs_fortran_integer(&r, &row) || row < 1 || row > b->nrows) {
            return bad_field(in, &r, "row number", allowed);
        }
        i[k] = (int32_t)(row - 1);
        sides |= (i[k] > j[k]) | (i[k] < j[k]) << 1;
        if (b->symmetry != GSOLVE_GENERAL && sides == 3) {
            return gs_input_fail(
                in, r.at,
                "the entry in row %d and column %d (counted from 1) and those before it lie on "
                "different sides of the diagonal; a symmetric or skew-symmetric "
                "file holds one triangle only",
                i[k] + 1, j[k] + 1);
        }
    }
    *p = r.next;
    return GSOLVE_OK;
}

static gsolve_status read_values(gs_triplets *t, const boeing *b, const gs_input *in,
                                 const char **p)
{
    gs_fortran_reader r = gs_fortran_begin(&b->values, *p, in->end, b->entries);

    for (int64_t k = 0; k < b->entries; k++) {
        if (!gs_fortran_real(&r, &t->v[k])) {
            return bad_field(in, &r, "value",
                             "it must be a finite decimal number in the columns that the format "
                             "in line 4 gives it");
        }
        if (b->symmetry == GSOLVE_SKEW && t->i[k] == t->j[k] && t->v[k] != 0) {
            return gs_input_fail(in, r.at,
                                 "the diagonal entry in row %d (counted from 1) of a "
                                 "skew-symmetric matrix is %g; it "
                                 "must be 0",
                                 t->i[k] + 1, t->v[k]);
        }
        if (k % 1000000 == 0 && !gs_input_progress(in, r.at - in->begin, in->end - in->begin)) {
            return gs_check_interrupt(in->ctx);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status read_body(gsolve_csr *csr, const boeing *b, gs_input *in)
{
    const char *p = b->body;
    gs_triplets t = {0};
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, t.i, b->entries);
    ALLOC(in->ctx, GSOLVE_HOST, t.j, b->entries);
    if (!b->pattern) ALLOC(in->ctx, GSOLVE_HOST, t.v, b->entries);
    TRY(read_columns(t.j, b, in, &p));
    TRY(read_rows(t.i, t.j, b, in, &p));
    if (!b->pattern) TRY(read_values(&t, b, in, &p));
    TRY(gs_assemble(csr, in->ctx, b->nrows, b->ncols, b->entries, &t, b->symmetry,
                    &in->source.duplicates));
done:
    gs_triplets_free(&t, in->ctx);
    return status;
}

gsolve_status gs_boeing_matrix(gsolve_csr *csr, gs_input *in)
{
    boeing *b = NULL;
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, b, 1);
    TRY(read_head(b, in));
    TRY(read_body(csr, b, in));
done:
    gsolve_free(in->ctx, GSOLVE_HOST, b);
    return status;
}
