/* counting_sort.h: a stable counting sort of entries by keys, such as their rows, on the host. Each
 * chunk of the entries counts its keys. The counts of all chunks give the position of each entry,
 * so the result does not depend on the number of chunks. */
#ifndef GS_MATRIX_COUNTING_SORT_H
#define GS_MATRIX_COUNTING_SORT_H

#include "matrix/csr.h"

typedef struct gs_counting_sort {
    int64_t nkeys, entries;
    int64_t total; /* entries and their mirror images */
    int chunks;
    int64_t *next; /* chunks x nkeys: position of the chunk's next entry with that key. At first
                      next[key] is the position of the first of all entries with that key */
} gs_counting_sort;

/* The first entry of a chunk. */
static inline int64_t gs_chunk_begin(const gs_counting_sort *s, int chunk)
{
    return s->entries / s->chunks * chunk + s->entries % s->chunks * chunk / s->chunks;
}

/* Sets s from the keys, which are at least 0 and below nkeys. If mirror is not NULL, entry k has a
 * mirror image with the key mirror[k], unless this is key[k]. The caller then moves the entries,
 * chunk by chunk, to the positions next[chunk * nkeys + key]++, and frees s->next. */
gsolve_status gs_count_keys(gs_counting_sort *s, gsolve_context *ctx, int64_t entries,
                            const int32_t *key, const int32_t *mirror, int64_t nkeys);

/* The offsets of csr, whose rows are the keys. Call it before entries are moved. */
void gs_put_offsets(const gs_counting_sort *s, const gs_csr_arrays *csr);

#endif
