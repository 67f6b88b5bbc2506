/* triangle_body.h: the solve on the CPU for one type. */

static inline T FN(row)(const gs_triangle *t, int32_t place, const T *r, const T *z, int32_t i)
{
    const T *value = t->value, *d = t->d;
    const int64_t to = t->start[place + 1];
    T sum = d ? d[place] * r[i] : r[i];

    for (int64_t k = t->start[place]; k < to; k++) sum -= value[k] * z[t->col[k]];
    return sum;
}

static gsolve_status FN(solve)(gs_queue *q, const gs_triangle *t, const void *pr, void *pz)
{
    const T *r = pr;
    T *z = pz;

    if (t->levels == 0 && !t->upper) {
        for (int32_t i = 0; i < t->n; i++) z[i] = FN(row)(t, i, r, z, i);
        return GSOLVE_OK;
    }
    if (t->levels == 0) {
        for (int32_t place = 0, i = t->n - 1; i >= 0; place++, i--) z[i] = FN(row)(t, place, r, z, i);
        return GSOLVE_OK;
    }
#pragma omp parallel num_threads(gs_queue_threads(q))
    for (int32_t level = 0; level < t->levels; level++) {
#pragma omp for schedule(static)
        for (int32_t place = t->level[level]; place < t->level[level + 1]; place++) {
            const int32_t i = t->row[place];
            z[i] = FN(row)(t, place, r, z, i);
        }
    }
    return GSOLVE_OK;
}
