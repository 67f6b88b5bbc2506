/* cache.c: a matrix kept in binary beside its file as NAME.gscache, or, where that folder cannot be
 * written, under $XDG_CACHE_HOME/gsolve (or ~/.cache/gsolve). It counts only while the file has the same
 * size, time stamp and content; its arrays begin on pages and are mapped, not copied. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/try.h"
#include "io/output.h"
#include "io/text.h"

#define MAGIC   0x3165686361637367u /* "gscache1", in the order of bytes of the machine */
#define PAGE    ((int64_t)4096)
#define PIECE   ((size_t)1 << 20)

typedef struct cache_head { /* the first page of a cache */
    uint64_t magic, head_hash;
    int64_t source_size, source_seconds, source_nanoseconds;
    uint64_t source_hash;
    int32_t nrows, ncols, offset, type;
    int64_t entries, at[3], bytes[3], size; /* at: of start, col, value */
    gsolve_source source;
} cache_head;

/* --- the source's content --------------------------------------------------------------------------- */

/* The hash of the whole file, piece by piece through buffers that stay in the cache. */
static gsolve_status hash_file(gsolve_context *ctx, int file, int64_t size, uint64_t *hash)
{
    const int threads = gsolve_threads(ctx);
    const int64_t pieces = (size + (int64_t)PIECE - 1) / (int64_t)PIECE;
    char *buffer = NULL;
    uint64_t *part = NULL;
    int failed = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, buffer, PIECE * (size_t)threads);
    ALLOC(ctx, GSOLVE_HOST, part, pieces);
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(| : failed)
    for (int t = 0; t < threads; t++) {
        char *own = buffer + PIECE * (size_t)t;
        for (int64_t k = t; k < pieces; k += threads) {
            const ssize_t got = pread(file, own, PIECE, (off_t)(k * (int64_t)PIECE));
            const int64_t left = size - k * (int64_t)PIECE;
            failed |= got != (left < (int64_t)PIECE ? left : (int64_t)PIECE);
            part[k] = gs_hash_piece(own, got > 0 ? (size_t)got : 0, (uint64_t)k);
        }
    }
    *hash = gs_hash_piece(part, (size_t)pieces * sizeof *part, (uint64_t)size);
    if (failed) status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "the file changes while it is read");
done:
    gsolve_free(ctx, GSOLVE_HOST, buffer);
    gsolve_free(ctx, GSOLVE_HOST, part);
    return status;
}

/* Fills what the head says of the source. */
static gsolve_status describe_source(gsolve_context *ctx, const char *path, cache_head *head)
{
    struct stat about;
    gsolve_status status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (file >= 0) close(file);
        return gsolve_fail(ctx, GSOLVE_BAD_FILE, "cannot open %.280s: %s", path,
                           file < 0 ? strerror(errno) : "not a regular file");
    }
    head->source_size = about.st_size;
    head->source_seconds = about.st_mtim.tv_sec;
    head->source_nanoseconds = about.st_mtim.tv_nsec;
    status = hash_file(ctx, file, about.st_size, &head->source_hash);
    close(file);
    return status;
}

/* --- where the cache is ------------------------------------------------------------------------------ */

/* The two places: beside the file, and in the user's cache under a hash of the full path. */
static bool cache_path(const char *path, int place, char *cache, size_t size)
{
    char full[PATH_MAX];
    const char *home = getenv("XDG_CACHE_HOME"), *sub = "";
    int length;

    if (place == 0) {
        length = snprintf(cache, size, "%s.gscache", path);
        return length > 0 && (size_t)length < size;
    }
    if (!home || home[0] != '/') {
        home = getenv("HOME");
        sub = "/.cache";
    }
    if (!home || !realpath(path, full)) return false;
    length = snprintf(cache, size, "%s%s/gsolve/%016llx.gscache", home, sub,
                      (unsigned long long)gs_hash_piece(full, strlen(full), 0));
    return length > 0 && (size_t)length < size;
}

static void make_folder(char *cache)
{
    for (char *slash = strchr(cache + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(cache, 0777);
        *slash = '/';
    }
}

/* --- reading ------------------------------------------------------------------------------------------ */

static bool head_is_sound(const cache_head *head, const cache_head *now, int64_t size)
{
    cache_head plain = *head;
    plain.head_hash = 0;
    return head->magic == MAGIC && head->size == size &&
           head->head_hash == gs_hash_piece(&plain, sizeof plain, 0) &&
           head->source_size == now->source_size && head->source_seconds == now->source_seconds &&
           head->source_nanoseconds == now->source_nanoseconds;
}

static void *map_section(gsolve_context *ctx, int file, const cache_head *head, int k)
{
    return head->bytes[k] > 0 ? gs_map_file(ctx, file, head->at[k], (size_t)head->bytes[k])
                              : gsolve_alloc(ctx, GSOLVE_HOST, 0, 1);
}

static bool map_arrays(gsolve_csr *csr, gsolve_context *ctx, int file, const cache_head *head)
{
    gsolve_csr A = {.nrows = head->nrows,
                    .ncols = head->ncols,
                    .offset = (gsolve_offset)head->offset,
                    .type = (gsolve_type)head->type,
                    .place = GSOLVE_HOST};

    A.start = map_section(ctx, file, head, 0);
    A.col = A.start ? map_section(ctx, file, head, 1) : NULL;
    A.value = A.col ? map_section(ctx, file, head, 2) : NULL;
    if (!A.value) {
        gsolve_csr_free(&A, ctx);
        return false;
    }
    *csr = A;
    return true;
}

/* Whatever speaks against the cache at that place makes it not found. */
static bool read_cache(gsolve_csr *csr, gsolve_context *ctx, const char *cache, cache_head *now,
                       const char *path, bool *hashed, gsolve_source *source)
{
    struct stat about;
    cache_head head;
    bool found = false;
    const int file = open(cache, O_RDONLY | O_CLOEXEC);

    if (file < 0) return false;
    if (fstat(file, &about) == 0 && pread(file, &head, sizeof head, 0) == sizeof head &&
        head_is_sound(&head, now, about.st_size)) {
        if (!*hashed) *hashed = describe_source(ctx, path, now) == GSOLVE_OK;
        found = *hashed && now->source_hash == head.source_hash &&
                map_arrays(csr, ctx, file, &head);
    }
    close(file);
    if (found) {
        *source = head.source;
        source->cached = true;
        snprintf(source->cache, sizeof source->cache, "%s", cache);
    }
    return found;
}

gsolve_status gs_cache_read(gsolve_csr *csr, gsolve_context *ctx, const char *path,
                            gsolve_source *source, bool *found)
{
    cache_head now = {0};
    struct stat about;
    char cache[1024];
    bool hashed = false;

    *found = false;
    if (stat(path, &about) != 0) return GSOLVE_OK; /* the reader will say so */
    now.source_size = about.st_size;
    now.source_seconds = about.st_mtim.tv_sec;
    now.source_nanoseconds = about.st_mtim.tv_nsec;
    for (int place = 0; place < 2 && !*found; place++) {
        *found = cache_path(path, place, cache, sizeof cache) &&
                 read_cache(csr, ctx, cache, &now, path, &hashed, source);
    }
    return GSOLVE_OK;
}

/* --- writing ------------------------------------------------------------------------------------------ */

static int64_t next_page(int64_t at)
{
    return (at + PAGE - 1) / PAGE * PAGE;
}

static void write_section(gs_output *o, int64_t *at, int64_t begin, const void *data, int64_t bytes)
{
    static const char zeros[PAGE];

    gs_output_write(o, zeros, (size_t)(begin - *at));
    gs_output_write(o, data, (size_t)bytes);
    *at = begin + bytes;
}

static bool write_cache(gsolve_context *ctx, const char *cache, const cache_head *head,
                        const gsolve_csr *csr)
{
    const void *const data[3] = {csr->start, csr->col, csr->value};
    int64_t at = sizeof *head;
    gs_output o;

    if (gs_output_open(&o, ctx, cache, false) != GSOLVE_OK) return false;
    gs_output_write(&o, head, sizeof *head);
    for (int k = 0; k < 3; k++) write_section(&o, &at, head->at[k], data[k], head->bytes[k]);
    const bool whole = !o.failed;
    return gs_output_close(&o, ctx, whole) == GSOLVE_OK && whole;
}

void gs_cache_write(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                    gsolve_source *source)
{
    cache_head head = {.magic = MAGIC};
    char cache[1024];

    if (describe_source(ctx, path, &head) != GSOLVE_OK) return;
    head.nrows = csr->nrows;
    head.ncols = csr->ncols;
    head.offset = (int32_t)csr->offset;
    head.type = (int32_t)csr->type;
    head.entries = gs_start(csr, csr->nrows);
    head.bytes[0] = ((int64_t)csr->nrows + 1) * (int64_t)gs_offset_size(csr->offset);
    head.bytes[1] = head.entries * (int64_t)sizeof *csr->col;
    head.bytes[2] = head.entries * (int64_t)gs_type_size(csr->type);
    head.at[0] = next_page(sizeof head);
    head.at[1] = next_page(head.at[0] + head.bytes[0]);
    head.at[2] = next_page(head.at[1] + head.bytes[1]);
    head.size = head.at[2] + head.bytes[2];
    head.source = *source;
    head.head_hash = gs_hash_piece(&head, sizeof head, 0);
    for (int place = 0; place < 2; place++) {
        if (!cache_path(path, place, cache, sizeof cache)) continue;
        if (place == 1) make_folder(cache);
        if (write_cache(ctx, cache, &head, csr)) {
            snprintf(source->cache, sizeof source->cache, "%s", cache);
            return;
        }
    }
}
