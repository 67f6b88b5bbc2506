/* triangle_rows.h: rows of the solve for one value type T and one type OFFSET of offsets. */

/* Row i, stored at a place, for so many columns. The last four terms are added one by one, since
 * they may wait for rows solved just before; those ahead of them go into four sums. */
static inline __attribute__((always_inline)) void ON(solve_row)(const job *j, const int columns,
                                                                int32_t place, int32_t i)
{
    const OFFSET *start = j->t->rows.start;
    const int32_t *col = j->t->rows.col;
    const T *value = j->t->rows.value, *r = j->r, *d = j->d;
    T *z = j->z, sum[COLUMNS];
    OFFSET k = start[place];
    const OFFSET to = start[place + 1];

    for (int c = 0; c < columns; c++) {
        sum[c] = d ? d[i] * r[c * j->rstride + i] : r[c * j->rstride + i];
    }
    if (to - k >= 8) {
        T part[COLUMNS][4] = {{0}};
        for (; k + 8 <= to; k += 4) {
            for (int c = 0; c < columns; c++) {
                const T *zc = z + c * j->zstride;
                part[c][0] += value[k] * zc[col[k]];
                part[c][1] += value[k + 1] * zc[col[k + 1]];
                part[c][2] += value[k + 2] * zc[col[k + 2]];
                part[c][3] += value[k + 3] * zc[col[k + 3]];
            }
        }
        for (int c = 0; c < columns; c++) {
            sum[c] -= (part[c][0] + part[c][1]) + (part[c][2] + part[c][3]);
        }
    }
    for (; k < to; k++) {
        for (int c = 0; c < columns; c++) sum[c] -= value[k] * z[c * j->zstride + col[k]];
    }
    for (int c = 0; c < columns; c++) z[c * j->zstride + i] = sum[c];
}

static inline __attribute__((always_inline)) void ON(range)(const job *j, const int columns,
                                                            int32_t from, int32_t to)
{
    const int32_t *row = j->t->schedule.row, last = j->t->rows.nrows - 1;

    if (row) {
        for (int32_t p = from; p < to; p++) ON(solve_row)(j, columns, p, row[p]);
    } else if (j->t->upper) {
        for (int32_t p = from; p < to; p++) ON(solve_row)(j, columns, p, last - p);
    } else {
        for (int32_t p = from; p < to; p++) ON(solve_row)(j, columns, p, p);
    }
}

static void ON(one)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, 1, from, to);
}

static void ON(several)(const job *j, int32_t from, int32_t to)
{
    ON(range)(j, COLUMNS, from, to);
}
