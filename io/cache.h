/* cache.h: what was read from a file, kept in binary form beside it: FILE.gscache, or, where that
 * cannot be written, $XDG_CACHE_HOME/gsolve/NAME-HASH.gscache (~/.cache where that is not set).
 * A cache counts only for the very file it was made from: its size, its time stamp and the hash of
 * its whole content. A cache that was damaged is ignored and written again: a hash of its own
 * content decides. Nothing about a cache is ever an error. */
#ifndef GS_IO_CACHE_H
#define GS_IO_CACHE_H

#include "gsolve_io.h"
#include "matrix/csr.h"

typedef struct gs_cached { /* one of the two */
    gsolve_csr *csr;
    gsolve_dense *dense;
} gs_cached;

/* What a cache must fit to: the source as it is now. */
typedef struct gs_stamp {
    int64_t size, mtime; /* bytes, ns */
    uint64_t hash;
} gs_stamp;

/* False: path is no file that can be read, or memory is short; then there is no caching. */
bool gs_stamp_file(gs_stamp *stamp, gsolve_context *ctx, const char *path);

/* True: what and source are filled, the arrays mapped from the cache. */
bool gs_cache_read(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                   gsolve_source *source);

/* Sets source->cache where the cache could be written. */
void gs_cache_write(gs_cached what, gsolve_context *ctx, const char *path, const gs_stamp *stamp,
                    gsolve_source *source);

#endif
