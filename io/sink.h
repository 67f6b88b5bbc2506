/* sink.h: writes text to a file, compressed if the name of the file ends in ".gz". */
#ifndef GS_IO_SINK_H
#define GS_IO_SINK_H

#include "io/gzip.h"
#include "io/replace.h"

typedef struct gs_sink {
    gsolve_context *ctx;
    gs_replacement replacement;
    bool compressed;
    z_stream z;
    unsigned char *packed; /* the output of z, before it is written */
} gs_sink;

/* On failure there is nothing to close. path must stay until gs_sink_close. */
gsolve_status gs_sink_open(gs_sink *sink, gsolve_context *ctx, const char *path);
gsolve_status gs_sink_write(gs_sink *sink, const char *text, size_t bytes);

/* status: the result of the writes; the file appears only if it is GSOLVE_OK. Returns status, or
 * the error of completing the file. */
gsolve_status gs_sink_close(gs_sink *sink, gsolve_status status);

#endif
