/* check_rows_body.h: the values of a row are finite, for one value type. check_rows.c includes it.
 */

static bool FN(all_finite)(const T *value, int64_t from, int64_t to)
{
    int bad = 0;

    for (int64_t k = from; k < to; k++) bad |= !(fabs((double)value[k]) <= DBL_MAX);
    return !bad;
}
