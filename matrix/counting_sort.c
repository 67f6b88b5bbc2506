/* counting_sort.c: see counting_sort.h. */
#include "matrix/counting_sort.h"

#define MAX_CHUNKS 16

static void count_chunk(const gs_counting_sort *s, int chunk, const int32_t *key,
                        const int32_t *mirror)
{
    int64_t *count = s->next + chunk * s->nkeys;
    const int64_t from = gs_chunk_begin(s, chunk), to = gs_chunk_begin(s, chunk + 1);

    for (int64_t i = 0; i < s->nkeys; i++) count[i] = 0;
    for (int64_t k = from; k < to && !mirror; k++) count[key[k]]++;
    for (int64_t k = from; k < to && mirror; k++) {
        count[key[k]]++;
        if (mirror[k] != key[k]) count[mirror[k]]++;
    }
}

gsolve_status gs_count_keys(gs_counting_sort *s, gsolve_context *ctx, int64_t entries,
                            const int32_t *key, const int32_t *mirror, int64_t nkeys)
{
    const int threads = gsolve_threads(ctx);

    s->nkeys = nkeys;
    s->entries = entries;
    s->total = 0;
    s->chunks = threads > MAX_CHUNKS ? MAX_CHUNKS : threads;
    if (entries < 10000 || nkeys > entries) s->chunks = 1;
    s->next = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)nkeys * (size_t)s->chunks, sizeof *s->next);
    if (!s->next) return GSOLVE_NO_MEMORY;
#pragma omp parallel for schedule(static, 1) num_threads(s->chunks)
    for (int c = 0; c < s->chunks; c++) count_chunk(s, c, key, mirror);
    for (int64_t i = 0; i < nkeys; i++) {
        for (int c = 0; c < s->chunks; c++) {
            int64_t *next = &s->next[c * nkeys + i], count = *next;
            *next = s->total;
            s->total += count;
        }
    }
    return GSOLVE_OK;
}

void gs_put_offsets(const gs_counting_sort *s, const gs_csr_arrays *csr)
{
    for (int64_t i = 0; i < s->nkeys; i++) gs_set_start(csr, i, s->next[i]);
    gs_set_start(csr, s->nkeys, s->total);
}
