/* truncate_host.c: truncates rows of P on the CPU. */
#include "precond/amg/coarsening/classical/truncate.h"

#include <math.h>

#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"

#define SMALL static inline
#include "precond/amg/coarsening/classical/classical_rules.h"

static void swap(int32_t *column, double *weight, int32_t a, int32_t b)
{
    const int32_t c = column[a];
    const double v = weight[a];

    column[a] = column[b], weight[a] = weight[b];
    column[b] = c, weight[b] = v;
}

/* Shell sort; most rows are short. */
static void sort_by_columns(int32_t n, int32_t *column, double *weight)
{
    int32_t gap = 1;

    while (gap < n / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t e = gap; e < n; e++) {
            for (int32_t m = e; m >= gap && column[m - gap] > column[m]; m -= gap) {
                swap(column, weight, m, m - gap);
            }
        }
    }
}

/* Whether entry a is kept before entry b. */
static bool is_before(const int32_t *column, const double *weight, int32_t a, int32_t b)
{
    const double x = fabs(weight[a]), y = fabs(weight[b]);

    return x > y || (x == y && column[a] < column[b]);
}

/* Moves the `most` entries that are kept to the front. */
static void select_first(int32_t n, int32_t *column, double *weight, int32_t most)
{
    for (int32_t e = 1; e < n; e++) {
        int32_t at = e;
        if (e >= most) {
            if (!is_before(column, weight, e, most - 1)) continue;
            swap(column, weight, e, most - 1);
            at = most - 1;
        }
        for (; at > 0 && is_before(column, weight, at, at - 1); at--) {
            swap(column, weight, at, at - 1);
        }
    }
}

int32_t gs_truncate_row(int32_t n, int32_t *column, double *weight, int most, double truncate)
{
    double all = 0, kept = 0, largest = 0, scale;
    int32_t left = 0;

    for (int32_t e = 0; e < n; e++) {
        all += weight[e];
        largest = fmax(largest, fabs(weight[e]));
    }
    for (int32_t e = 0; e < n; e++) {
        if (fabs(weight[e]) >= truncate * largest) swap(column, weight, e, left++);
    }
    if (most > 0 && left > most) {
        select_first(left, column, weight, most);
        left = most;
    }
    sort_by_columns(left, column, weight);
    if (left == n) return n;
    for (int32_t e = 0; e < left; e++) kept += weight[e];
    scale = gs_sum_preserving_scale(all, kept);
    for (int32_t e = 0; e < left; e++) weight[e] *= scale;
    return left;
}

#define GS_BODY "precond/amg/coarsening/classical/truncate_body.h"
#include "core/each_type.h"

const gs_classical_truncate_kernels gs_classical_truncate_host[GSOLVE_TYPE_COUNT] = {
    {truncate_rows_f32, update_f32}, {truncate_rows_f64, update_f64}};
