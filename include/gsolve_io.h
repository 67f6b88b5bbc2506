/* gsolve_io.h: sparse matrices and dense vectors from files and generators, and back.
 *
 * A name is the path of a file, or "gen:NAME,key=value,..." for a generated matrix.
 * The kind of a file is told by its content, not by its name:
 *   Matrix Market   coordinate and array; real, integer, pattern; general, symmetric,
 *                   skew-symmetric, hermitian (complex is refused)
 *   Rutherford-Boeing and Harwell-Boeing, assembled, real, integer or pattern
 *   any of these compressed by gzip
 * A failed read returns GSOLVE_BAD_FILE and a sentence that begins with "FILE:LINE: ".
 */
#ifndef GSOLVE_IO_H
#define GSOLVE_IO_H

#include "gsolve_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then while a long read or write goes on: done of total bytes. */
typedef void gsolve_progress(int64_t done, int64_t total, void *user);

typedef struct gsolve_read_options { /* all zero is the default */
    bool cache;                      /* read and write the binary cache */
    gsolve_progress *progress;       /* or NULL */
    void *user;
} gsolve_read_options;

typedef enum gsolve_symmetry {
    GSOLVE_GENERAL,
    GSOLVE_SYMMETRIC,
    GSOLVE_SKEW,
    GSOLVE_HERMITIAN
} gsolve_symmetry;

typedef struct gsolve_source { /* what was read */
    char kind[32];             /* "Matrix Market", "Rutherford-Boeing", "generator" */
    char field[16];            /* "real", "integer", "pattern" */
    gsolve_symmetry symmetry;  /* as stored; the matrix itself is expanded */
    int64_t stored;            /* entries in the file, before expansion and summing */
    int64_t duplicates;        /* entries that were added to another */
    int64_t bytes;             /* of the file's text, decompressed */
    bool cached;               /* came from the binary cache */
    char cache[1024];          /* path of the cache read or written, or "" */
} gsolve_source;

/* csr = the matrix of that name, symmetric forms expanded, columns ascending, duplicates
 * summed, in arrays that the library owns until gsolve_csr_free. Values are double; pattern
 * entries are 1. options and source may be NULL. */
gsolve_status gsolve_read_matrix(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                                 const gsolve_read_options *options, gsolve_source *source);

/* v = the dense matrix of that name (array, or coordinate with zeros filled in), doubles,
 * one column after the other, in an array that the library owns until gsolve_dense_free. */
gsolve_status gsolve_read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                const gsolve_read_options *options, gsolve_source *source);
void gsolve_dense_free(gsolve_dense *v, gsolve_context *ctx);

/* Matrix Market, so many digits that reading gives the same bits; compressed if path ends in
 * ".gz". symmetric: writes the lower triangle only, of a matrix that must be symmetric. The
 * file appears whole under its name or not at all. comment: lines for the head, or NULL. */
gsolve_status gsolve_write_matrix(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                                  gsolve_symmetry symmetry, const char *comment);
gsolve_status gsolve_write_dense(gsolve_context *ctx, const char *path, const gsolve_dense *v,
                                 const char *comment);

/* For the handler of a signal that ends the program: removes the file that a call in ctx is
 * writing, a matrix, a vector or a cache, which has a temporary name until it is complete. Safe in
 * a signal handler, in any thread. That call, and each later one that writes a file in ctx, fails.
 */
void gsolve_abandon_files(gsolve_context *ctx);

/* The index-th generator, whose name and options may follow "gen:"; NULL past the last. */
const gsolve_plugin *gsolve_generator_at(int index);

/* Uniform in [-1, 1), a function of its arguments alone: element index of stream seed. */
double gsolve_random(uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
