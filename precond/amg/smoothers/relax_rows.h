/* relax_rows.h: a block of rows of relax_body.h, for one offset type. */

static void ON(rows)(const FN(relaxed) * v, int32_t at, int32_t end)
{
    const OFFSET *start = v->A->start;
    const int32_t *col = v->A->col;
    const T *value = v->A->value, *restrict b = v->b, *restrict x = v->x, *restrict d = v->d;
    const T *old = v->old, a = v->a, c = v->c;
    T *y = v->y;

    for (int32_t i = at; i < end; i++) {
        const OFFSET k = start[i];
        const T r = b[i] - FN(any_row_sum)(start[i + 1] - k, value + k, col + k, x);
        if (!d) {
            y[i] = r;
        } else if (c == 0) {
            y[i] = x[i] + a * d[i] * r;
        } else {
            y[i] = x[i] + a * d[i] * r + c * (x[i] - (old ? old[i] : 0));
        }
    }
}

#define OF_OFFSET(name) GS_PASTE(ON(name), COLUMNS)
#define GS_COLUMNS_BODY "precond/amg/smoothers/relax_columns.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
#undef OF_OFFSET

/* A block of rows for several columns: eight at a time, then the rest. */
static void ON(rows_of_columns)(const FN(relaxed) * v, int32_t at, int32_t end)
{
    int32_t j = 0;

    for (; j + 8 <= v->columns; j += 8) GS_PASTE(ON(row_block), 8)(v, at, end, j);
    if (v->columns & 4) GS_PASTE(ON(row_block), 4)(v, at, end, j), j += 4;
    if (v->columns & 2) GS_PASTE(ON(row_block), 2)(v, at, end, j), j += 2;
    if (v->columns & 1) GS_PASTE(ON(row_block), 1)(v, at, end, j);
}
