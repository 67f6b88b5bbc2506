/* import.c: matrices in the layouts of other libraries: compressed rows or columns, numbers from 0
 * or 1, in 32 or 64 bits, all entries or one triangle. The lines (rows, or columns of CSC) are
 * checked and copied as rows; columns are transposed, and a triangle gets its mirror image. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "matrix/statistics.h"
#include "vector/blocks.h"

static int64_t offset_at(const gsolve_foreign *A, int64_t line)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[line]
                                   : (int64_t)((const int32_t *)A->start)[line];
}

static int64_t index_at(const gsolve_foreign *A, int64_t k)
{
    return A->index_type == GSOLVE_I64 ? ((const int64_t *)A->index)[k]
                                       : (int64_t)((const int32_t *)A->index)[k];
}

static double value_at(const gsolve_foreign *A, int64_t k)
{
    return A->type == GSOLVE_F32 ? (double)((const float *)A->value)[k]
                                 : ((const double *)A->value)[k];
}

static int64_t lines_of(const gsolve_foreign *A)
{
    return A->csc ? A->ncols : A->nrows;
}

static const char *line_word(const gsolve_foreign *A)
{
    return A->csc ? "column" : "row";
}

static const char *index_word(const gsolve_foreign *A)
{
    return A->csc ? "row" : "column";
}

/* --- checks ----------------------------------------------------------------------------------- */

static gsolve_status check_members(gsolve_context *ctx, const gsolve_foreign *A)
{
    if (A->nrows < 0 || A->ncols < 0 || !A->start) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_import: the size %lld x %lld is negative, or start is NULL",
                           (long long)A->nrows, (long long)A->ncols);
    }
    if ((unsigned)A->offset > GSOLVE_O64 || (unsigned)A->index_type > GSOLVE_I64 ||
        (unsigned)A->type >= GSOLVE_TYPE_COUNT || (unsigned)A->part > GSOLVE_UPPER) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_import: offset is %d, index_type %d, type %d and part %d; "
                           "they must be enumerators of gsolve_offset, gsolve_index, gsolve_type "
                           "and gsolve_part",
                           (int)A->offset, (int)A->index_type, (int)A->type, (int)A->part);
    }
    if (A->base < 0 || A->base > 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_import: base is %d; numbers count from 0 or from 1",
                           A->base);
    }
    if (A->nrows > INT32_MAX || A->ncols > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "the matrix is %lld x %lld; fewer than 2^31 rows and columns are "
                           "supported",
                           (long long)A->nrows, (long long)A->ncols);
    }
    if (A->part != GSOLVE_FULL && A->nrows != A->ncols) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "the matrix is %lld x %lld; only a square matrix can be given by one "
                           "triangle",
                           (long long)A->nrows, (long long)A->ncols);
    }
    return GSOLVE_OK;
}

static gsolve_status check_offsets(gsolve_context *ctx, const gsolve_foreign *A)
{
    const int64_t lines = lines_of(A);

    if (offset_at(A, 0) != A->base) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "the first offset is %lld; with base=%d it must be %d",
                           (long long)offset_at(A, 0), A->base, A->base);
    }
    for (int64_t i = 0; i < lines; i++) {
        if (offset_at(A, i + 1) >= offset_at(A, i)) continue;
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "%s %lld begins at entry %lld but ends at entry %lld; offsets must not "
                           "decrease; numbers count from %d",
                           line_word(A), (long long)(i + A->base), (long long)offset_at(A, i),
                           (long long)offset_at(A, i + 1), A->base);
    }
    if (offset_at(A, lines) > A->base && (!A->index || !A->value)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "gsolve_csr_import: the matrix has entries but index or value is NULL");
    }
    return GSOLVE_OK;
}

/* Whether entry k of a line, which counts from 0, is acceptable. */
static bool is_valid(const gsolve_foreign *A, int64_t line, int64_t k)
{
    const int64_t most = A->csc ? A->nrows : A->ncols, j = index_at(A, k) - A->base;
    const int64_t row = A->csc ? j : line, col = A->csc ? line : j;

    return j >= 0 && j < most && isfinite(value_at(A, k)) &&
           (A->part == GSOLVE_FULL || (A->part == GSOLVE_LOWER ? col <= row : col >= row));
}

/* Describes entry k of a line, which is not valid. */
static gsolve_status fail_for_entry(gsolve_context *ctx, const gsolve_foreign *A, int64_t line,
                                    int64_t k)
{
    const int64_t most = (A->csc ? A->nrows : A->ncols) - 1 + A->base, j = index_at(A, k);
    const long long own = (long long)(line + A->base), at = (long long)(k + A->base);

    if (j < A->base || j > most) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "entry %lld, in %s %lld, has the %s index %lld; %s indices are from %d "
                           "to %lld",
                           at, line_word(A), own, index_word(A), (long long)j, index_word(A),
                           A->base, (long long)most);
    }
    if (!isfinite(value_at(A, k))) {
        return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                           "entry %lld, in %s %lld and %s %lld, is %g; values must be finite; "
                           "numbers count from %d",
                           at, line_word(A), own, index_word(A), (long long)j, value_at(A, k),
                           A->base);
    }
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                       "entry %lld, in %s %lld and %s %lld, is in the %s triangle, but only the %s "
                       "triangle is given; numbers count from %d",
                       at, line_word(A), own, index_word(A), (long long)j,
                       A->part == GSOLVE_LOWER ? "upper" : "lower",
                       A->part == GSOLVE_LOWER ? "lower" : "upper", A->base);
}

/* The first line from [from, to) with an entry that is not valid, in *entry; or -1. */
static int64_t first_bad_line(const gsolve_foreign *A, int64_t from, int64_t to, int64_t *entry)
{
    for (int64_t i = from; i < to; i++) {
        const int64_t end = offset_at(A, i + 1) - A->base;
        for (int64_t k = offset_at(A, i) - A->base; k < end; k++) {
            *entry = k;
            if (!is_valid(A, i, k)) return i;
        }
    }
    return -1;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Copies the lines [from, to) as rows that count from 0. */
static void copy_lines(const gs_csr_arrays *to, const gsolve_foreign *A, int64_t from, int64_t last)
{
    const int64_t end = offset_at(A, last) - A->base;

    for (int64_t i = from; i < last; i++) gs_set_start(to, i, offset_at(A, i) - A->base);
    for (int64_t k = offset_at(A, from) - A->base; k < end; k++) {
        to->col[k] = (int32_t)(index_at(A, k) - A->base);
        if (A->type == GSOLVE_F32) {
            ((float *)to->value)[k] = ((const float *)A->value)[k];
        } else {
            ((double *)to->value)[k] = ((const double *)A->value)[k];
        }
    }
}

/* *out = the lines as rows, checked. */
static gsolve_status copy_checked(gsolve_csr *out, gsolve_context *ctx, const gsolve_foreign *A)
{
    const int64_t lines = lines_of(A), entries = offset_at(A, lines) - A->base;
    const gs_blocks pieces = gs_blocks_of(lines);
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    int64_t bad = INT64_MAX, entry;
    gsolve_csr csr = {0};
    gsolve_status status;

    TRY(gs_csr_new(&csr, ctx, (int32_t)lines, (int32_t)(A->csc ? A->nrows : A->ncols), entries,
                   A->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &csr);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (int p = 0; p < pieces.count; p++) {
        const int64_t from = gs_block_begin(&pieces, p), end = gs_block_end(&pieces, p);
        int64_t at;
        const int64_t line = first_bad_line(A, from, end, &at);
        if (line >= 0 && line < bad) bad = line;
        if (line < 0) copy_lines(&to, A, from, end);
    }
    gs_set_start(&to, lines, entries);
    if (bad < INT64_MAX) {
        first_bad_line(A, bad, bad + 1, &entry);
        status = fail_for_entry(ctx, A, bad, entry);
        goto done;
    }
    *out = csr;
    memset(&csr, 0, sizeof csr);
done:
    gsolve_csr_free(&csr, ctx);
    return status;
}

/* Replaces *csr by its clean rows: with ascending columns and without duplicates. */
static gsolve_status clean(gsolve_csr *csr, gsolve_context *ctx)
{
    gsolve_csr sorted;
    gsolve_status status = GSOLVE_OK;

    if (gs_rows_ascend(ctx, csr)) return GSOLVE_OK;
    TRY(gs_csr_clean(&sorted, ctx, csr, false, NULL));
    gsolve_csr_free(csr, ctx);
    *csr = sorted;
done:
    return status;
}

/* Replaces *csr by its transpose. */
static gsolve_status transpose(gsolve_csr *csr, gsolve_context *ctx)
{
    gsolve_csr transposed;
    gsolve_status status;

    TRY(gs_csr_transpose(&transposed, ctx, csr));
    gsolve_csr_free(csr, ctx);
    *csr = transposed;
done:
    return status;
}

/* --- a triangle and its mirror image ---------------------------------------------------------- */

/* Entries of row i of T, but not the diagonal if `strict`; copies them to `to` from entry `at` on,
 * unless `to` is NULL. Returns their number. */
static int64_t copy_row(const gs_csr_arrays *to, int64_t at, const gsolve_csr *T, int32_t i,
                        bool strict)
{
    int64_t count = 0;

    for (int64_t k = gs_start(T, i); k < gs_start(T, i + 1); k++) {
        if (strict && T->col[k] == i) continue;
        if (to) {
            to->col[at + count] = T->col[k];
            if (T->type == GSOLVE_F32) {
                ((float *)to->value)[at + count] = ((const float *)T->value)[k];
            } else {
                ((double *)to->value)[at + count] = ((const double *)T->value)[k];
            }
        }
        count++;
    }
    return count;
}

/* Row i of the matrix: its part below the diagonal is in `lower` and its part above in `upper`, of
 * which one is the mirror image of the other. The diagonal is taken from lower. */
static int64_t copy_both(const gs_csr_arrays *to, int64_t at, const gsolve_csr *lower,
                         const gsolve_csr *upper, int32_t i)
{
    const int64_t count = copy_row(to, at, lower, i, false);

    return count + copy_row(to, at + count, upper, i, true);
}

/* Replaces *csr, a clean triangle, by the whole matrix. */
static gsolve_status mirror(gsolve_csr *csr, gsolve_context *ctx, bool is_lower)
{
    gsolve_csr transposed = {0}, whole = {0};
    const gsolve_csr *lower = is_lower ? csr : &transposed, *upper = is_lower ? &transposed : csr;
    int64_t entries = 0, at = 0;
    gsolve_status status;

    TRY(gs_csr_transpose(&transposed, ctx, csr));
    for (int32_t i = 0; i < csr->nrows; i++) entries += copy_both(NULL, 0, lower, upper, i);
    TRY(gs_csr_new(&whole, ctx, csr->nrows, csr->ncols, entries, csr->type));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &whole);
    for (int32_t i = 0; i < csr->nrows; i++) {
        gs_set_start(&to, i, at);
        at += copy_both(&to, at, lower, upper, i);
    }
    gs_set_start(&to, csr->nrows, at);
    gsolve_csr_free(csr, ctx);
    *csr = whole;
done:
    gsolve_csr_free(&transposed, ctx);
    return status;
}

/* --- the public function ---------------------------------------------------------------------- */

gsolve_status gsolve_csr_import(gsolve_csr *out, gsolve_context *ctx, const gsolve_foreign *A)
{
    gsolve_csr csr = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!out || !A) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_csr_import: an argument is NULL");
    }
    TRY(check_members(ctx, A));
    TRY(check_offsets(ctx, A));
    TRY(copy_checked(&csr, ctx, A));
    if (A->csc) TRY(transpose(&csr, ctx));
    TRY(clean(&csr, ctx));
    if (A->part != GSOLVE_FULL) TRY(mirror(&csr, ctx, A->part == GSOLVE_LOWER));
    *out = csr;
    memset(&csr, 0, sizeof csr);
done:
    gsolve_csr_free(&csr, ctx);
    return status;
}
