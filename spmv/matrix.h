/* matrix.h: what a matrix handle holds. */
#ifndef GS_MATRIX_H
#define GS_MATRIX_H

#include "core/csr.h"

struct gsolve_matrix {
    gsolve_context *ctx;
    const gsolve_format *format;
    void *options, *self;
    gsolve_csr csr;           /* owned and clean; the format may point into it */
    int64_t *place;           /* for each of the caller's entries the one it adds to, or NULL */
    int64_t given;            /* the caller's entries, where there is place */
    uint64_t given_pattern;   /* hash of the caller's pattern, where there is place */
    gsolve_csr transposed;    /* A', made when first asked for */
    void *transposed_self;    /* in the same format */
    bool transposed_is_stale; /* the values have changed since */
    double build_seconds;
    uint64_t version;
};

/* The built-in formats, ending with NULL. */
extern const gsolve_plugin *const gs_formats[];

extern const gsolve_format gs_csr_format;

#endif
