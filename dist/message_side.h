/* message_side.h: the messages that a rank sends, or those that it receives, in an exchange that is
 * repeated. */
#ifndef GS_DIST_MESSAGE_SIDE_H
#define GS_DIST_MESSAGE_SIDE_H

#include "dist/comm.h"

typedef struct gs_message_side {
    int count;
    int *rank;
    int64_t *first; /* count + 1: the elements of each message */
    size_t *offset; /* first, in bytes; the functions below set it */
    void *buffer;   /* the owner of the side allocates it, or it is NULL */
} gs_message_side;

/* Sets a side, which is all zero, from the number of elements of the message to or from each rank.
 * Ranks without elements get no message. Local. */
gsolve_status gs_message_side_set(gs_message_side *side, gsolve_context *ctx, int ranks,
                                  const int64_t *number);
/* Frees all, the buffer included. */
void gs_message_side_drop(gs_message_side *side, gsolve_context *ctx);

/* The number of elements of all messages; 0 for a side that is all zero. */
static inline int64_t gs_message_side_size(const gs_message_side *side)
{
    return side->first ? side->first[side->count] : 0;
}

/* The messages from or to `buffer`, if an element takes `width` bytes. The second function takes
 * the width of the call before. */
gsolve_messages gs_messages_of_width(const gs_message_side *side, size_t width, void *buffer);
gsolve_messages gs_messages_of(const gs_message_side *side, void *buffer);

/* Sends the elements of `width` bytes in `from`, and receives others in `to`. Collective; one rank:
 * nothing happens. */
gsolve_status gs_message_sides_exchange(gsolve_context *ctx, size_t width,
                                        const gs_message_side *out, const void *from,
                                        const gs_message_side *in, void *to);

#endif
