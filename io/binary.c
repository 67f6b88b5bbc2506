/* binary.c: arrays of numbers in binary files, and matrices made of them. */
#include "io/binary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/try.h"

#define PIECE 1024 /* elements that are converted at a time: 8 KiB */

gsolve_status gs_binary_fail(const gs_input *in, const char *what, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gsolve_fail(in->ctx, GSOLVE_BAD_FILE, "%.400s%s%s: %s", in->name, what ? ":" : "",
                       what ? what : "", message);
}

gsolve_status gs_binary_rephrase(const gs_input *in, const char *what, gsolve_status status)
{
    char message[400];

    if (status != GSOLVE_BAD_MATRIX) return status;
    snprintf(message, sizeof message, "%s", gsolve_error(in->ctx));
    return gs_binary_fail(in, what, "%s", message);
}

/* --- elements --------------------------------------------------------------------------------- */

/* Some elements of any type. */
typedef union elements {
    double f8[PIECE];
    float f4[PIECE];
    int8_t i1[PIECE];
    int16_t i2[PIECE];
    int32_t i4[PIECE];
    int64_t i8[PIECE];
    uint8_t u1[PIECE];
    uint16_t u2[PIECE];
    uint32_t u4[PIECE];
    uint64_t u8[PIECE];
} elements;

static void swap_bytes(elements *e, int size, int count)
{
    for (int k = 0; size == 2 && k < count; k++) e->u2[k] = __builtin_bswap16(e->u2[k]);
    for (int k = 0; size == 4 && k < count; k++) e->u4[k] = __builtin_bswap32(e->u4[k]);
    for (int k = 0; size == 8 && k < count; k++) e->u8[k] = __builtin_bswap64(e->u8[k]);
}

/* e = elements first.. of a, in the order of bytes of this machine. */
static void load(elements *e, const gs_array *a, int64_t first, int count)
{
    memcpy(e, a->data + first * a->size, (size_t)count * (size_t)a->size);
    if (a->swapped) swap_bytes(e, a->size, count);
}

#define COPY(member) \
    for (int k = 0; k < count; k++) to[k] = e->member[k]

static void copy_as_double(double *to, const elements *e, char kind, int size, int count)
{
    const int type = (kind == 'f' ? 20 : kind == 'i' ? 10 : 0) + size;

    if (type == 28) COPY(f8);
    if (type == 24) COPY(f4);
    if (type == 18) COPY(i8);
    if (type == 14) COPY(i4);
    if (type == 12) COPY(i2);
    if (type == 11) COPY(i1);
    if (type == 8) COPY(u8);
    if (type == 4) COPY(u4);
    if (type == 2) COPY(u2);
    if (type == 1) COPY(u1);
}

static void copy_as_int64(int64_t *to, const elements *e, char kind, int size, int count)
{
    const int type = (kind == 'i' ? 10 : 0) + size;

    if (type == 18) COPY(i8);
    if (type == 14) COPY(i4);
    if (type == 12) COPY(i2);
    if (type == 11) COPY(i1);
    if (type == 8) COPY(i8); /* above the largest int64_t: negative, so refused */
    if (type == 4) COPY(u4);
    if (type == 2) COPY(u2);
    if (type == 1) COPY(u1);
}

static int piece_of(int64_t count, int64_t first)
{
    return (int)(count - first < PIECE ? count - first : PIECE);
}

/* The first of count values that is not finite, or count. */
static int first_not_finite(const double *value, int count)
{
    const uint64_t infinite = 0x7ff0000000000000u;
    uint64_t found = 0, bits;
    int k = 0;

    for (int l = 0; l < count; l++) {
        memcpy(&bits, &value[l], sizeof bits);
        found |= (uint64_t)((bits & infinite) == infinite);
    }
    while (found && isfinite(value[k])) k++;
    return found ? k : count;
}

gsolve_status gs_array_values(double *to, int64_t step, const gs_array *a, int64_t first,
                              int64_t count, const gs_input *in)
{
    const int64_t pieces = (count + PIECE - 1) / PIECE;
    int64_t bad = INT64_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx)) reduction(min : bad)
    for (int64_t p = 0; p < pieces; p++) {
        const int many = piece_of(count, p * PIECE);
        double block[PIECE], *own = step == 1 ? to + p * PIECE : block;
        elements e;

        load(&e, a, first + p * PIECE, many);
        copy_as_double(own, &e, a->kind, a->size, many);
        const int64_t found = first_not_finite(own, many);
        if (found < many && first + p * PIECE + found < bad) bad = first + p * PIECE + found;
        for (int k = 0; step != 1 && k < many; k++) to[(p * PIECE + k) * step] = own[k];
    }
    if (bad == INT64_MAX) return GSOLVE_OK;
    return gs_binary_fail(in, a->what,
                          "element %lld (the first is element 0) is NaN or infinite; values must "
                          "be finite",
                          (long long)bad);
}

/* Fails for element `at` of a, which is not from 0 to most. */
static gsolve_status fail_for_integer(const gs_array *a, int64_t at, int64_t most,
                                      const gs_input *in)
{
    int64_t value = 0;
    elements e;

    load(&e, a, at, 1);
    copy_as_int64(&value, &e, a->kind, a->size, 1);
    return gs_binary_fail(in, a->what,
                          "element %lld (the first is element 0) is %lld; it must be from 0 to "
                          "%lld",
                          (long long)at, (long long)value, (long long)most);
}

/* piece[0..count) = elements first..; returns the first that is not from 0 to most, or INT64_MAX.
 */
static int64_t load_integers(int64_t *piece, const gs_array *a, int64_t first, int count,
                             int64_t most)
{
    elements e;
    int bad = 0;

    load(&e, a, first, count);
    copy_as_int64(piece, &e, a->kind, a->size, count);
    for (int k = 0; k < count; k++) bad |= (piece[k] < 0) | (piece[k] > most);
    for (int k = 0; bad && k < count; k++) {
        if (piece[k] < 0 || piece[k] > most) return first + k;
    }
    return INT64_MAX;
}

gsolve_status gs_array_indices(int32_t *to, const gs_array *a, int64_t count, int64_t most,
                               const gs_input *in)
{
    const int64_t pieces = (count + PIECE - 1) / PIECE;
    int64_t bad = INT64_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx)) reduction(min : bad)
    for (int64_t p = 0; p < pieces; p++) {
        const int many = piece_of(count, p * PIECE);
        int64_t piece[PIECE];
        const int64_t found = load_integers(piece, a, p * PIECE, many, most);

        if (found < bad) bad = found;
        for (int k = 0; k < many; k++) to[p * PIECE + k] = (int32_t)piece[k];
    }
    return bad == INT64_MAX ? GSOLVE_OK : fail_for_integer(a, bad, most, in);
}

gsolve_status gs_array_offsets(int64_t *to, const gs_array *a, int64_t count, int64_t most,
                               const gs_input *in)
{
    const int64_t pieces = (count + PIECE - 1) / PIECE;
    int64_t bad = INT64_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx)) reduction(min : bad)
    for (int64_t p = 0; p < pieces; p++) {
        const int64_t found =
            load_integers(to + p * PIECE, a, p * PIECE, piece_of(count, p * PIECE), most);
        if (found < bad) bad = found;
    }
    return bad == INT64_MAX ? GSOLVE_OK : fail_for_integer(a, bad, most, in);
}

void gs_array_signed(int64_t *to, const gs_array *a, int64_t count)
{
    elements e;

    for (int64_t k = 0; k < count; k += PIECE) {
        load(&e, a, k, piece_of(count, k));
        copy_as_int64(to + k, &e, a->kind, a->size, piece_of(count, k));
    }
}

/* --- matrices --------------------------------------------------------------------------------- */

void gs_binary_source(gs_input *in, const char *kind, const gs_array *values, int64_t stored)
{
    snprintf(in->source.kind, sizeof in->source.kind, "%s", kind);
    snprintf(in->source.field, sizeof in->source.field, "%s",
             values->kind == 'f'   ? "real"
             : values->kind == 'b' ? "pattern"
                                   : "integer");
    in->source.symmetry = GSOLVE_GENERAL;
    in->source.stored = stored;
}

gsolve_status gs_binary_sizes(const gs_input *in, const char *what, int64_t nrows, int64_t ncols)
{
    if (nrows < 0 || ncols < 0 || nrows > INT32_MAX || ncols > INT32_MAX) {
        return gs_binary_fail(in, what, "the size is %lld x %lld; it must be from 0 to %d",
                              (long long)nrows, (long long)ncols, INT32_MAX);
    }
    if (gs_input_too_large(in, nrows) || gs_input_too_large(in, ncols)) {
        return gs_binary_fail(in, what,
                              "the size is %lld x %lld, far too large for a file of %lld bytes; "
                              "the file is damaged",
                              (long long)nrows, (long long)ncols, (long long)(in->end - in->begin));
    }
    return GSOLVE_OK;
}

gsolve_status gs_lines_clean(gsolve_csr *A, gs_input *in, const char *what)
{
    bool clean;
    gsolve_csr B = {0};
    gsolve_status status;

    TRY(gs_binary_rephrase(in, what, gs_csr_check(in->ctx, A, &clean)));
    if (!clean) {
        TRY(gs_csr_clean(&B, in->ctx, A, false, NULL));
        in->source.duplicates = gs_start(A, A->nrows) - gs_start(&B, B.nrows);
        gsolve_csr_free(A, in->ctx);
        *A = B;
    }
done:
    if (status != GSOLVE_OK) gsolve_csr_free(A, in->ctx);
    return status;
}

/* Refuses offsets that do not begin with 0, or decrease. */
static gsolve_status check_offsets(const char *what, const int64_t *start, int64_t lines,
                                   const gs_input *in)
{
    int64_t bad = start[0] == 0 ? INT64_MAX : 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx)) reduction(min : bad)
    for (int64_t i = 1; i <= lines; i++) {
        if (start[i] < start[i - 1] && i < bad) bad = i;
    }
    if (bad == INT64_MAX) return GSOLVE_OK;
    return gs_binary_fail(
        in, what, "element %lld is %lld%s; offsets must begin with 0 and must not decrease",
        (long long)bad, (long long)start[bad], bad ? ", less than the one before it" : "");
}

/* A = these offsets and columns; its values have space, but are not set. */
static gsolve_status copy_pattern(gsolve_csr *A, int64_t lines, int64_t width, const int64_t *start,
                                  const gs_array *index, const gs_input *in)
{
    gsolve_status status;

    if (index->count < start[lines]) {
        return gs_binary_fail(in, index->what,
                              "there are %lld indices, but the last offset is %lld",
                              (long long)index->count, (long long)start[lines]);
    }
    TRY(gs_csr_new(A, in->ctx, (int32_t)lines, (int32_t)width, start[lines], GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(in->ctx, A);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx))
    for (int64_t i = 0; i <= lines; i++) gs_set_start(&to, i, start[i]);
    TRY(gs_array_indices(to.col, index, start[lines], width - 1, in));
done:
    return status;
}

/* *start = the offsets of that many lines, owned. */
static gsolve_status read_offsets(int64_t **start, const gs_array *a, int64_t lines,
                                  int64_t entries, const gs_input *in)
{
    int64_t *offset = NULL;
    gsolve_status status;

    if (a->count != lines + 1) {
        return gs_binary_fail(in, a->what,
                              "there are %lld offsets; the matrix needs %lld, one more than it has "
                              "rows (csc: columns; bsr: rows of blocks)",
                              (long long)a->count, (long long)lines + 1);
    }
    ALLOC(in->ctx, GSOLVE_HOST, offset, lines + 1);
    TRY(gs_array_offsets(offset, a, lines + 1, entries, in));
    TRY(check_offsets(a->what, offset, lines, in));
    *start = offset;
    offset = NULL;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, offset);
    return status;
}

gsolve_status gs_lines_pattern(gsolve_csr *pattern, int64_t nrows, int64_t ncols,
                               const gs_array *start, const gs_array *index, const gs_input *in)
{
    int64_t *offset = NULL;
    gsolve_status status;

    TRY(read_offsets(&offset, start, nrows, index->count, in));
    TRY(copy_pattern(pattern, nrows, ncols, offset, index, in));
done:
    gsolve_free(in->ctx, GSOLVE_HOST, offset);
    return status;
}

gsolve_status gs_lines_matrix_at(gsolve_csr *csr, const gs_lines *l, const int64_t *start,
                                 gs_input *in)
{
    const int64_t lines = l->by_columns ? l->ncols : l->nrows;
    gsolve_csr A = {0}, B;
    gsolve_status status;

    TRY(copy_pattern(&A, lines, l->by_columns ? l->nrows : l->ncols, start, &l->index, in));
    if (l->value.count < start[lines]) {
        status = gs_binary_fail(in, l->value.what, "there are %lld values for %lld entries",
                                (long long)l->value.count, (long long)start[lines]);
        goto done;
    }
    TRY(gs_array_values(gs_csr_arrays_of(in->ctx, &A).value, 1, &l->value, 0, start[lines], in));
    in->source.stored = start[lines];
    TRY(gs_lines_clean(&A, in, l->index.what));
    if (l->by_columns) {
        TRY(gs_csr_transpose(&B, in->ctx, &A));
        gsolve_csr_free(&A, in->ctx);
        A = B;
    }
    *csr = A;
    A = (gsolve_csr){0};
done:
    gsolve_csr_free(&A, in->ctx);
    return status;
}

gsolve_status gs_lines_matrix(gsolve_csr *csr, const gs_lines *l, gs_input *in)
{
    int64_t *start = NULL;
    gsolve_status status;

    TRY(read_offsets(&start, &l->start, l->by_columns ? l->ncols : l->nrows, l->index.count, in));
    TRY(gs_lines_matrix_at(csr, l, start, in));
done:
    gsolve_free(in->ctx, GSOLVE_HOST, start);
    return status;
}

/* --- dense ------------------------------------------------------------------------------------ */

/* Counts the nonzeros of row i of v, and stores them if A is not NULL. */
static int64_t row_nonzeros(const gsolve_dense *v, int64_t i, const gs_csr_arrays *A, int64_t at)
{
    const double *x = v->value;
    int64_t count = 0;

    for (int32_t j = 0; j < v->ncols; j++) {
        const double value = x[i + j * v->stride];
        if (value == 0) continue;
        if (A) {
            A->col[at + count] = j;
            ((double *)A->value)[at + count] = value;
        }
        count++;
    }
    return count;
}

gsolve_status gs_dense_rows(gsolve_csr *csr, const gsolve_dense *v, gs_input *in)
{
    int64_t *start = NULL;
    gsolve_csr A;
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, start, (int64_t)v->nrows + 1);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx))
    for (int64_t i = 0; i < v->nrows; i++) start[i + 1] = row_nonzeros(v, i, NULL, 0);
    start[0] = 0;
    for (int64_t i = 0; i < v->nrows; i++) start[i + 1] += start[i];
    TRY(gs_csr_new(&A, in->ctx, v->nrows, v->ncols, start[v->nrows], GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(in->ctx, &A);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(in->ctx))
    for (int64_t i = 0; i < v->nrows; i++) {
        gs_set_start(&to, i, start[i]);
        row_nonzeros(v, i, &to, start[i]);
    }
    gs_set_start(&to, v->nrows, start[v->nrows]);
    *csr = A;
done:
    gsolve_free(in->ctx, GSOLVE_HOST, start);
    return status;
}
