/* cache.h: the binary copy of a matrix file. It is stored beside the file as FILE.gscache, or, if
 * that cannot be written, as $XDG_CACHE_HOME/gsolve/NAME-HASH.gscache (~/.cache if the variable is
 * not set). A cache is valid only for the file that it was made from: size, time stamp and hash of
 * the content must agree. A damaged cache, which a hash of its own content reveals, is ignored and
 * rewritten. Problems with a cache are never errors. */
#ifndef GS_IO_CACHE_H
#define GS_IO_CACHE_H

#include <limits.h>

#include "gsolve_io.h"
#include "matrix/csr.h"

typedef struct gs_cached { /* one of the two */
    gsolve_csr *csr;
    gsolve_dense *dense;
} gs_cached;

/* Identifies the current content of the source file. */
typedef struct gs_stamp {
    int64_t size, mtime; /* bytes, ns */
    uint64_t hash;
} gs_stamp;

/* False: the file cannot be read, or there is not enough memory; then the file is not cached. */
bool gs_stamp_file(gs_stamp *stamp, gsolve_context *ctx, const char *path);

/* gs_stamp_file in parts, for several ranks: part[k] is the hash of piece k of the file. */
typedef struct gs_stamped_file {
    gsolve_context *ctx;
    int file;
    int64_t size;
    char *buffer; /* a piece for each thread */
} gs_stamped_file;

bool gs_stamp_open(gs_stamped_file *s, gs_stamp *stamp, gsolve_context *ctx, const char *path);
int64_t gs_stamp_pieces(int64_t size);
bool gs_stamp_parts(uint64_t *part, const gs_stamped_file *s, int64_t begin, int64_t end);
uint64_t gs_stamp_hash(const gsolve_context *ctx, const uint64_t *part, int64_t size);
void gs_stamp_close(gs_stamped_file *s);

/* Reads all these bytes. False: the file has fewer, or cannot be read. */
bool gs_read_bytes(int file, void *to, int64_t bytes, int64_t at);

/* A cache that is open, with a valid head. */
#define GS_CACHE_ARRAYS 3 /* start, columns, values */

typedef struct gs_cache_file {
    int file;
    int32_t nrows, ncols;
    gsolve_offset offset;
    int64_t at[GS_CACHE_ARRAYS], bytes[GS_CACHE_ARRAYS]; /* of the arrays */
    uint64_t head, payload;                              /* hashes; payload: of the arrays */
} gs_cache_file;

/* Opens the cache of the matrix file `path`, beside it or in the user's folder. True: *source is
 * set, and the caller closes f->file. The arrays are not checked: their hash is payload, if each is
 * hashed by gs_hash with the hash of the array before as seed, the first one with
 * GS_CACHE_VERSION. */
#define GS_CACHE_VERSION 3
bool gs_cache_open(gs_cache_file *f, const gsolve_context *ctx, const char *path, bool beside,
                   const gs_stamp *stamp, gsolve_source *source);

/* The sizes and places of a matrix's arrays in a cache. Returns the bytes of the cache. */
int64_t gs_cache_lay_out(gs_cache_file *f, int32_t nrows, int32_t ncols, int64_t entries);

/* The first page of that cache; f->payload is known. Where pages are larger, a cache cannot be
 * mapped and is never used. */
#define GS_CACHE_PAGE 4096
void gs_cache_first_page(char page[GS_CACHE_PAGE], const gsolve_context *ctx,
                         const gs_cache_file *f, const gs_stamp *stamp,
                         const gsolve_source *source);

/* The path of the cache, beside the file or in the user's folder, which is created. False: there is
 * none. */
bool gs_cache_path(char path[PATH_MAX], const gsolve_context *ctx, const char *source, bool beside);

/* True: the cache was valid; what and source are set, with arrays mapped from it. */
bool gs_cache_read(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                   gsolve_source *source);

/* Writes the cache, with source->inspection. Sets source->cache if it could be written. */
void gs_cache_write(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                    gsolve_source *source);

#endif
