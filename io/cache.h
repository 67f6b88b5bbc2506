/* cache.h: the binary copy of a matrix file. It is stored beside the file as FILE.gscache, or, if
 * that cannot be written, as $XDG_CACHE_HOME/gsolve/NAME-HASH.gscache (~/.cache if the variable is
 * not set). A cache is valid only for the file that it was made from: size, time stamp and hash of
 * the content must agree. A damaged cache, which a hash of its own content reveals, is ignored and
 * rewritten. Problems with a cache are never errors. */
#ifndef GS_IO_CACHE_H
#define GS_IO_CACHE_H

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

/* True: the cache was valid; what and source are set, with arrays mapped from it. */
bool gs_cache_read(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                   gsolve_source *source);

/* Writes the cache, with source->inspection. Sets source->cache if it could be written. */
void gs_cache_write(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                    gsolve_source *source);

#endif
