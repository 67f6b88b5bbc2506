/* zip.h: members of zip archives, which NumPy's .npz files are. */
#ifndef GS_IO_ZIP_H
#define GS_IO_ZIP_H

#include "io/input.h"

#define GS_ZIP_NAME 48

typedef struct gs_zip { /* the directory at the end of an archive */
    const char *directory;
    int64_t bytes; /* of the directory */
    int64_t members;
} gs_zip;

typedef struct gs_zip_member {
    char name[GS_ZIP_NAME]; /* shortened, without control characters */
    int method;             /* 0: stored, 8: deflated */
    uint32_t crc;           /* of the content */
    int64_t packed, size;   /* bytes in the archive; bytes of the content */
    const char *local;      /* its head in the archive */
    bool encrypted;
} gs_zip_member;

bool gs_zip_is(const char *begin, const char *end);

gsolve_status gs_zip_open(gs_zip *zip, const gs_input *in);

/* *member = the member with that name; found: whether there is one. */
gsolve_status gs_zip_find(gs_zip_member *member, bool *found, const gs_zip *zip, const char *name,
                          const gs_input *in);

/* *member = member number index, from 0. */
gsolve_status gs_zip_at(gs_zip_member *member, const gs_zip *zip, int64_t index,
                        const gs_input *in);

/* *data = the content, member->size bytes: in the archive, or inflated into *owned. Checks the
 * checksum. */
gsolve_status gs_zip_read(const char **data, void **owned, const gs_zip_member *member,
                          const gs_input *in);

/* The checksum of zip archives, computed by several threads. */
uint32_t gs_zip_crc(gsolve_context *ctx, const void *data, int64_t bytes);

#endif
