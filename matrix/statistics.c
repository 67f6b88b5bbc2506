/* statistics.c: statistics of a matrix, for the command info and the automatic choices. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "matrix/csr.h"
#include "vector/blocks.h"

/* --- statistics of the rows. Blocks of rows in parallel; their results are added in order -------
 */

typedef struct findings {
    gsolve_statistics t;
    double diagonal_least, diagonal_most, row_least, row_most, squares, dominance;
} findings; /* squares: of row lengths. squares and dominance are sums over the rows. */

/* Counts the positive entries of row i off the diagonal. most is the row's largest magnitude.
 * Entries below 1e-12 most are not counted: they are rounding errors of a sum that is 0, so their
 * signs mean nothing. In single precision such errors are about 1e-7 most. */
static int64_t count_positive_off(const gsolve_csr *A, int32_t i, double most)
{
    const double least = (A->type == GSOLVE_F32 ? 1e-6 : 1e-12) * most;
    int64_t count = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        const double v = gs_value(A, k);
        count += A->col[k] != i && v > 0 && v >= least;
    }
    return count;
}

static void inspect_row(const gsolve_csr *A, int32_t i, findings *f)
{
    const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
    const int64_t length = to - from;
    double diagonal = 0, others = 0, sum = 0, most = 0;
    gsolve_statistics *t = &f->t;
    int bucket = 0;

    for (int64_t k = from; k < to; k++) {
        const double v = gs_value(A, k), size = fabs(v);
        const int32_t reach = A->col[k] > i ? A->col[k] - i : i - A->col[k];
        sum += v;
        if (size > most) most = size;
        if (size > 0 && size < t->least) t->least = size;
        if (reach > t->bandwidth) t->bandwidth = reach;
        if (reach == 0) diagonal = v;
        if (reach != 0) others += size;
    }
    t->positive_off += count_positive_off(A, i, most);
    while (bucket < 31 && length >> bucket) bucket++;
    t->length[bucket]++;
    if (length == 0 && t->empty_rows++ == 0) t->first_empty_row = i;
    if (length < t->shortest_row) t->shortest_row = (int32_t)length;
    if (length > t->longest_row) t->longest_row = (int32_t)length;
    if (most > t->largest) t->largest = most;
    if (most > 0) f->row_least = fmin(f->row_least, most), f->row_most = fmax(f->row_most, most);
    f->squares += (double)length * (double)length;
    if (length > 1 && fabs(sum) <= 1e-12 * (fabs(diagonal) + others)) t->zero_sum_rows++;
    if (i >= A->ncols) return;

    const double size = fabs(diagonal);
    if (size == 0 && t->zero_diagonals++ == 0) t->first_zero_diagonal = i;
    t->negative_diagonals += diagonal < 0;
    t->dominant_rows += size >= others * (1 - 1e-14) && size > 0;
    if (others > 0) t->dominance = fmin(t->dominance, size / others);
    if (size > 0) f->dominance += size < others ? size / others : 1;
    if (size > 0) {
        f->diagonal_least = fmin(f->diagonal_least, size);
        f->diagonal_most = fmax(f->diagonal_most, size);
    }
}

static const findings nothing = {
    .t = {.first_empty_row = -1,
          .first_zero_diagonal = -1,
          .shortest_row = INT32_MAX,
          .dominance = INFINITY,
          .least = INFINITY},
    .diagonal_least = INFINITY,
    .row_least = INFINITY,
};

static void add_findings(findings *to, const findings *f)
{
    gsolve_statistics *a = &to->t;
    const gsolve_statistics *b = &f->t;

    if (a->first_empty_row < 0) a->first_empty_row = b->first_empty_row;
    if (a->first_zero_diagonal < 0) a->first_zero_diagonal = b->first_zero_diagonal;
    a->empty_rows += b->empty_rows;
    a->zero_diagonals += b->zero_diagonals;
    a->negative_diagonals += b->negative_diagonals;
    a->dominant_rows += b->dominant_rows;
    a->zero_sum_rows += b->zero_sum_rows;
    a->positive_off += b->positive_off;
    for (int k = 0; k < 32; k++) a->length[k] += b->length[k];
    if (b->shortest_row < a->shortest_row) a->shortest_row = b->shortest_row;
    if (b->longest_row > a->longest_row) a->longest_row = b->longest_row;
    if (b->bandwidth > a->bandwidth) a->bandwidth = b->bandwidth;
    a->dominance = fmin(a->dominance, b->dominance);
    a->least = fmin(a->least, b->least);
    a->largest = fmax(a->largest, b->largest);
    to->diagonal_least = fmin(to->diagonal_least, f->diagonal_least);
    to->diagonal_most = fmax(to->diagonal_most, f->diagonal_most);
    to->row_least = fmin(to->row_least, f->row_least);
    to->row_most = fmax(to->row_most, f->row_most);
    to->squares += f->squares;
    to->dominance += f->dominance;
}

static gsolve_status inspect_rows(gsolve_context *ctx, const gsolve_csr *A, findings *all)
{
    const gs_blocks blocks = gs_blocks_of(A->nrows);
    findings *part = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)blocks.count, sizeof *part);

    if (!part) return GSOLVE_NO_MEMORY;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int k = 0; k < blocks.count; k++) {
        findings f = nothing;
        for (int64_t i = gs_block_begin(&blocks, k); i < gs_block_end(&blocks, k); i++) {
            inspect_row(A, (int32_t)i, &f);
        }
        part[k] = f;
    }
    for (int k = 0; k < blocks.count; k++) add_findings(all, &part[k]);
    gsolve_free(ctx, GSOLVE_HOST, part);
    return GSOLVE_OK;
}

/* --- symmetry --------------------------------------------------------------------------------- */

static double diagonal_of(const gsolve_csr *A, int32_t i)
{
    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1) && A->col[k] <= i; k++) {
        if (A->col[k] == i) return gs_value(A, k);
    }
    return 0;
}

/* Tests symmetry in one pass. For each entry (i, j) above the diagonal, the entry (j, i) must be
 * the next entry of row j, because the rows i ascend. next[j] is the first entry of row j without a
 * partner so far. */
static gsolve_status inspect_symmetry(gsolve_context *ctx, const gsolve_csr *A,
                                      gsolve_statistics *t)
{
    const int32_t n = A->nrows;
    const double tolerance = A->type == GSOLVE_F32 ? 1e-6 : 1e-12;
    int64_t *next = NULL;
    double *root = NULL; /* of |a_ii| */
    bool pattern = true, same = true, opposite = true;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, next, n);
    ALLOC(ctx, GSOLVE_HOST, root, n);
    for (int32_t i = 0; i < n; i++) next[i] = gs_start(A, i);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) root[i] = sqrt(fabs(diagonal_of(A, i)));
    for (int32_t i = 0; i < n && pattern; i++) {
        const int64_t end = gs_start(A, i + 1);
        int64_t k = next[i];
        if (k < end && A->col[k] < i) pattern = false; /* below the diagonal, without a partner */
        if (k < end && A->col[k] == i) opposite = opposite && gs_value(A, k++) == 0;
        for (; k < end && pattern; k++) {
            const int32_t j = A->col[k];
            const int64_t mirror = next[j]++;
            if (mirror >= gs_start(A, j + 1) || A->col[mirror] != i) {
                pattern = false;
                break;
            }
            const double a = gs_value(A, k), b = gs_value(A, mirror);
            const double rounding = tolerance * (fmax(fabs(a), fabs(b)) + 1e-2 * root[i] * root[j]);
            same = same && fabs(a - b) <= rounding;
            opposite = opposite && fabs(a + b) <= rounding;
        }
    }
    t->symmetric_pattern = pattern;
    t->symmetric = pattern && same;
    t->skew = pattern && opposite && t->entries > 0;
done:
    gsolve_free(ctx, GSOLVE_HOST, root);
    gsolve_free(ctx, GSOLVE_HOST, next);
    return status;
}

/* --- unknowns per node: the largest b such that the pattern consists of dense b x b blocks -------
 */

static bool have_equal_patterns(const gsolve_csr *A, int32_t i, int32_t j)
{
    const int64_t a = gs_start(A, i), b = gs_start(A, j), length = gs_start(A, i + 1) - a;
    return gs_start(A, j + 1) - b == length &&
           memcmp(A->col + a, A->col + b, (size_t)length * sizeof *A->col) == 0;
}

static bool is_blocked(gsolve_context *ctx, const gsolve_csr *A, int32_t size)
{
    int broken = 0;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(| : broken)
    for (int32_t node = 0; node < A->nrows / size; node++) {
        const int32_t i = node * size;
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        if (broken) continue;
        for (int32_t r = 1; r < size; r++) broken |= !have_equal_patterns(A, i, i + r);
        if ((to - from) % size) broken |= 1;
        for (int64_t k = from; k + size <= to && !broken; k += size) {
            broken |= A->col[k] % size != 0 || A->col[k + size - 1] != A->col[k] + size - 1;
        }
    }
    return !broken;
}

int32_t gs_csr_block_size(gsolve_context *ctx, const gsolve_csr *A)
{
    if (A->nrows != A->ncols || A->nrows == 0) return 1;
    for (int32_t size = 8; size > 1; size--) {
        if (A->nrows % size == 0 && A->nrows > size && gs_start(A, A->nrows) > A->nrows &&
            is_blocked(ctx, A, size)) {
            return size;
        }
    }
    return 1;
}

static gsolve_status count_empty_columns(gsolve_context *ctx, const gsolve_csr *A, int32_t *empty)
{
    const int64_t entries = gs_start(A, A->nrows);
    char *used = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->ncols, 1);

    if (!used) return GSOLVE_NO_MEMORY;
    memset(used, 0, (size_t)A->ncols);
    for (int64_t k = 0; k < entries; k++) used[A->col[k]] = 1;
    *empty = 0;
    for (int32_t j = 0; j < A->ncols; j++) *empty += !used[j];
    gsolve_free(ctx, GSOLVE_HOST, used);
    return GSOLVE_OK;
}

gsolve_status gs_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                gsolve_statistics *statistics)
{
    findings f = nothing;
    gsolve_statistics *t = &f.t;
    gsolve_status status = GSOLVE_OK;

    t->nrows = csr->nrows;
    t->ncols = csr->ncols;
    t->entries = gs_start(csr, csr->nrows);
    TRY(inspect_rows(ctx, csr, &f));
    if (csr->nrows == csr->ncols) TRY(inspect_symmetry(ctx, csr, t));
    if (t->symmetric_pattern) {
        t->empty_cols = t->empty_rows;
    } else {
        TRY(count_empty_columns(ctx, csr, &t->empty_cols));
    }
    t->block = gs_csr_block_size(ctx, csr);
    if (csr->nrows == 0) t->shortest_row = 0;
    t->mean_row = csr->nrows ? (double)t->entries / csr->nrows : 0;
    t->deviation_row =
        csr->nrows ? sqrt(fmax(0, f.squares / csr->nrows - t->mean_row * t->mean_row)) : 0;
    t->mean_dominance = csr->nrows ? f.dominance / csr->nrows : 0;
    t->spread = f.diagonal_most > 0 ? f.diagonal_most / f.diagonal_least : 0;
    t->scaling = f.row_most > 0 ? f.row_most / f.row_least : 0;
    if (t->least > t->largest) t->least = t->largest;
    *statistics = *t;
done:
    return status;
}

gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_statistics *statistics)
{
    gsolve_csr sorted = {0};
    bool clean;
    gsolve_status status;

    TRY(gs_csr_check_host(ctx, csr, &clean));
    if (!clean) TRY(gs_csr_clean(&sorted, ctx, csr, NULL));
    TRY(gs_csr_statistics(ctx, clean ? csr : &sorted, statistics));
done:
    gsolve_csr_free(&sorted, ctx);
    return status;
}
