/* triangular_solve_rows.h: rows of the solve for one value type T and one offset type. */

/* Solves row i, which is stored at position place. The last terms are added one by one, because
 * they can depend on rows solved just before. The terms before them go into four independent
 * sums. */
static inline __attribute__((always_inline)) void ON(solve_row)(const job *j, int32_t place,
                                                                int32_t i)
{
    const OFFSET *start = j->t->rows.start;
    const int32_t *col = j->t->rows.col;
    const T *value = j->t->rows.value, *r = j->r, *d = j->d;
    OFFSET k = start[place];
    const OFFSET to = start[place + 1];
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
static inline __attribute__((always_inline)) void ON(solve_row_columns)(const job *j,
                                                                        const int columns,
                                                                        int32_t place, int32_t i)
{
    const OFFSET *start = j->t->rows.start;
    const int32_t *col = j->t->rows.col;
    const T *value = j->t->rows.value, *r = (const T *)j->r + (int64_t)i * columns;
    const T scale = j->d ? ((const T *)j->d)[i] : 1;
    OFFSET k = start[place];
    const OFFSET to = start[place + 1];
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

/* columns 0: one column, not row-major */
static inline __attribute__((always_inline)) void ON(place)(const job *j, const int columns,
                                                            int32_t place, int32_t i)
{
    if (columns == 0) {
        ON(solve_row)(j, place, i);
    } else {
        ON(solve_row_columns)(j, columns, place, i);
    }
}

static inline __attribute__((always_inline)) void ON(range)(const job *j, const int columns,
                                                            int32_t from, int32_t to)
{
    const int32_t *row = j->t->schedule.row, last = j->t->rows.nrows - 1;

    if (row) {
        for (int32_t p = from; p < to; p++) ON(place)(j, columns, p, row[p]);
    } else if (j->t->upper) {
        for (int32_t p = from; p < to; p++) ON(place)(j, columns, p, last - p);
    } else {
        for (int32_t p = from; p < to; p++) ON(place)(j, columns, p, p);
    }
}

static void ON(one)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, 0, from, to);
}

static void ON(two)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, 2, from, to);
}

static void ON(four)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, 4, from, to);
}

static void ON(eight)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, 8, from, to);
}
