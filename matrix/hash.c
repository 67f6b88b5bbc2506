/* hash.c: a fast 64-bit hash that detects changes; not cryptographic. It multiplies and folds
 * 128-bit products in four lanes, over pieces of fixed size, so it does not depend on the threads.
 */
#include "matrix/csr.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

uint64_t gs_hash_part(const void *piece, size_t bytes, uint64_t seed)
{
    const unsigned char *p = piece;
    static const uint64_t k[] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                                 0xd6e8feb86659fd93u};
    uint64_t lane[4] = {seed ^ k[0], seed ^ k[1], seed ^ k[2], seed ^ k[3]};
    unsigned char tail[64] = {0};
    size_t at = 0;

    for (; at + 64 <= bytes; at += 64) {
        for (int l = 0; l < 4; l++) {
            lane[l] = fold(load(p + at + 16 * l) ^ k[l], load(p + at + 16 * l + 8) ^ lane[l]);
        }
    }
    if (bytes > at) memcpy(tail, p + at, bytes - at);
    for (int l = 0; l < 4; l++)
        lane[l] = fold(load(tail + 16 * l) ^ k[l], load(tail + 16 * l + 8) ^ lane[l]);
    return fold(fold(lane[0] ^ bytes, lane[1] ^ k[0]), fold(lane[2] ^ k[1], lane[3] ^ k[2]));
}

static uint64_t begin_hash(size_t bytes, uint64_t seed)
{
    return fold(seed ^ bytes, 0x9e3779b97f4a7c15u);
}

static size_t count_pieces(size_t bytes)
{
    return (bytes + GS_HASH_PIECE - 1) / GS_HASH_PIECE;
}

static uint64_t add_parts(uint64_t hash, const uint64_t *part, size_t count)
{
    for (size_t k = 0; k < count; k++) hash = fold(hash ^ part[k], 0xd6e8feb86659fd93u);
    return hash;
}

uint64_t gs_hash_of_parts(const uint64_t *part, size_t bytes, uint64_t seed)
{
    return add_parts(begin_hash(bytes, seed), part, count_pieces(bytes));
}

uint64_t gs_hash(const gsolve_context *ctx, const void *data, size_t bytes, uint64_t seed)
{
    enum { BATCH = 256 };
    const size_t pieces = count_pieces(bytes);
    uint64_t hash = begin_hash(bytes, seed), part[BATCH];

    for (size_t first = 0; first < pieces; first += BATCH) {
        const int count = (int)(pieces - first < BATCH ? pieces - first : BATCH);
#pragma omp parallel for schedule(static) num_threads(gs_reading_threads(ctx)) if (count > 1)
        for (int k = 0; k < count; k++) {
            const size_t at = (first + (size_t)k) * GS_HASH_PIECE;
            part[k] = gs_hash_part((const unsigned char *)data + at,
                                   bytes - at < GS_HASH_PIECE ? bytes - at : GS_HASH_PIECE, seed);
        }
        hash = add_parts(hash, part, (size_t)count);
    }
    return hash;
}
