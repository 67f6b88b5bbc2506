/* text_vector.c: vectors and dense matrices as plain text, as numpy.savetxt and MATLAB's save
 * -ascii write them. */
#include "io/text_vector.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "core/interrupt.h"
#include "core/staging.h"
#include "core/try.h"
#include "io/scan.h"

typedef struct numbers { /* the numbers of the text so far, by rows */
    double *value;
    int64_t count, capacity;
    int64_t rows, columns;
    bool integer; /* all are whole numbers */
} numbers;

/* The next word that is no comment, and the lines between; empty at the end of the text. */
static const char *skip_comments(const char *p, const char *end)
{
    for (;;) {
        p = gs_skip_blanks(p, end);
        if (p == end || (*p != '\n' && *p != '#' && *p != '%')) return p;
        p = gs_line_end(p, end);
        if (p < end) p++;
    }
}

bool gs_text_is(const gs_input *in)
{
    const char *p = skip_comments(in->begin, in->end), *next;
    gs_real real;

    /* a misspelt banner is not a comment */
    if (in->end - in->begin > 8 && strncasecmp(in->begin, "%%Matrix", 8) == 0) return false;
    next = gs_number_read(p, in->end, 0, &real);
    return next &&
           (next == in->end || gs_is_blank(*next) || *next == '\n' || *next == '#' || *next == '%');
}

static gsolve_status grow(numbers *t, gsolve_context *ctx)
{
    const int64_t capacity = 2 * t->capacity + 1024;
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)capacity, sizeof *value);

    if (!value) return GSOLVE_NO_MEMORY;
    if (t->count) memcpy(value, t->value, (size_t)t->count * sizeof *value);
    gsolve_free(ctx, GSOLVE_HOST, t->value);
    t->value = value;
    t->capacity = capacity;
    return GSOLVE_OK;
}

/* Whether a number may end before p. */
static bool ends_word(const char *p, const char *end)
{
    return p == end || *p == '\n' || *p == '#' || *p == '%' || gs_is_blank(*p);
}

static gsolve_status read_number(double *value, const char **p, numbers *t, const gs_input *in)
{
    const char *next = in->end - *p > GS_SCAN ? gs_scan_real(*p, value) : NULL;
    char token[GS_TOKEN];
    gs_word word;
    gs_real real;

    if (!next || !ends_word(next, in->end)) {
        next = gs_number_read(*p, in->end, 0, &real);
        if (!next || !ends_word(next, in->end) || !isfinite(real.value)) {
            word = gs_next_word(p, in->end);
            gs_input_token(token, word.begin, word.end);
            return gs_input_fail(in, word.begin,
                                 "'%s' is not a finite decimal number; a text file of a vector has "
                                 "numbers separated by blanks or new lines, and comments after # "
                                 "or %%",
                                 token);
        }
        *value = real.value;
    }
    for (const char *c = *p; t->integer && c < next; c++) {
        t->integer = (unsigned char)(*c - '0') < 10 || *c == '-' || *c == '+';
    }
    *p = next;
    return GSOLVE_OK;
}

/* Reads the line at *p, whose first word is a number. */
static gsolve_status read_line(numbers *t, const char **p, const gs_input *in)
{
    const char *line = *p;
    int64_t columns = 0;
    gsolve_status status;

    do {
        if (t->count == t->capacity) TRY(grow(t, in->ctx));
        TRY(read_number(&t->value[t->count++], p, t, in));
        columns++;
        *p = gs_skip_blanks(*p, in->end);
    } while (*p < in->end && **p != '\n' && **p != '#' && **p != '%');
    if (t->rows++ == 0) t->columns = columns;
    if (columns != t->columns) {
        status = gs_input_fail(in, line,
                               "this line has %lld numbers, but the lines before it have %lld; "
                               "write one number in each line, or the same number of columns",
                               (long long)columns, (long long)t->columns);
    }
done:
    return status;
}

/* *v = the numbers, by columns. May take ownership of the array. */
static gsolve_status to_columns(gsolve_dense *v, numbers *t, gsolve_context *ctx)
{
    gsolve_dense x = {0};
    gsolve_status status;

    if (t->columns == 1) {
        *v = (gsolve_dense){(int32_t)t->rows, 1,           (int32_t)t->rows,   t->value,
                            GSOLVE_F64,       GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        t->value = NULL;
        return GSOLVE_OK;
    }
    TRY(gs_dense_new(&x, ctx, GSOLVE_HOST, GSOLVE_F64, (int32_t)t->rows, (int32_t)t->columns));
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->columns; j++) {
            ((double *)x.value)[j * x.stride + i] = t->value[i * t->columns + j];
        }
    }
    *v = x;
done:
    return status;
}

gsolve_status gs_text_dense(gsolve_dense *v, gs_input *in)
{
    const char *p = skip_comments(in->begin, in->end);
    numbers t = {.integer = true};
    gsolve_status status = GSOLVE_OK;

    for (int64_t line = 0; p < in->end; line++, p = skip_comments(p, in->end)) {
        TRY(read_line(&t, &p, in));
        if (line % 100000 == 0) {
            gs_input_progress(in, p - in->begin, in->end - in->begin);
            TRY(gs_check_interrupt(in->ctx));
        }
        if (t.count > INT32_MAX) {
            status = gs_input_fail(in, p, "there are more than 2^31 numbers in the file");
            goto done;
        }
    }
    if (t.rows == 1) { /* a vector in one line */
        t.rows = t.columns;
        t.columns = 1;
    }
    TRY(to_columns(v, &t, in->ctx));
    snprintf(in->source.kind, sizeof in->source.kind, "text");
    snprintf(in->source.field, sizeof in->source.field, t.integer ? "integer" : "real");
    in->source.stored = t.count;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, t.value);
    return status;
}
