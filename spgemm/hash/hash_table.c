/* hash_table.c: creates, sorts and frees tables of columns. */
#include "spgemm/hash/hash_table.h"

#include <string.h>

#include "core/try.h"

#define SHORT_ROW 40 /* columns that are sorted by insertion */

static void insertion_sort(int32_t n, uint64_t *key)
{
    for (int32_t k = 1; k < n; k++) {
        const uint64_t x = key[k];
        int32_t at = k;
        for (; at > 0 && key[at - 1] > x; at--) key[at] = key[at - 1];
        key[at] = x;
    }
}

/* One pass of a radix sort, by the byte that begins at bit `bit`. False: this byte is the same in
 * all keys, and `to` is unset. */
static bool pass(int32_t n, const uint64_t *from, uint64_t *to, int bit)
{
    int32_t first[256] = {0}, sum = 0;

    for (int32_t k = 0; k < n; k++) first[from[k] >> bit & 255]++;
    if (first[from[0] >> bit & 255] == n) return false;
    for (int b = 0; b < 256; b++) {
        const int32_t count = first[b];
        first[b] = sum;
        sum += count;
    }
    for (int32_t k = 0; k < n; k++) to[first[from[k] >> bit & 255]++] = from[k];
    return true;
}

void gs_hash_sort(gs_hash_table *t)
{
    const int32_t n = t->found;
    uint64_t *key = t->sort, *other = t->sort + ((size_t)1 << t->bits);

    for (int32_t k = 0; k < n; k++) key[k] = (uint64_t)(uint32_t)t->col[k] << 32 | (uint32_t)k;
    if (n <= SHORT_ROW) {
        insertion_sort(n, key);
        return;
    }
    for (int bit = 32; bit < 64; bit += 8) {
        if (!pass(n, key, other, bit)) continue;
        uint64_t *sorted = other;
        other = key;
        key = sorted;
    }
    if (key != t->sort) memcpy(t->sort, key, (size_t)n * sizeof *key);
}

void gs_hash_tables_free(void *self, gsolve_context *ctx)
{
    gs_hash_tables *tables = self;

    for (int k = 0; tables && tables->table && k < tables->count; k++) {
        const gs_hash_table *t = &tables->table[k];
        gsolve_free(ctx, GSOLVE_HOST, t->key);
        gsolve_free(ctx, GSOLVE_HOST, t->index);
        gsolve_free(ctx, GSOLVE_HOST, t->col);
        gsolve_free(ctx, GSOLVE_HOST, t->sort);
    }
    if (tables) gsolve_free(ctx, GSOLVE_HOST, tables->table);
    gsolve_free(ctx, GSOLVE_HOST, tables);
}

static gsolve_status make_table(gs_hash_table *t, gsolve_context *ctx, int bits)
{
    const size_t places = (size_t)1 << bits;
    gsolve_status status;

    t->bits = bits;
    ALLOC(ctx, GSOLVE_HOST, t->key, places);
    memset(t->key, -1, places * sizeof *t->key);
    ALLOC(ctx, GSOLVE_HOST, t->index, places);
    ALLOC(ctx, GSOLVE_HOST, t->col, places);
    ALLOC(ctx, GSOLVE_HOST, t->sort, 2 * places);
done:
    return status;
}

gsolve_status gs_hash_tables_new(gs_hash_tables **out, gsolve_context *ctx, int64_t longest,
                                 int32_t ncols)
{
    const int64_t most = longest < ncols ? longest : ncols; /* columns of a row */
    const int threads = gsolve_threads(ctx);
    gs_hash_tables *tables = NULL;
    int bits = 4;
    gsolve_status status;

    while (bits < 31 && (int64_t)1 << bits < 2 * most) bits++;
    ALLOC(ctx, GSOLVE_HOST, tables, 1);
    memset(tables, 0, sizeof *tables);
    ALLOC(ctx, GSOLVE_HOST, tables->table, threads);
    memset(tables->table, 0, (size_t)threads * sizeof *tables->table);
    tables->count = threads;
    for (int k = 0; k < threads; k++) TRY(make_table(&tables->table[k], ctx, bits));
    *out = tables;
    tables = NULL;
done:
    gs_hash_tables_free(tables, ctx);
    return status;
}
