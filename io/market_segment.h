/* market_segment.h: the entries of a Matrix Market file are parsed in segments, which end at line
 * ends. Each rank has a stretch of the text, and each of its threads a segment of the stretch.
 * market_split.c splits, market_lines.c parses, market_entries.c finds the first error. */
#ifndef GS_IO_MARKET_SEGMENT_H
#define GS_IO_MARKET_SEGMENT_H

#include "dist/comm.h"
#include "io/market.h"

#define GS_MAX_SEGMENTS 64
#define GS_STRIDE       ((int64_t)1 << 22) /* bytes between two checks for an interrupt */

typedef enum gs_line_status {
    GS_ENTRY,
    GS_BLANK,
    GS_BAD_ROW,
    GS_BAD_COLUMN,
    GS_BAD_VALUE,
    GS_ON_DIAGONAL,
    GS_MORE_WORDS,
    GS_MORE_ENTRIES
} gs_line_status;

typedef struct gs_segment {
    const char *begin, *end;
    int64_t first, capacity,
        count;            /* of its entries: the first position, the most, and the number */
    gs_line_status error; /* the error at word; GS_ENTRY: none */
    gs_word word;
} gs_segment;

typedef struct gs_parsing { /* of the stretch of a rank */
    const gs_market *m;
    const gs_input *in;
    gs_comm *comm;
    gs_triplets t;
    int64_t capacity; /* elements of the arrays of t */
    int count;
    gs_segment segments[GS_MAX_SEGMENTS];
} gs_parsing;

/* Sets the segments of this rank, the position of each and its capacity. Collective. */
gsolve_status gs_split_text(gs_parsing *job);

/* Sets the segments of this rank with capacities that should suffice. Local. */
void gs_split_roughly(gs_parsing *job);

/* Parses a segment up to its end, its first error, or an interrupt. */
void gs_parse_segment(const gs_parsing *job, gs_segment *segment);

#endif
