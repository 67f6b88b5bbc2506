/* replace.h: writes a file that appears complete under its name or not at all.
 *
 * It is written as PATH.PID-K.tmp beside PATH and renamed at the end. If PATH is a symbolic link,
 * the link stays, and the file that it names is written in this way. The context knows the file
 * that is being written, so that gsolve_abandon_files, which a signal handler may call, can remove
 * it. A temporary file that a killed process left is removed when PATH is written next.
 *
 * gs_replace_begin_any also takes pipes, devices and open descriptors ("-": standard output), which
 * have no name to rename to: their bytes are written in place. */
#ifndef GS_CORE_REPLACE_H
#define GS_CORE_REPLACE_H

#include <limits.h>

#include "core/context.h"

typedef struct gs_replacement {
    gsolve_context *ctx;
    int file;                      /* the descriptor of the temporary file */
    char temporary[PATH_MAX + 64]; /* its name until it is complete, in the folder of target */
    const char *path;              /* must stay until gs_replace_end */
    char target[PATH_MAX];         /* path, or what it names as a symbolic link */
    bool in_place;                 /* there is no temporary file */
} gs_replacement;

/* Each returns 0 or an errno; ECANCELED after gsolve_abandon_files. A context writes one file at a
 * time, and r must not move in memory before gs_replace_end. */
int gs_replace_begin(gs_replacement *r, gsolve_context *ctx, const char *path);
int gs_replace_begin_any(gs_replacement *r, gsolve_context *ctx, const char *path);
int gs_replace_write(const gs_replacement *r, const void *data, size_t bytes);

/* Writes at an offset of the temporary file. */
int gs_replace_write_at(const gs_replacement *r, const void *data, size_t bytes, int64_t offset);

/* Several processes write one file: one begins and ends, the others join its temporary file, which
 * they can open, and leave before it ends. */
int gs_replace_join(gs_replacement *r, gsolve_context *ctx, const char *path,
                    const char *temporary);
int gs_replace_leave(gs_replacement *r);

/* Whether path names an open descriptor, a pipe or a device, which are written in place. */
bool gs_replace_is_stream(const char *path);

/* keep: renames the file to its final name; durable: after its data are on the disk. Without keep,
 * and on failure, removes it. */
int gs_replace_end(gs_replacement *r, bool keep, bool durable);

#endif
