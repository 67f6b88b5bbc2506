/* output.h: a file that appears whole under its name, or not at all. */
#ifndef GS_OUTPUT_H
#define GS_OUTPUT_H

#include "core/csr.h"

typedef struct gs_output {
    const char *path;
    char temporary[1100];
    int file;
    void *gz;     /* a gzFile, or NULL */
    char *buffer; /* of GS_OUTPUT_ROOM bytes */
    size_t used;
    bool failed;
} gs_output;

#define GS_OUTPUT_ROOM ((size_t)1 << 20)

/* Begins to write path; compressed where compress is set. */
gsolve_status gs_output_open(gs_output *o, gsolve_context *ctx, const char *path, bool compress);

/* A place for up to 256 bytes, of which the caller says with gs_output_end how far they go. */
char *gs_output_begin(gs_output *o);
static inline void gs_output_end(gs_output *o, const char *end)
{
    o->used = (size_t)(end - o->buffer);
}

void gs_output_write(gs_output *o, const void *data, size_t bytes);

/* Gives the file its name if all went well; else removes it and says why. */
gsolve_status gs_output_close(gs_output *o, gsolve_context *ctx, bool keep);

#endif
