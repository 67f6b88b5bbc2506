/* statistics.c: the statistics of a matrix, for the command info and the automatic choices. One
 * pass over clean rows finds them all. On the host the rows are in blocks, in parallel; the results
 * of the blocks are added in order. All sums over rows are of integers, so that a GPU finds the
 * same bits in another order. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "matrix/statistics.h"
#include "matrix/symmetry.h"
#include "vector/blocks.h"

#define SMALL static inline
#include "matrix/statistics_rule.h"

typedef gs_row_findings findings;

#define GS_BODY "matrix/statistics_body.h"
#include "core/each_type.h"

/* --- the pattern of a row --------------------------------------------------------------------- */

/* The hash of row i; the hash of a pattern is the sum over its rows, so their order of computation
 * does not matter. */
static uint64_t hash_row(const gsolve_csr *A, int32_t i)
{
    const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
    uint64_t hash = gs_hash_begin(i, to - from);

    for (int64_t k = from; k < to; k++) hash = gs_hash_column(hash, A->col[k]);
    return gs_hash_end(hash);
}

static uint64_t hash_sizes(const gsolve_csr *A)
{
    return (uint64_t)(uint32_t)A->nrows << 32 | (uint32_t)A->ncols;
}

uint64_t gs_csr_pattern_hash(const gsolve_context *ctx, const gsolve_csr *A)
{
    const int threads = gs_threads_for(gs_start(A, A->nrows), gsolve_threads(ctx));
    uint64_t hash = hash_sizes(A);

    gs_range_push(ctx, "inspection of the pattern");
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads) reduction(+ : hash)
    for (int32_t i = 0; i < A->nrows; i++) hash += hash_row(A, i);
    gs_range_pop(ctx);
    return hash;
}

unsigned gs_possible_block_sizes(const gsolve_csr *A, int64_t entries)
{
    unsigned sizes = 0;

    if (A->nrows != A->ncols || entries <= A->nrows) return 0;
    for (int b = 2; b <= GS_LARGEST_BLOCK && b < A->nrows; b++) {
        sizes |= A->nrows % b == 0 ? 1u << b : 0;
    }
    return sizes;
}

static bool equals_row_before(const gsolve_csr *A, int32_t i)
{
    const int64_t a = gs_start(A, i - 1), b = gs_start(A, i), length = b - a;

    return gs_start(A, i + 1) - b == length &&
           memcmp(A->col + a, A->col + b, (size_t)length * sizeof *A->col) == 0;
}

/* Those sizes of blocks that row i and the rows before it still allow: the rows of a block are
 * equal, and the first has runs. */
static unsigned sizes_with_row(const gsolve_csr *A, int32_t i, unsigned sizes)
{
    const int64_t from = gs_start(A, i), length = gs_start(A, i + 1) - from;
    const bool equal = sizes && i > 0 && equals_row_before(A, i);

    for (int b = 2; sizes >> b; b++) {
        if (sizes >> b & 1 && !(i % b ? equal : gs_has_runs(A->col, from, length, b, 0, 1))) {
            sizes &= ~(1u << b);
        }
    }
    return sizes;
}

static int32_t largest_size(unsigned sizes)
{
    int32_t b = 1;

    while (sizes >> (b + 1)) b++;
    return b;
}

int32_t gs_csr_block_size(gsolve_context *ctx, const gsolve_csr *A)
{
    const unsigned possible = gs_possible_block_sizes(A, gs_start(A, A->nrows));
    unsigned left = possible;

    gs_range_push(ctx, "inspection of the blocks");
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(& : left)
    for (int32_t i = 0; i < A->nrows; i++) left = sizes_with_row(A, i, left & possible);
    gs_range_pop(ctx);
    return largest_size(left & possible);
}

/* --- the values of a row ---------------------------------------------------------------------- */

static void add_bandwidth(gsolve_statistics *t, int64_t distance)
{
    if (distance > t->bandwidth) t->bandwidth = (int32_t)distance;
}

static void add_values(findings *f, const gs_row_values *r, int64_t length)
{
    gsolve_statistics *t = &f->t;

    t->least = fmin(t->least, r->least);
    t->largest = fmax(t->largest, r->most);
    if (length < t->shortest_row) t->shortest_row = (int32_t)length;
    if (length > t->longest_row) t->longest_row = (int32_t)length;
    if (r->most > 0) {
        f->row_least = fmin(f->row_least, r->most);
        f->row_most = fmax(f->row_most, r->most);
    }
    f->squares += (uint64_t)length * (uint64_t)length;
}

static void add_facts(findings *f, const gs_row_facts *r, int32_t i)
{
    gsolve_statistics *t = &f->t;

    t->length[r->bucket]++;
    if (r->bucket == 0 && t->empty_rows++ == 0) t->first_empty_row = i;
    if (r->zero_diagonal && t->zero_diagonals++ == 0) t->first_zero_diagonal = i;
    t->zero_sum_rows += r->zero_sum;
    t->negative_diagonals += r->negative_diagonal;
    t->dominant_rows += r->dominant;
    t->dominance = fmin(t->dominance, r->dominance);
    f->fixed += r->fixed;
    f->shares += r->share;
    if (r->diagonal > 0) {
        f->diagonal_least = fmin(f->diagonal_least, r->diagonal);
        f->diagonal_most = fmax(f->diagonal_most, r->diagonal);
    }
}

void gs_row_findings_add_row(findings *f, const gsolve_csr *A, int32_t row, int32_t i,
                             int32_t diagonal)
{
    const int64_t from = gs_start(A, row), to = gs_start(A, row + 1);
    const gs_row_values r = A->type == GSOLVE_F32
                                ? sum_row_f32(A, from, to, diagonal, &f->t.positive_off)
                                : sum_row_f64(A, from, to, diagonal, &f->t.positive_off);
    const gs_row_facts facts = gs_row_facts_of(&r, to - from, diagonal != INT32_MAX);

    add_values(f, &r, to - from);
    add_facts(f, &facts, i);
}

static void add_row(const gsolve_csr *A, int32_t i, findings *f)
{
    const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);

    gs_row_findings_add_row(f, A, i, i, i < A->ncols ? i : INT32_MAX);
    if (to > from) add_bandwidth(&f->t, (int64_t)i - A->col[from]);
    if (to > from) add_bandwidth(&f->t, (int64_t)A->col[to - 1] - i);
}

/* --- all rows --------------------------------------------------------------------------------- */

findings gs_row_findings_of_none(void)
{
    return (findings){
        .t = {.first_empty_row = -1,
              .first_zero_diagonal = -1,
              .shortest_row = INT32_MAX,
              .dominance = INFINITY,
              .least = INFINITY},
        .diagonal_least = INFINITY,
        .row_least = INFINITY,
    };
}

static findings nothing(const gsolve_csr *A)
{
    findings f = gs_row_findings_of_none();

    f.symmetry = gs_symmetry_of_none(A);
    f.sizes = gs_possible_block_sizes(A, gs_start(A, A->nrows));
    return f;
}

/* a + b, at most 2^31 - 1: the ranks of a distributed matrix can have more rows. */
static int32_t sum_of(int32_t a, int32_t b)
{
    return a <= INT32_MAX - b ? a + b : INT32_MAX;
}

void gs_row_findings_add(findings *to, const findings *f)
{
    gsolve_statistics *a = &to->t;
    const gsolve_statistics *b = &f->t;

    if (a->first_empty_row < 0) a->first_empty_row = b->first_empty_row;
    if (a->first_zero_diagonal < 0) a->first_zero_diagonal = b->first_zero_diagonal;
    a->empty_rows = sum_of(a->empty_rows, b->empty_rows);
    a->zero_diagonals = sum_of(a->zero_diagonals, b->zero_diagonals);
    a->negative_diagonals = sum_of(a->negative_diagonals, b->negative_diagonals);
    a->dominant_rows = sum_of(a->dominant_rows, b->dominant_rows);
    a->zero_sum_rows = sum_of(a->zero_sum_rows, b->zero_sum_rows);
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
    to->shares += f->shares;
    to->pattern += f->pattern;
    to->sizes &= f->sizes;
    to->fixed += f->fixed;
    gs_symmetry_add(&to->symmetry, &f->symmetry);
}

/* Inspects rows [from, to). *paired: whether an asymmetry has not been found so far, by any thread;
 * else the symmetry is not examined any more. */
static findings inspect_block(const gsolve_csr *A, int32_t from, int32_t to, int *paired)
{
    findings f = nothing(A);

    for (int32_t i = from; i < to; i++) {
        f.pattern += hash_row(A, i);
        f.sizes = sizes_with_row(A, i, f.sizes);
        add_row(A, i, &f);
    }
    f.symmetry.paired &= __atomic_load_n(paired, __ATOMIC_RELAXED);
    gs_symmetry_add_rows(&f.symmetry, A, from, to);
    if (!f.symmetry.paired) __atomic_store_n(paired, 0, __ATOMIC_RELAXED);
    return f;
}

static gsolve_status inspect_rows(findings *found, gsolve_context *ctx, const gsolve_csr *A,
                                  int64_t entries)
{
    const gs_blocks blocks = gs_blocks_of(A->nrows);
    const int threads = gs_threads_for(entries, gsolve_threads(ctx));
    findings all = nothing(A);
    int paired = 1;

    gs_range_push(ctx, "inspection: statistics");
#pragma omp parallel for schedule(dynamic, 1) ordered num_threads(threads)
    for (int k = 0; k < blocks.count; k++) {
        const findings f = inspect_block(A, (int32_t)gs_block_begin(&blocks, k),
                                         (int32_t)gs_block_end(&blocks, k), &paired);
#pragma omp ordered
        gs_row_findings_add(&all, &f);
    }
    gs_range_pop(ctx);
    *found = all;
    return GSOLVE_OK;
}

/* gs_csr_pattern_hash, as a kernel. */
static gsolve_status hash_rows(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *A)
{
    *hash = gs_csr_pattern_hash(ctx, A) - hash_sizes(A);
    return GSOLVE_OK;
}

const gs_statistics_kernels gs_statistics_host[GSOLVE_TYPE_COUNT] = {
    {inspect_rows, hash_rows, gs_count_empty_columns, gs_symmetry_of_rest},
    {inspect_rows, hash_rows, gs_count_empty_columns, gs_symmetry_of_rest}};

static const gs_statistics_kernels *kernels_for(const gsolve_context *ctx, const gsolve_csr *csr)
{
    return csr->location == GSOLVE_HOST ? &gs_statistics_host[csr->type]
                                        : GS_SCALAR_KERNELS(gs_statistics, ctx, csr->type);
}

gsolve_status gs_csr_find_pattern(uint64_t *pattern, gsolve_context *ctx, const gsolve_csr *csr)
{
    const gsolve_status status = kernels_for(ctx, csr)->pattern(pattern, ctx, csr);

    if (status == GSOLVE_OK) *pattern += hash_sizes(csr);
    return status;
}

/* --- the statistics --------------------------------------------------------------------------- */

static int32_t at_most(double number)
{
    return number < INT32_MAX ? (int32_t)number : INT32_MAX;
}

gsolve_statistics gs_statistics_of(const findings *f, int64_t nrows, int64_t ncols, int64_t entries)
{
    const double n = (double)nrows;
    gsolve_statistics t = f->t;

    t.size = sizeof t;
    t.nrows = at_most(n);
    t.ncols = at_most((double)ncols);
    t.entries = entries;
    t.block = largest_size(f->sizes);
    if (n == 0) t.shortest_row = 0;
    t.mean_row = n > 0 ? (double)t.entries / n : 0;
    t.deviation_row = n > 0 ? sqrt(fmax(0, (double)f->squares / n - t.mean_row * t.mean_row)) : 0;
    t.mean_dominance = n > 0 ? GS_SHARE_UNIT * (double)f->shares / n : 0;
    t.spread = f->diagonal_most > 0 ? f->diagonal_most / f->diagonal_least : 0;
    t.scaling = f->row_most > 0 ? f->row_most / f->row_least : 0;
    if (t.least > t.largest) t.least = t.largest;
    return t;
}

gsolve_status gs_csr_need_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                     gs_statistics *statistics)
{
    const gs_statistics_kernels *kernels = kernels_for(ctx, csr);
    gsolve_statistics *t = &statistics->t;
    findings f;
    int64_t entries;
    gsolve_status status = GSOLVE_OK;

    if (statistics->known) return GSOLVE_OK;
    TRY(gs_csr_entries(ctx, csr, &entries));
    TRY(kernels->rows(&f, ctx, csr, entries));
    *t = gs_statistics_of(&f, csr->nrows, csr->ncols, entries);
    gs_symmetry_set(&f.symmetry, t);
    t->empty_cols = t->empty_rows;
    if (!t->symmetric_pattern) TRY(kernels->empty_columns(&t->empty_cols, ctx, csr, entries));
    if (!t->symmetric && csr->nrows == csr->ncols && f.fixed > 0) {
        TRY(kernels->symmetric_rest(&t->symmetric_rest, ctx, csr));
    }
    statistics->pattern = f.pattern + hash_sizes(csr);
    statistics->known = true;
done:
    return status;
}

gsolve_status gsolve_csr_inspect(gsolve_context *ctx, const gsolve_csr *csr,
                                 gsolve_inspection *inspection)
{
    gs_statistics all = {.known = false};
    gsolve_inspection own = {0};
    gs_csr_findings found;
    gsolve_csr fetched = {0}, sorted = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    TRY(GS_CHECK_INFO(ctx, gsolve_inspection, inspection));
    TRY(gs_csr_inspect(ctx, csr, &found, &own.clean));
    if (!found.ascending) {
        TRY(gs_csr_to_host(&csr, ctx, &fetched));
        TRY(gs_csr_clean(&sorted, ctx, csr, false, NULL));
    }
    TRY(gs_csr_need_statistics(ctx, found.ascending ? csr : &sorted, &all));
    own.pattern = own.clean ? all.pattern : 0;
    own.statistics = all.t;
    GS_FILL_INFO(gsolve_inspection, inspection, &own);
done:
    gsolve_csr_free(&sorted, ctx);
    gsolve_csr_free(&fetched, ctx);
    return status;
}

gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_statistics *statistics)
{
    gsolve_inspection found = GSOLVE_INIT(gsolve_inspection);
    gsolve_status status;

    TRY(GS_CHECK_INFO(ctx, gsolve_statistics, statistics));
    TRY(gsolve_csr_inspect(ctx, csr, &found));
    GS_FILL_INFO(gsolve_statistics, statistics, &found.statistics);
done:
    return status;
}
