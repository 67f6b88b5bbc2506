/* stamp.c: a file's size, time and content in few bytes. The content is read in pieces that stay in
 * the second-level cache, each hashed by itself, so that the value is the same for any number of
 * threads. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/cache.h"

#define PIECE ((int64_t)1 << 18) /* part of the format: another size, another hash */
#define BATCH 256

static bool read_piece(int file, char *to, int64_t bytes, int64_t at)
{
    while (bytes > 0) {
        const ssize_t got = pread(file, to, (size_t)bytes, at);
        if (got <= 0) return false;
        to += got;
        at += got;
        bytes -= got;
    }
    return true;
}

/* part[k] = hash of the piece first + k. */
static bool hash_batch(uint64_t *part, int count, const gsolve_context *ctx, int file, int64_t size,
                       int64_t first, char *buffer)
{
    const int threads = gsolve_threads(ctx);
    int failed = 0;

#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(| : failed)
    for (int t = 0; t < threads; t++) {
        char *own = buffer + t * PIECE;
        for (int k = t; k < count; k += threads) {
            const int64_t at = (first + k) * PIECE, bytes = size - at < PIECE ? size - at : PIECE;
            failed |= !read_piece(file, own, bytes, at);
            if (!failed) part[k] = gs_hash(ctx, own, (size_t)bytes, (uint64_t)bytes);
        }
    }
    return !failed;
}

static bool hash_file(uint64_t *hash, const gsolve_context *ctx, int file, int64_t size)
{
    gsolve_context *owner = (gsolve_context *)(uintptr_t)ctx;
    char *buffer = gsolve_alloc(owner, GSOLVE_HOST, (size_t)gsolve_threads(ctx), (size_t)PIECE);
    uint64_t part[BATCH + 1] = {0}; /* [BATCH]: the hash so far */
    const int64_t pieces = (size + PIECE - 1) / PIECE;
    bool good = buffer != NULL;

    for (int64_t first = 0; good && first < pieces; first += BATCH) {
        const int count = (int)(pieces - first < BATCH ? pieces - first : BATCH);
        good = hash_batch(part, count, ctx, file, size, first, buffer);
        part[BATCH] = gs_hash(ctx, part, (size_t)count * sizeof *part, part[BATCH]);
    }
    gsolve_free(owner, GSOLVE_HOST, buffer);
    *hash = part[BATCH];
    return good;
}

bool gs_stamp_file(gs_stamp *stamp, const gsolve_context *ctx, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat s;
    bool good = false;

    if (file < 0) return false;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode)) {
        stamp->size = s.st_size;
        stamp->mtime = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
        good = hash_file(&stamp->hash, ctx, file, stamp->size);
    }
    close(file);
    return good;
}
