/* stamp.c: the hash of a text's whole content, in pieces of fixed size, so that the value is the
 * same for any number of threads. With the time to read the text from memory it is the whole cost
 * of a cached read; so it does without multiplication and keeps up with the memory. */
#include <string.h>

#include "io/cache.h"

#define PIECE ((int64_t)1 << 18) /* part of the format: another size, another hash */
#define BATCH 256

typedef uint64_t quad __attribute__((vector_size(32)));

#define QUADS 4
#define BLOCK (QUADS * sizeof(quad))

typedef struct lanes {
    quad a[QUADS], b[QUADS];
} lanes;

/* In each of 16 lanes of 64 bits: a = a + word, b = (b ^ a) turned by 23 bits. Any change of a word
 * stays in a, and b tells in which order the words came. */
static inline void hash_block(lanes *h, const char *p)
{
    for (int l = 0; l < QUADS; l++) {
        quad word;
        memcpy(&word, p + (size_t)l * sizeof word, sizeof word);
        h->a[l] += word;
        h->b[l] ^= h->a[l];
        h->b[l] = h->b[l] << 23 | h->b[l] >> 41;
    }
}

static uint64_t hash_piece(const gsolve_context *ctx, const char *p, int64_t bytes)
{
    const size_t whole = (size_t)bytes / BLOCK * BLOCK;
    char tail[BLOCK] = {0};
    lanes h, copy;

    for (int l = 0; l < QUADS; l++) {
        h.a[l] = (quad){1, 2, 3, 4} * (0x9e3779b97f4a7c15u * (uint64_t)(2 * l + 1));
        h.b[l] = ~h.a[l];
    }
    for (size_t at = 0; at < whole; at += BLOCK) hash_block(&h, p + at);
    memcpy(tail, p + whole, (size_t)bytes - whole);
    hash_block(&h, tail);
    copy = h; /* so that h can stay in registers */
    return gs_hash(ctx, &copy, sizeof copy, (uint64_t)bytes);
}

uint64_t gs_stamp_hash(const gsolve_context *ctx, const char *text, int64_t size)
{
    const int64_t pieces = (size + PIECE - 1) / PIECE;
    uint64_t part[BATCH], hash = (uint64_t)size;

    for (int64_t first = 0; first < pieces; first += BATCH) {
        const int count = (int)(pieces - first < BATCH ? pieces - first : BATCH);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) if (count > 1)
        for (int k = 0; k < count; k++) {
            const int64_t at = (first + k) * PIECE;
            part[k] = hash_piece(ctx, text + at, size - at < PIECE ? size - at : PIECE);
        }
        hash = gs_hash(ctx, part, (size_t)count * sizeof *part, hash);
    }
    return hash;
}
