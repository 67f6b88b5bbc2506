/* gzip.h: reads and writes compressed text with zlib, whose memory counts as memory of the context.
 */
#ifndef GS_IO_GZIP_H
#define GS_IO_GZIP_H

#define ZLIB_CONST /* z_stream.next_in is const */
#include <zlib.h>

#include "core/context.h"

/* The functions for z->zalloc and z->zfree; z->opaque is the context. */
void *gs_gzip_alloc(void *ctx, unsigned count, unsigned size);
void gs_gzip_free(void *ctx, void *block);

#endif
