/* dist_file.h: a file that all ranks write. It appears complete under its name or not at all. */
#ifndef GS_IO_DIST_FILE_H
#define GS_IO_DIST_FILE_H

#include "core/replace.h"
#include "gsolve_io.h"

typedef struct gs_dist_file {
    gsolve_context *ctx;
    gs_replacement replacement; /* rank 0 has begun it, the others have joined it */
    bool is_open;
} gs_dist_file;

/* Rank 0 creates the file, with its first bytes. *opened: the other ranks have opened it, which
 * their hosts see under this name; if not, nothing is left. *bytes: of rank 0, on all ranks. path
 * must stay until gs_dist_file_close, and f must not move. Collective. */
gsolve_status gs_dist_file_open(gs_dist_file *f, bool *opened, gsolve_context *ctx,
                                const char *path, const void *first, size_t *bytes);

/* The file gets its name if `local`, the status of this rank, is GSOLVE_OK on all ranks. Returns
 * the status of all ranks. Collective. */
gsolve_status gs_dist_file_close(gs_dist_file *f, gsolve_status local);

#endif
