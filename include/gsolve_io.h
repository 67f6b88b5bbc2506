/* gsolve_io.h: reads sparse matrices and dense vectors from files and generators, and writes files.
 *
 * A name is the path of a file, or "gen:NAME,key=value,..." for a generated matrix; gsolve list
 * shows the generators. The content of a file determines its format, not its name:
 *
 *     Matrix Market     coordinate and array; real, integer and pattern; general, symmetric,
 *                       skew-symmetric and hermitian; not complex
 *     Rutherford-Boeing and Harwell-Boeing
 *                       assembled; real, integer and pattern
 *     gzip              any of these, compressed
 *
 * A failed read returns GSOLVE_BAD_FILE, and the sentence of gsolve_error begins with "FILE:LINE:
 * ".
 */
#ifndef GSOLVE_IO_H
#define GSOLVE_IO_H

#include "gsolve_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- read ----------------------------------------------------------------------- */

/* A function of the caller that is called repeatedly during a long read or write: done bytes of
 * total are processed. user is the pointer of gsolve_read_options. */
typedef void gsolve_progress(int64_t done, int64_t total, void *user);

/* Options of a read. All members 0: no cache and no progress. */
typedef struct gsolve_read_options {
    bool cache;                /* read the binary cache of the file if it is valid, else write it */
    gsolve_progress *progress; /* or NULL */
    void *user;                /* passed to progress */
} gsolve_read_options;

/* Which half of the matrix a file stores. */
typedef enum gsolve_symmetry {
    GSOLVE_GENERAL,
    GSOLVE_SYMMETRIC,
    GSOLVE_SKEW,
    GSOLVE_HERMITIAN
} gsolve_symmetry;

/* What was read. */
typedef struct gsolve_source {
    char kind[32];            /* "Matrix Market", "Rutherford-Boeing" or "generator" */
    char field[16];           /* "real", "integer" or "pattern" */
    gsolve_symmetry symmetry; /* as in the file; the matrix in memory has both halves */
    int64_t stored;           /* entries in the file, before symmetric expansion and summation */
    int64_t duplicates;       /* entries that were added to another entry */
    int64_t bytes;            /* size of the file's text after decompression */
    bool cached;              /* whether the binary cache was read */
    char cache[1024];         /* path of the cache that was read or written, or "" */
} gsolve_source;

/* Reads or generates a sparse matrix. Symmetric forms are expanded, columns ascend, and duplicates
 * are summed. Values are double; the entries of a pattern become 1. The arrays are on the host and
 * belong to ctx; free them with gsolve_csr_free. options and source may be NULL. Fails with
 * GSOLVE_BAD_FILE, or with GSOLVE_BAD_SPEC for a generator. */
gsolve_status gsolve_read_matrix(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                                 const gsolve_read_options *options, gsolve_source *source);

/* Reads or generates a dense matrix, from an array file or from a coordinate file whose missing
 * entries are 0. Values are double and column-major, on the host. Free the array with
 * gsolve_dense_free. options and source may be NULL. */
gsolve_status gsolve_read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                const gsolve_read_options *options, gsolve_source *source);

/* Frees the array of v, which gsolve_read_dense allocated in ctx, and clears *v. */
void gsolve_dense_free(gsolve_dense *v, gsolve_context *ctx);

/* --- write ---------------------------------------------------------------------- */

/* Writes a Matrix Market coordinate file with so many digits that a reader gets the same bits. A
 * path that ends in ".gz" is compressed. With GSOLVE_SYMMETRIC the file contains the lower triangle
 * only; the matrix must be symmetric. comment is text for the head of the file, or NULL. The
 * function writes to a temporary name first: path then holds the whole file, or is unchanged. */
gsolve_status gsolve_write_matrix(gsolve_context *ctx, const char *path, const gsolve_csr *csr,
                                  gsolve_symmetry symmetry, const char *comment);

/* Writes a Matrix Market array file, with the rules of gsolve_write_matrix. v is column-major. */
gsolve_status gsolve_write_dense(gsolve_context *ctx, const char *path, const gsolve_dense *v,
                                 const char *comment);

/* Removes the temporary file that a call in ctx is writing: a matrix, a vector or a cache. For the
 * handler of a signal that ends the program. It is safe in a signal handler and in any thread. The
 * call that writes the file fails, and so does each later call that writes a file in ctx. */
void gsolve_abandon_files(gsolve_context *ctx);

/* --- generators ----------------------------------------------------------------- */

/* Returns generator number index, or NULL if there are fewer. Its name and options follow "gen:" in
 * the name of a matrix. */
const gsolve_plugin *gsolve_generator_at(int index);

/* Returns number index of the random sequence seed, uniform in [-1, 1). The result depends on the
 * two arguments only. */
double gsolve_random(uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
