/* replace.h: a file that appears whole under its name or not at all. */
#ifndef GS_REPLACE_H
#define GS_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct gs_replacement {
    int file;                      /* to be written */
    char temporary[PATH_MAX + 64]; /* its name until it is complete, in path's folder */
    const char *path;              /* must stay until gs_replace_end */
} gs_replacement;

/* Each returns 0 or an errno. */
int gs_replace_begin(gs_replacement *r, const char *path);
int gs_replace_write(const gs_replacement *r, const void *data, size_t bytes);

/* keep: the file gets its name, on the disk if durable; else, and on failure, it is removed. */
int gs_replace_end(gs_replacement *r, bool keep, bool durable);

#endif
