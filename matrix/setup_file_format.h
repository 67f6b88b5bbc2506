/* setup_file_format.h: the format of the files of setup_file.h, for writer and reader. */
#ifndef GS_MATRIX_SETUP_FILE_FORMAT_H
#define GS_MATRIX_SETUP_FILE_FORMAT_H

#include <string.h>

#include "matrix/setup_file.h"

/* Each change of what callers write needs a new version. */
#define GS_SETUP_VERSION 1
#define GS_SETUP_ORDER   0x01020304
#define GS_SETUP_MAGIC   "gssetup"

typedef struct gs_setup_file_head {
    char magic[8];
    uint32_t version, order;
    uint64_t hash; /* of this struct, with 0 here */
    uint64_t last; /* the chain after the last array */
    int64_t size;  /* of the file */
    char library[24];
    gs_saved_head head;
} gs_setup_file_head;

typedef struct gs_setup_array_head { /* stands before each array; the array is padded to 8 bytes */
    uint64_t bytes, chain;
} gs_setup_array_head;

static inline uint64_t gs_setup_hash_head(const gsolve_context *ctx, const gs_setup_file_head *h)
{
    gs_setup_file_head copy = *h;

    copy.hash = 0;
    return gs_hash(ctx, &copy, sizeof copy, GS_SETUP_VERSION);
}

/* Whether the first `size` bytes of a file are those of a set-up. */
static inline bool gs_setup_is_magic(const char *bytes, size_t size)
{
    const size_t all = sizeof GS_SETUP_MAGIC;

    return memcmp(bytes, GS_SETUP_MAGIC, size < all ? size : all) == 0;
}

static inline bool gs_saved_same_pattern(const gs_saved_head *a, const gs_saved_head *b)
{
    return a->n == b->n && a->entries == b->entries && a->pattern == b->pattern;
}

/* Each fails with a sentence: the file does not begin as a set-up; it is no regular file. */
gsolve_status gs_setup_refuse_kind(gsolve_context *ctx, const char *path);
gsolve_status gs_setup_refuse_type(gsolve_context *ctx, const char *path, unsigned mode);

static inline size_t gs_setup_padding(size_t bytes)
{
    return (8 - bytes % 8) % 8;
}

/* The hash of an array that follows those with the hash `chain`. */
static inline uint64_t gs_setup_link(const gsolve_context *ctx, uint64_t chain, const void *data,
                                     size_t bytes)
{
    return gs_hash(ctx, data, bytes, chain ^ bytes);
}

#endif
