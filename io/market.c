/* market.c: Matrix Market files as sparse or dense matrices. */
#include "io/market.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/csr.h"

/* --- banner, comments and sizes -------------------------------------------------------- */

bool gs_market_is(const char *begin, const char *end)
{
    const size_t length = sizeof GS_MARKET_BANNER - 1;
    return (size_t)(end - begin) >= length && strncasecmp(begin, GS_MARKET_BANNER, length) == 0;
}

/* The index of the word in the list, which ends with NULL, or -1. */
static int find(gs_word word, const char *const *list)
{
    for (int k = 0; list[k]; k++) {
        if (strlen(list[k]) == (size_t)(word.end - word.begin) &&
            strncasecmp(list[k], word.begin, strlen(list[k])) == 0) {
            return k;
        }
    }
    return -1;
}

/* *choice = the index of the next word of the banner in the list. allowed: the list for the error
 * message. */
static gsolve_status choose(int *choice, const char **p, const gs_input *in, const char *what,
                            const char *const *list, const char *allowed)
{
    const gs_word word = gs_next_word(p, in->end);
    char token[GS_TOKEN];

    *choice = find(word, list);
    if (*choice >= 0) return GSOLVE_OK;
    gs_input_token(token, word.begin, word.end);
    return gs_input_fail(in, in->begin, "the %s in the header is '%s'; it must be one of %s", what,
                         token, allowed);
}

static gsolve_status read_banner(gs_market *m, gs_input *in, const char **p)
{
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", "pattern", "double", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    int object, format, field, symmetry;
    gsolve_status status;

    gs_next_word(p, in->end); /* %%MatrixMarket */
    TRY(choose(&object, p, in, "object", objects, "matrix"));
    TRY(choose(&format, p, in, "format", formats, "coordinate and array"));
    TRY(choose(&field, p, in, "field", fields, "real, integer and pattern"));
    TRY(choose(&symmetry, p, in, "symmetry", symmetries,
               "general, symmetric, skew-symmetric and hermitian"));
    if (field == 4) {
        return gs_input_fail(
            in, in->begin,
            "the matrix is complex; only real, integer and pattern matrices are supported");
    }
    if (field == GS_PATTERN && (format == 1 || symmetry == GSOLVE_SKEW)) {
        return gs_input_fail(in, in->begin, "a pattern can be neither an array nor skew-symmetric");
    }
    m->array = format == 1;
    m->field = field == 3 ? GS_REAL : (gs_field)field;
    m->symmetry = (gsolve_symmetry)symmetry;
    snprintf(in->source.kind, sizeof in->source.kind, "Matrix Market");
    snprintf(in->source.field, sizeof in->source.field, "%s", fields[m->field]);
    in->source.symmetry = m->symmetry;
done:
    return status;
}

static gsolve_status read_size(int64_t *size, const char **p, const gs_input *in, const char *what,
                               int64_t most)
{
    const char *next = *p;
    const gs_word word = gs_next_word(&next, in->end);

    if (word.begin == word.end) {
        return gs_input_fail(in, word.begin, "the number of %s is missing", what);
    }
    return gs_input_size(size, p, in, what, most);
}

/* The number of values of an array file with that symmetry. */
static int64_t array_entries(const gs_market *m)
{
    const int64_t n = m->nrows;

    if (m->symmetry == GSOLVE_GENERAL) return n * m->ncols;
    return m->symmetry == GSOLVE_SKEW ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

/* Refuses impossible sizes before memory is allocated. */
static gsolve_status check_sizes(const gs_market *m, const gs_input *in, const char *line)
{
    const int64_t least = m->array ? 2 : m->field == GS_PATTERN ? 4 : 6; /* bytes of an entry */
    const int64_t left = in->end - m->body + 1; /* the last needs no '\n' */

    if (m->symmetry != GSOLVE_GENERAL && m->nrows != m->ncols) {
        return gs_input_fail(in, line,
                             "a symmetric, skew-symmetric or hermitian matrix is square; this one "
                             "has %d rows and %d columns",
                             m->nrows, m->ncols);
    }
    if (m->entries > left / least) {
        return gs_input_fail(
            in, line,
            "the header declares %lld entries, but the file ends %lld bytes later; "
            "the file is truncated",
            (long long)m->entries, (long long)left - 1);
    }
    if (gs_input_too_large(in, m->nrows) || gs_input_too_large(in, m->ncols)) {
        return gs_input_fail(
            in, line,
            "the header declares %d rows and %d columns, far too many for a file of "
            "%lld bytes; correct the header",
            m->nrows, m->ncols, (long long)(in->end - in->begin));
    }
    return GSOLVE_OK;
}

static gsolve_status read_sizes(gs_market *m, gs_input *in, const char *p)
{
    const char *line = p;
    int64_t nrows, ncols;
    gsolve_status status;

    TRY(read_size(&nrows, &p, in, "rows", INT32_MAX));
    TRY(read_size(&ncols, &p, in, "columns", INT32_MAX));
    m->nrows = (int32_t)nrows;
    m->ncols = (int32_t)ncols;
    if (m->array) {
        m->entries = array_entries(m);
    } else {
        TRY(read_size(&m->entries, &p, in, "entries", INT64_MAX));
    }
    const gs_word rest = gs_next_word(&p, in->end);
    if (rest.begin != rest.end) {
        char token[GS_TOKEN];
        gs_input_token(token, rest.begin, rest.end);
        return gs_input_fail(in, rest.begin,
                             "unexpected '%s' after the sizes; the sizes of %s are %s", token,
                             m->array ? "an array" : "a coordinate file",
                             m->array ? "rows and columns" : "rows, columns and entries");
    }
    m->body = gs_line_end(p, in->end);
    if (m->body < in->end) m->body++;
    in->source.stored = m->entries;
    status = check_sizes(m, in, line);
done:
    return status;
}

gsolve_status gs_market_head(gs_market *m, gs_input *in)
{
    const char *p = in->begin;
    gsolve_status status;

    *m = (gs_market){0};
    TRY(read_banner(m, in, &p));
    for (;;) { /* comments and blank lines */
        p = gs_line_end(p, in->end);
        if (p == in->end) {
            return gs_input_fail(
                in, p, "the file ends before the line with the numbers of rows and columns");
        }
        const char *line = ++p;
        const gs_word word = gs_next_word(&p, in->end);
        if (word.begin == word.end || *word.begin == '%') continue;
        return read_sizes(m, in, line);
    }
done:
    return status;
}

/* --- sparse --------------------------------------------------------------------------- */

/* The row and column of a value of an array file, which lists columns one after the other. */
typedef struct place {
    int32_t i, j;
} place;

static place first_place(const gs_market *m)
{
    return (place){m->symmetry == GSOLVE_SKEW, 0};
}

static void next_place(place *p, const gs_market *m)
{
    if (++p->i < m->nrows) return;
    p->j++;
    p->i = m->symmetry == GSOLVE_GENERAL ? 0 : p->j + (m->symmetry == GSOLVE_SKEW);
}

/* Sets rows and columns of the nonzero values of an array file; *entries: their number. */
static gsolve_status place_array(gs_triplets *t, const gs_market *m, gsolve_context *ctx,
                                 int64_t *entries)
{
    place p = first_place(m);
    int64_t count = 0, at = 0;
    gsolve_status status;

    for (int64_t k = 0; k < m->entries; k++) count += t->v[k] != 0;
    ALLOC(ctx, GSOLVE_HOST, t->i, count);
    ALLOC(ctx, GSOLVE_HOST, t->j, count);
    for (int64_t k = 0; k < m->entries; k++, next_place(&p, m)) {
        if (t->v[k] == 0) continue;
        t->i[at] = p.i;
        t->j[at] = p.j;
        t->v[at++] = t->v[k];
    }
    *entries = count;
done:
    return status;
}

static gsolve_status read_body(gsolve_csr *csr, const gs_market *m, gs_input *in)
{
    gs_triplets t = {0};
    int64_t entries;
    gsolve_status status;

    TRY(gs_market_lines(&t, &entries, m, in, NULL));
    if (m->array) TRY(place_array(&t, m, in->ctx, &entries));
    TRY(gs_assemble(csr, in->ctx, m->nrows, m->ncols, entries, &t, m->symmetry,
                    &in->source.duplicates));
done:
    gs_triplets_free(&t, in->ctx);
    return status;
}

gsolve_status gs_market_matrix(gsolve_csr *csr, gs_input *in)
{
    gs_market m;
    gsolve_status status;

    TRY(gs_market_head(&m, in));
    TRY(read_body(csr, &m, in));
done:
    return status;
}

/* --- dense ---------------------------------------------------------------------------- */

/* An array without symmetry: the values in the order of the file. */
static gsolve_status read_columns(gsolve_dense *v, const gs_market *m, const gs_input *in)
{
    gs_triplets t = {0};
    int64_t count;
    gsolve_status status;

    TRY(gs_market_lines(&t, &count, m, in, NULL));
    *v = (gsolve_dense){m->nrows,   m->ncols,    m->nrows,           t.v,
                        GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
done:
    return status;
}

gsolve_status gs_csr_to_dense(gsolve_dense *v, gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_status status = gs_dense_new(v, ctx, GSOLVE_HOST, GSOLVE_F64, A->nrows, A->ncols);

    if (status != GSOLVE_OK) return status;
    double *x = v->value;
    const double *a = A->value;
#pragma omp parallel for simd schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < v->stride * v->ncols; k++) x[k] = 0;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            x[i + A->col[k] * v->stride] = a[k];
        }
    }
    return GSOLVE_OK;
}

static bool lists_all(const gs_market *m)
{
    return m->array && m->symmetry == GSOLVE_GENERAL;
}

gsolve_status gs_market_dense_head(gs_market *m, gs_input *in)
{
    gsolve_status status;

    TRY(gs_market_head(m, in));
    if (!lists_all(m) && gs_input_too_large(in, (int64_t)m->nrows * m->ncols)) {
        status =
            gs_input_fail(in, m->body,
                          "a dense matrix of %d rows and %d columns is far too large for a file of "
                          "%lld bytes; correct the header",
                          m->nrows, m->ncols, (long long)(in->end - in->begin));
    }
done:
    return status;
}

gsolve_status gs_market_dense(gsolve_dense *v, gs_input *in)
{
    gs_market m;
    gsolve_csr csr;
    gsolve_status status;

    TRY(gs_market_dense_head(&m, in));
    if (lists_all(&m)) return read_columns(v, &m, in);
    TRY(read_body(&csr, &m, in));
    status = gs_csr_to_dense(v, in->ctx, &csr);
    gsolve_csr_free(&csr, in->ctx);
done:
    return status;
}
