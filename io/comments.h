/* comments.h: removes long ranges of comments and blank lines from a text while it is inflated.
 * Deflate packs a thousand bytes of them into one, so that a small file could otherwise need much
 * memory. */
#ifndef GS_IO_COMMENTS_H
#define GS_IO_COMMENTS_H

#include "io/input.h"

typedef struct gs_inflated { /* the inflated text so far */
    char *data;
    size_t bytes, capacity;
    size_t checked; /* the offset of the first line that has not been checked */
    gs_skip *skip;  /* the removed lines */
    int64_t skips, skip_capacity;
    int64_t skipped_bytes;
} gs_inflated;

/* Removes ranges of 64 KiB or more of comments and blank lines from the Matrix Market text in
 * text->data. Must be called whenever the text has grown. */
gsolve_status gs_skip_comments(gs_inflated *text, gsolve_context *ctx);

#endif
