/* statistics_body.h: the values of a row, for one value type. statistics.c includes it. */

/* The positive entries off the diagonal are counted unless they are below tolerance times the
 * row's largest magnitude: such entries are rounding errors of a sum that is 0, so their signs mean
 * nothing. */
static row_values FN(sum_row)(const int32_t *col, const T *value, int64_t from, int64_t to,
                              int32_t i, double least)
{
    const double tolerance = sizeof(T) == sizeof(float) ? 1e-6 : 1e-12;
    row_values r = {.least = least};
    double bound;

    for (int64_t k = from; k < to; k++) {
        const double v = (double)value[k], size = fabs(v);
        r.sum += v;
        r.others += col[k] != i ? size : 0;
        r.diagonal = col[k] == i ? v : r.diagonal;
        r.most = size > r.most ? size : r.most;
        r.least = size > 0 && size < r.least ? size : r.least;
    }
    bound = tolerance * r.most;
    for (int64_t k = from; k < to; k++) {
        const double v = (double)value[k];
        r.positive += col[k] != i && v > 0 && v >= bound;
    }
    return r;
}
