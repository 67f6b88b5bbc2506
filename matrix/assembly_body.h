/* assembly_body.h: the sums of an assembly, for one value type. */

/* The entries [from, to). Returns the first result that is not finite, or INT64_MAX. -0 + x is x
 * for each x, -0 too, so that the sum of one value is this value. The values are requested AHEAD
 * triplets early, since short segments with lengths that vary end what the processor reads ahead by
 * itself. */
static int64_t FN(sum_entries)(const gsolve_assembly *plan, const T *restrict v, T *restrict value,
                               bool add, int64_t from, int64_t to)
{
    const uint32_t *restrict first = plan->first, *restrict place = plan->place;
    int64_t bad = INT64_MAX;

    for (int64_t e = from; e < to; e++) {
        T sum = (T)-0.0;
        for (int64_t k = first[e]; k < first[e + 1]; k++) {
            __builtin_prefetch(&v[place[k + AHEAD]]);
            sum += v[place[k]];
        }
        value[e] = add ? value[e] + sum : sum;
        if (!isfinite(value[e]) && e < bad) bad = e;
    }
    return bad;
}

static gsolve_status FN(sum)(const gsolve_assembly *plan, const void *v, void *value, bool add,
                             int64_t *bad)
{
    const gs_blocks pieces = gs_blocks_of(plan->entries);
    const int threads = gs_threads_for(plan->entries, gsolve_threads(plan->ctx));
    int64_t first = INT64_MAX;

#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(min : first)
    for (int p = 0; p < pieces.count; p++) {
        const int64_t at = FN(sum_entries)(plan, v, value, add, gs_block_begin(&pieces, p),
                                           gs_block_end(&pieces, p));
        if (at < first) first = at;
    }
    if (bad) *bad = first < INT64_MAX ? first : -1;
    return GSOLVE_OK;
}
