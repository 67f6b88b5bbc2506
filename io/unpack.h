/* unpack.h: files compressed by bzip2, xz or zstd. Each library is one gs_unpacker; in a build
 * without it, its functions are NULL. */
#ifndef GS_IO_UNPACK_H
#define GS_IO_UNPACK_H

#include "io/input.h"

typedef enum gs_unpack_end {
    GS_UNPACK_GO_ON,
    GS_UNPACK_END, /* of the data, or of one of several streams that follow each other */
    GS_UNPACK_DAMAGED,
    GS_UNPACK_NO_MEMORY
} gs_unpack_end;

typedef struct gs_unpack_step { /* what a step may read and write; it moves the pointers */
    const unsigned char *in, *in_end;
    unsigned char *out, *out_end;
} gs_unpack_step;

typedef struct gs_unpacker {
    const char *name;    /* "xz" */
    const char *magic;   /* the first bytes of a file */
    int length;          /* of magic */
    const char *command; /* that unpacks a FILE: "xz -dk" */
    const char *package; /* Debian package of the library */
    const char *option;  /* of CMake */
    /* Begins a stream; returns NULL without memory. */
    void *(*begin)(gsolve_context *ctx);
    gs_unpack_end (*step)(void *state, gs_unpack_step *s);
    void (*end)(void *state, gsolve_context *ctx);
} gs_unpacker;

extern const gs_unpacker gs_bzip2, gs_xz, gs_zstd;

/* The unpacker of the data, or NULL. */
const gs_unpacker *gs_unpacker_of(const char *begin, const char *end);

/* Unpacks in's data. */
gsolve_status gs_unpack(gs_input *in, const gs_unpacker *u);

#endif
