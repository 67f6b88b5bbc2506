/* comments.h: long stretches of comments and blank lines are left out of a text while it is
 * inflated: deflate packs a thousand bytes of them into one. */
#ifndef GS_IO_COMMENTS_H
#define GS_IO_COMMENTS_H

#include "io/input.h"

typedef struct gs_inflated { /* the inflated text so far */
    char *data;
    size_t bytes, room;
    size_t judged; /* the line that begins here, and those after it, are yet to be judged */
    gs_skip *skip; /* what was left out */
    int64_t skips, skip_room;
    int64_t left_out; /* bytes */
} gs_inflated;

/* Leaves comments and blank lines of a Matrix Market text out of text->data, where they fill 64 KiB
 * or more on end. To be called whenever text has grown. */
gsolve_status gs_leave_out_comments(gs_inflated *text, gsolve_context *ctx);

#endif
