/* stamp.c: the size, time stamp and hash of a file. The hash covers all of the content, in pieces
 * of fixed size, so that it does not depend on the number of threads. It takes almost all the time
 * of a cached read; since it needs no multiplications it is as fast as the memory. */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "io/cache.h"

/* Both numbers are part of the cache's format, since the hash depends on them. */
#define PIECE ((int64_t)1 << 18) /* bytes of a piece */
#define GROUP 128                /* pieces that are hashed together */

typedef uint64_t quad __attribute__((vector_size(32)));

#define QUADS 4
#define BLOCK (QUADS * sizeof(quad))

typedef struct lanes {
    quad a[QUADS], b[QUADS];
} lanes;

/* In each of 16 lanes of 64 bits: a = a + word, b = (b ^ a) rotated left by 23 bits. A change of
 * one word changes a, and b depends on the order of the words. */
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
    const size_t full = (size_t)bytes / BLOCK * BLOCK;
    char tail[BLOCK] = {0};
    lanes h, copy;

    for (int l = 0; l < QUADS; l++) {
        h.a[l] = (quad){1, 2, 3, 4} * (0x9e3779b97f4a7c15u * (uint64_t)(2 * l + 1));
        h.b[l] = ~h.a[l];
    }
    for (size_t at = 0; at < full; at += BLOCK) hash_block(&h, p + at);
    memcpy(tail, p + full, (size_t)bytes - full);
    hash_block(&h, tail);
    copy = h; /* so that h can stay in registers */
    return gs_hash(ctx, &copy, sizeof copy, (uint64_t)bytes);
}

/* --- the content: mapped or copied ------------------------------------------------------------ */

static int64_t piece_size(const gs_stamped_file *s, int64_t piece)
{
    return s->size - piece * PIECE < PIECE ? s->size - piece * PIECE : PIECE;
}

/* part[k] = hash of piece first + k, by mapping the file. */
static bool hash_mapped(uint64_t *part, const gs_stamped_file *s, int64_t first, int count)
{
    const int64_t end = (first + count) * PIECE < s->size ? (first + count) * PIECE : s->size;
    char *text = gs_map_file(s->ctx, s->file, first * PIECE, (size_t)(end - first * PIECE));

    if (!text) return false;
#pragma omp parallel for schedule(static) num_threads(gs_reading_threads(s->ctx))
    for (int k = 0; k < count; k++) {
        part[k] = hash_piece(s->ctx, text + k * PIECE, piece_size(s, first + k));
    }
    gsolve_free(s->ctx, GSOLVE_HOST, text);
    return true;
}

bool gs_read_bytes(int file, void *to, int64_t bytes, int64_t at)
{
    char *next = to;

    while (bytes > 0) {
        const ssize_t got = pread(file, next, (size_t)bytes, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        next += got;
        at += got;
        bytes -= got;
    }
    return true;
}

/* As hash_mapped, but copies each piece into a buffer that stays in the second-level cache. */
static bool hash_copied(uint64_t *part, const gs_stamped_file *s, int64_t first, int count)
{
    const int threads = gs_reading_threads(s->ctx);
    int failed = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : failed)
    for (int k = 0; k < count; k++) {
        char *own = s->buffer + omp_get_thread_num() * PIECE;
        const int64_t bytes = piece_size(s, first + k);
        failed |= !gs_read_bytes(s->file, own, bytes, (first + k) * PIECE);
        if (!failed) part[k] = hash_piece(s->ctx, own, bytes);
    }
    return !failed;
}

int64_t gs_stamp_pieces(int64_t size)
{
    return (size + PIECE - 1) / PIECE;
}

/* Mapping or copying is faster by up to a factor of 2; which one depends on the size of the pages
 * in which the system caches the file. So the first two groups measure both. */
bool gs_stamp_parts(uint64_t *part, const gs_stamped_file *s, int64_t begin, int64_t end)
{
    double seconds[2] = {0, 0};

    for (int64_t first = begin; first < end; first += GROUP) {
        const int count = (int)(end - first < GROUP ? end - first : GROUP);
        const int group = (int)((first - begin) / GROUP);
        const int copied = group < 2 ? group : seconds[1] < seconds[0];
        const double start = gs_now();
        if (!(copied ? hash_copied : hash_mapped)(part + (first - begin), s, first, count)) {
            return false;
        }
        if (group < 2) seconds[copied] = gs_now() - start;
    }
    return true;
}

uint64_t gs_stamp_hash(const gsolve_context *ctx, const uint64_t *part, int64_t size)
{
    const int64_t pieces = gs_stamp_pieces(size);
    uint64_t hash = (uint64_t)size;

    for (int64_t first = 0; first < pieces; first += GROUP) {
        const int64_t count = pieces - first < GROUP ? pieces - first : GROUP;
        hash = gs_hash(ctx, part + first, (size_t)count * sizeof *part, hash);
    }
    return hash;
}

bool gs_stamp_open(gs_stamped_file *s, gs_stamp *stamp, gsolve_context *ctx, const char *path)
{
    struct stat about;

    *s = (gs_stamped_file){.ctx = ctx, .file = -1};
    /* standard input has no name; to open a pipe and close it would cost its writer the reader */
    if (gsolve_descriptor_of(path, STDIN_FILENO) >= 0) return false;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    s->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->file < 0) return false;
    if (fstat(s->file, &about) == 0 && S_ISREG(about.st_mode)) {
        s->buffer = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)gsolve_threads(ctx), (size_t)PIECE);
        s->size = stamp->size = about.st_size;
        stamp->mtime = gs_time_of_change(&about);
    }
    if (s->buffer) return true;
    gs_stamp_close(s);
    return false;
}

void gs_stamp_close(gs_stamped_file *s)
{
    gsolve_free(s->ctx, GSOLVE_HOST, s->buffer);
    if (s->file >= 0) close(s->file);
    *s = (gs_stamped_file){.ctx = s->ctx, .file = -1};
}

bool gs_stamp_file(gs_stamp *stamp, gsolve_context *ctx, const char *path)
{
    gs_stamped_file s;
    uint64_t *part = NULL;
    bool good = gs_stamp_open(&s, stamp, ctx, path);

    if (good) {
        const int64_t pieces = gs_stamp_pieces(s.size);
        part = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)pieces, sizeof *part);
        good = part && gs_stamp_parts(part, &s, 0, pieces);
        if (good) stamp->hash = gs_stamp_hash(ctx, part, s.size);
    }
    gsolve_free(ctx, GSOLVE_HOST, part);
    gs_stamp_close(&s);
    return good;
}
