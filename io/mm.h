/* mm.h: the parts of the Matrix Market reader. */
#ifndef GS_MM_H
#define GS_MM_H

#include "io/text.h"

typedef enum gs_mm_field { MM_REAL, MM_INTEGER, MM_PATTERN } gs_mm_field;

typedef struct gs_mm_head {
    bool array; /* else coordinate */
    gs_mm_field field;
    gsolve_symmetry symmetry;
    int64_t nrows, ncols, entries; /* of an array: those that are stored */
    const char *body;              /* the line after the sizes */
    int64_t line;                  /* its number */
} gs_mm_head;

/* Reads the banner, the comments and the sizes. */
gsolve_status gs_mm_read_head(gs_mm_head *head, gsolve_context *ctx, const gs_text *text);

/* i, j, v of every entry in the file's order, counted from 0, in owned arrays of room elements; v is
 * NULL for a pattern, i and j for an array. */
typedef struct gs_mm_entries {
    int32_t *i, *j;
    double *v;
} gs_mm_entries;

gsolve_status gs_mm_read_entries(gs_mm_entries *e, gsolve_context *ctx, const gs_text *text,
                                 const gs_mm_head *head, int64_t room,
                                 const gsolve_read_options *options);
void gs_mm_free_entries(gs_mm_entries *e, gsolve_context *ctx);

#endif
