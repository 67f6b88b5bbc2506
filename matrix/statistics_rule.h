/* statistics_rule.h: what a row of a matrix adds to its statistics, for the CPU and the GPU. Both
 * add the entries of a row in their order and without fused multiply-adds, so that they find the
 * same bits. SMALL: the qualifiers of a function on this device. */
#ifndef GS_MATRIX_STATISTICS_RULE_H
#define GS_MATRIX_STATISTICS_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define GS_LARGEST_BLOCK 8 /* unknowns per node */

/* min(1, |a_ii| / off_i) is summed in this unit, as an integer: the sum does not depend on the
 * order of the rows, and 2^36 rows fit. */
#define GS_SHARE_UNIT (1.0 / (1 << 28))

typedef struct gs_row_values {
    double sum, diagonal, others; /* others: the magnitudes off the diagonal */
    double most, least;           /* the largest magnitude; the smallest that is not 0 */
} gs_row_values;

SMALL gs_row_values gs_row_values_of_none(void)
{
    gs_row_values r = {0, 0, 0, 0, INFINITY};

    return r;
}

SMALL void gs_row_values_add(gs_row_values *r, double v, bool diagonal)
{
    const double size = fabs(v);

    r->sum += v;
    r->others += diagonal ? 0 : size;
    r->diagonal = diagonal ? v : r->diagonal;
    r->most = size > r->most ? size : r->most;
    r->least = size > 0 && size < r->least ? size : r->least;
}

/* Below this share of the largest magnitude of its row an entry off the diagonal is the rounding
 * error of a sum that is 0, so its sign means nothing. */
SMALL double gs_sign_tolerance(bool single)
{
    return single ? 1e-6 : 1e-12;
}

/* What follows from the values of a row. */
typedef struct gs_row_facts {
    int bucket; /* of its length in the histogram */
    bool zero_sum, zero_diagonal, negative_diagonal, dominant;
    bool fixed;       /* its only nonzero entry is on the diagonal */
    double diagonal;  /* its magnitude; 0: it is 0, or the row has no diagonal */
    double dominance; /* |a_ii| / off_i; infinite if off_i = 0 or the row has no diagonal */
    uint64_t share;   /* min(1, |a_ii| / off_i) in GS_SHARE_UNIT */
} gs_row_facts;

/* has_diagonal: the number of the row is that of a column, too. */
SMALL gs_row_facts gs_row_facts_of(const gs_row_values *r, int64_t length, bool has_diagonal)
{
    const double size = has_diagonal ? fabs(r->diagonal) : 0;
    const double dominance = has_diagonal && r->others > 0 ? size / r->others : INFINITY;
    gs_row_facts f = {0};

    while (f.bucket < 31 && length >> f.bucket) f.bucket++;
    f.zero_sum = length > 1 && fabs(r->sum) <= 1e-12 * (fabs(r->diagonal) + r->others);
    f.zero_diagonal = has_diagonal && size == 0;
    f.negative_diagonal = has_diagonal && r->diagonal < 0;
    f.dominant = size > 0 && size >= r->others * (1 - 1e-14);
    f.fixed = size > 0 && r->others == 0;
    f.diagonal = size;
    f.dominance = dominance;
    if (size > 0) f.share = (uint64_t)((size < r->others ? dominance : 1) / GS_SHARE_UNIT + 0.5);
    return f;
}

/* The hash of row i with `length` entries: gs_hash_begin, gs_hash_column for each column in its
 * order, gs_hash_end. A column changes all bits above its own; the shift brings them down. */
#define GS_HASH_ODD 0x9e3779b97f4a7c15u

SMALL uint64_t gs_hash_begin(int32_t i, int64_t length)
{
    return ((uint64_t)length << 32 ^ (uint32_t)i) * GS_HASH_ODD;
}

SMALL uint64_t gs_hash_column(uint64_t hash, int32_t col)
{
    return (hash ^ (uint32_t)col) * GS_HASH_ODD;
}

SMALL uint64_t gs_hash_end(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 29;
}

/* Whether `length` columns that begin at col[from] consist of runs of b columns that begin at
 * multiples of b. Run number first and every step-th after it are tested. */
SMALL bool gs_has_runs(const int32_t *col, int64_t from, int64_t length, int b, int64_t first,
                       int64_t step)
{
    if (length % b) return false;
    for (int64_t run = first; run * b < length; run += step) {
        const int64_t k = from + run * b;
        if (col[k] % b != 0 || col[k + b - 1] != col[k] + b - 1) return false;
    }
    return true;
}

#endif
