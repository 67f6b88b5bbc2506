/* triangular_solve_body.h: the solve on the CPU for one value type. The compiler sees wide and
 * columns as constants. */

/* Solves row i, which is stored at position place. The last terms are added one by one, because
 * they can depend on rows solved just before. The terms before them go into four independent
 * sums. */
static inline __attribute__((always_inline)) void FN(solve_row)(const job *j, const bool wide,
                                                                int32_t place, int32_t i)
{
    const int32_t *col = j->t->rows.col;
    const T *value = j->t->rows.value, *r = j->r, *d = j->d;
    int64_t k = offset_at(j->t, wide, place);
    const int64_t to = offset_at(j->t, wide, place + 1);
    T *z = j->z, sum = d ? d[i] * r[i] : r[i];

    if (to - k >= 8) {
        T part[4] = {0};
        for (; k + 8 <= to; k += 4) {
            part[0] += value[k] * z[col[k]];
            part[1] += value[k + 1] * z[col[k + 1]];
            part[2] += value[k + 2] * z[col[k + 2]];
            part[3] += value[k + 3] * z[col[k + 3]];
        }
        sum -= (part[0] + part[1]) + (part[2] + part[3]);
    }
    for (; k < to; k++) sum -= value[k] * z[col[k]];
    z[i] = sum;
}

/* Solves row i for several columns, row-major, with two independent sums of the first terms. */
static inline __attribute__((always_inline)) void FN(solve_row_columns)(const job *j,
                                                                        const int columns,
                                                                        const bool wide,
                                                                        int32_t place, int32_t i)
{
    const int32_t *col = j->t->rows.col;
    const T *value = j->t->rows.value, *r = (const T *)j->r + (int64_t)i * columns;
    const T scale = j->d ? ((const T *)j->d)[i] : 1;
    int64_t k = offset_at(j->t, wide, place);
    const int64_t to = offset_at(j->t, wide, place + 1);
    T *z = j->z, sum[GS_TRIANGLE_COLUMNS], even[GS_TRIANGLE_COLUMNS] = {0},
      odd[GS_TRIANGLE_COLUMNS] = {0};

    for (; k + 6 <= to; k += 2) {
        const T *a = z + (int64_t)col[k] * columns, *b = z + (int64_t)col[k + 1] * columns;
        for (int c = 0; c < columns; c++) {
            even[c] += value[k] * a[c];
            odd[c] += value[k + 1] * b[c];
        }
    }
    for (int c = 0; c < columns; c++) sum[c] = scale * r[c] - (even[c] + odd[c]);
    for (; k < to; k++) {
        const T *a = z + (int64_t)col[k] * columns;
        for (int c = 0; c < columns; c++) sum[c] -= value[k] * a[c];
    }
    for (int c = 0; c < columns; c++) z[(int64_t)i * columns + c] = sum[c];
}

static inline __attribute__((always_inline)) void FN(place)(const job *j, const int columns,
                                                            const bool wide, int32_t place,
                                                            int32_t i)
{
    if (columns == 1) {
        FN(solve_row)(j, wide, place, i);
    } else {
        FN(solve_row_columns)(j, columns, wide, place, i);
    }
}

static inline __attribute__((always_inline)) void FN(range)(const job *j, const int columns,
                                                            const bool wide, int32_t from,
                                                            int32_t to)
{
    const int32_t *row = j->t->schedule.row, last = j->t->rows.nrows - 1;

    if (row) {
        for (int32_t p = from; p < to; p++) FN(place)(j, columns, wide, p, row[p]);
    } else if (j->t->upper) {
        for (int32_t p = from; p < to; p++) FN(place)(j, columns, wide, p, last - p);
    } else {
        for (int32_t p = from; p < to; p++) FN(place)(j, columns, wide, p, p);
    }
}

static inline __attribute__((always_inline)) void FN(columns)(const job *j, const bool wide,
                                                              int32_t from, int32_t to)
{
    switch (j->columns) {
    case 1: FN(range)(j, 1, wide, from, to); break;
    case 2: FN(range)(j, 2, wide, from, to); break;
    case 4: FN(range)(j, 4, wide, from, to); break;
    default: FN(range)(j, 8, wide, from, to); break;
    }
}

static void FN(rows)(void *data, int worker, int32_t from, int32_t to)
{
    const job *j = data;

    (void)worker;
    if (j->t->rows.offset == GSOLVE_O64) {
        FN(columns)(j, true, from, to);
    } else {
        FN(columns)(j, false, from, to);
    }
}

static gsolve_status FN(solve)(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                               int32_t stride, const void *r, void *z)
{
    job j = {t, d, r, z, stride};

    (void)q, (void)columns; /* the schedule has the threads; columns = stride: nothing is padded */
    gs_schedule_run(&t->schedule, t->schedule.threads, t->rows.nrows, FN(rows), &j);
    return GSOLVE_OK;
}
