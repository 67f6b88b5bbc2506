/* sample.c: pattern statistics on the host, see sample.h. */
#include "matrix/sample.h"
#include "matrix/irregular.h"
#include "vector/blocks.h"

#include <string.h>

#include "core/try.h"

static int64_t row_length(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i + 1) - gs_start(A, i);
}

/* --- row lengths ------------------------------------------------------------------------------ */

/* Entries of the longest of the rows first to last - 1. */
static int64_t longest_of(const gsolve_csr *A, int32_t first, int32_t last)
{
    int64_t longest = 0;

    for (int32_t i = first; i < last; i++) {
        const int64_t length = row_length(A, i);
        if (length > longest) longest = length;
    }
    return longest;
}

static int32_t middle_column(const gsolve_csr *A, int32_t i)
{
    return A->col[gs_start(A, i) + row_length(A, i) / 2];
}

/* Returns the entries of row i if it is irregular, else 0. */
static int64_t irregular_entries(const gsolve_csr *A, int32_t i)
{
    const int64_t length = row_length(A, i);

    if (length <= GS_SAMPLE_LONG || i == 0 || row_length(A, i - 1) == 0) return 0;
    const int64_t reach = (int64_t)A->col[gs_start(A, i + 1) - 1] - A->col[gs_start(A, i)];
    const int64_t apart = (int64_t)middle_column(A, i) - middle_column(A, i - 1);
    if (reach <= GS_SAMPLE_REACH || reach <= GS_SAMPLE_APART * length) return 0;
    return apart > GS_SAMPLE_SAME || apart < -GS_SAMPLE_SAME ? length : 0;
}

static void inspect_lengths(gsolve_context *ctx, const gsolve_csr *A, gs_sample_sums *sums)
{
    const int32_t n = A->nrows;
    const int threads = gs_threads_for(n, gsolve_threads(ctx));
    int64_t filled8 = 0, filled32 = 0, irregular = 0, most = 0;
    unsigned empty = 0;

#pragma omp parallel for schedule(static) num_threads(threads) \
    reduction(+ : filled8, filled32, irregular, empty) reduction(max : most)
    for (int32_t g = 0; g <= (n - 1) / GS_SAMPLE_ROWS; g++) {
        const int32_t end = n - g * GS_SAMPLE_ROWS < GS_SAMPLE_ROWS ? n : (g + 1) * GS_SAMPLE_ROWS;
        int64_t longest = 0;
        for (int32_t i = g * GS_SAMPLE_ROWS; i < end; i += 8) {
            const int32_t to = end - i < 8 ? end : i + 8;
            const int64_t of8 = longest_of(A, i, to);
            filled8 += of8 * (to - i);
            if (of8 > longest) longest = of8;
        }
        for (int32_t i = g * GS_SAMPLE_ROWS; i < end; i++) {
            empty += row_length(A, i) == 0;
            irregular += irregular_entries(A, i);
        }
        filled32 += longest * (end - g * GS_SAMPLE_ROWS);
        if (longest > most) most = longest;
    }
    sums->filled8 = (unsigned long long)filled8;
    sums->filled32 = (unsigned long long)filled32;
    sums->irregular = (unsigned long long)irregular;
    sums->rows.longest = (unsigned)most;
    sums->rows.empty = empty;
}

/* --- columns of the sample -------------------------------------------------------------------- */

/* Whether the k-th entries of the rows first to last - 1 span at most GS_SAMPLE_SPAN columns. Also
 * counts their pairs in sums. *any = whether a row has a k-th entry. */
static bool is_narrow(const gsolve_csr *A, int32_t first, int32_t last, int64_t k, bool *any,
                      gs_sample_sums *sums)
{
    int32_t low = INT32_MAX, high = -1, before = -1;

    for (int32_t i = first; i < last; i++) {
        const int32_t c = k < row_length(A, i) ? A->col[gs_start(A, i) + k] : -1;
        if (c >= 0 && before >= 0) {
            sums->pairs++;
            sums->far += c - before > GS_SAMPLE_FAR || before - c > GS_SAMPLE_FAR;
        }
        if (c >= 0 && c < low) low = c;
        if (c > high) high = c;
        before = c;
    }
    *any = high >= 0;
    return !*any || high - low <= GS_SAMPLE_SPAN;
}

static void inspect_group(const gsolve_csr *A, int32_t first, gs_sample_sums *sums)
{
    const int32_t last = A->nrows - first < GS_SAMPLE_ROWS ? A->nrows : first + GS_SAMPLE_ROWS;
    bool narrow = true, any = true;

    for (int64_t k = 0; any && k < GS_SAMPLE_DEEP; k++) {
        const bool fits = is_narrow(A, first, last, k, &any, sums);
        narrow = narrow && fits;
        sums->groups += k == 0 && any;
    }
    sums->narrow += narrow && longest_of(A, first, last) > 0;
}

/* Whether entry k of each of the b rows from first on is where it is if the rows consist of dense,
 * aligned b x b blocks. */
static bool in_block(const gsolve_csr *A, int32_t first, int32_t b, int64_t k)
{
    const int32_t corner = A->col[gs_start(A, first) + k - k % b];

    for (int32_t i = first; i < first + b; i++) {
        if (A->col[gs_start(A, i) + k] != corner + k % b) return false;
    }
    return corner % b == 0;
}

static void inspect_block(const gsolve_csr *A, int32_t first, int32_t b, gs_sample_sums *sums)
{
    const int64_t length = first + b <= A->nrows ? row_length(A, first) : 0;
    bool full = length % b == 0;

    if (length == 0) return;
    for (int32_t i = first + 1; i < first + b; i++) full = full && row_length(A, i) == length;
    for (int64_t k = 0; full && k < length && k < GS_SAMPLE_DEEP; k++) {
        full = in_block(A, first, b, k);
    }
    sums->tested[b]++;
    sums->full[b] += full;
}

/* Adds what is known of groups of rows: all members but those of inspect_lengths. */
static void add_groups(gs_sample_sums *sums, const gs_sample_sums *more)
{
    sums->far += more->far;
    sums->pairs += more->pairs;
    sums->groups += more->groups;
    sums->narrow += more->narrow;
    for (int32_t b = 2; b <= GS_SAMPLE_BLOCK; b++) {
        sums->tested[b] += more->tested[b];
        sums->full[b] += more->full[b];
    }
}

static void inspect_columns(gsolve_context *ctx, const gsolve_csr *A, gs_sample_sums *sums)
{
    const int64_t step = (int64_t)gs_sample_step(A->nrows) * GS_SAMPLE_ROWS;
    const int threads = gs_threads_for(A->nrows, gsolve_threads(ctx));

#pragma omp parallel num_threads(threads)
    {
        gs_sample_sums own = {0};
#pragma omp for schedule(static) nowait
        for (int64_t first = 0; first < A->nrows; first += step) {
            inspect_group(A, (int32_t)first, &own);
            for (int32_t b = 2; b <= GS_SAMPLE_BLOCK; b++) {
                inspect_block(A, (int32_t)first / b * b, b, &own);
            }
        }
#pragma omp critical(gs_sample_columns)
        add_groups(sums, &own);
    }
}

static gsolve_status sum(gsolve_context *ctx, const gsolve_csr *A, bool columns,
                         gs_sample_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    if (A->nrows == 0) return GSOLVE_OK;
    sums->entries = (unsigned long long)gs_start(A, A->nrows);
    inspect_lengths(ctx, A, sums);
    if (columns) inspect_columns(ctx, A, sums);
    return GSOLVE_OK;
}

const gs_sample_kernels gs_sample_host[GSOLVE_TYPE_COUNT] = {{sum}, {sum}};

/* --- the result ------------------------------------------------------------------------------- */

static double share(unsigned long long part, unsigned long long all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

gsolve_status gs_sample_pattern(gsolve_context *ctx, const gsolve_csr *csr,
                                gsolve_pattern_sample *sample, gs_row_statistics *rows)
{
    gs_sample_sums sums;
    gsolve_status status;

    TRY(GS_SCALAR_KERNELS(gs_sample, ctx, csr->type)->sum(ctx, csr, true, &sums));
    const gsolve_pattern_sample result = {
        .device = ctx->device->plugin.name,
        .nrows = csr->nrows,
        .ncols = csr->ncols,
        .entries = (int64_t)sums.entries,
        .type = csr->type,
        .offset = csr->offset,
        .longest_row = (int32_t)sums.rows.longest,
        .empty_rows = (int32_t)sums.rows.empty,
        .filled8 = (int64_t)sums.filled8,
        .filled32 = (int64_t)sums.filled32,
        .narrow = share(sums.narrow, sums.groups),
        .far = share(sums.far, sums.pairs),
        .irregular = share(sums.irregular, sums.entries),
    };
    *sample = result;
    if (rows) *rows = sums.rows;
    for (int b = 2; b <= GS_SAMPLE_BLOCK; b++) {
        sample->block[b] = share(sums.full[b], sums.tested[b]);
    }
done:
    return status;
}

/* --- neighbouring rows, see irregular.h ----------------------------------------------------------
 */

/* mean entries per row below which the end of a row costs as much as its entries */
#define SHORT 32

bool gs_is_irregular(const gsolve_csr *A)
{
    const int32_t step = A->nrows / 1024 + 1;
    int64_t far = 0, count = 0;

    if ((size_t)A->ncols * gs_type_size(A->type) <= 1 << 20) return false;
    for (int32_t i = 1; i < A->nrows; i += step) {
        const int64_t before = gs_start(A, i - 1), at = gs_start(A, i), end = gs_start(A, i + 1);
        for (int64_t k = 0; k < end - at && k < at - before; k++) {
            const int64_t apart = (int64_t)A->col[at + k] - (int64_t)A->col[before + k];
            far += apart > 4096 || apart < -4096;
            count++;
        }
    }
    return far > count / 2;
}

gs_rows gs_rows_of(const gsolve_csr *A)
{
    const int32_t step = A->nrows / 1024 + 1;
    int32_t unlike = 0, count = 0;

    for (int32_t i = 1; i < A->nrows; i += step) {
        unlike += row_length(A, i) != row_length(A, i - 1);
        count++;
    }
    if (gs_is_irregular(A)) return GS_ROWS_IRREGULAR;
    if (gs_start(A, A->nrows) >= SHORT * (int64_t)A->nrows) return GS_ROWS_EVEN;
    return unlike > count / 8 ? GS_ROWS_UNEVEN : GS_ROWS_EVEN;
}
