/* gsolve_io.h: reads sparse matrices and dense matrices from files and generators, and writes
 * files.
 *
 * In these functions the argument `name` is the path of a file, or "gen:NAME,key=value,..." for a
 * generated matrix. "gsolve list generators" shows the generators and their keys. The content of a
 * file, not its name, decides which of these formats it has:
 *
 *     Matrix Market     coordinate and array; real, integer and pattern; general, symmetric,
 *                       skew-symmetric and hermitian. A real hermitian matrix is symmetric
 *     Rutherford-Boeing and Harwell-Boeing
 *                       assembled; real, integer and pattern
 *     NumPy .npy        versions 1 to 3; float32, float64, integers and bool, in either byte order,
 *                       row-major and column-major
 *     SciPy .npz        csr, csc, coo, bsr and dia of scipy.sparse.save_npz, stored or deflated;
 *                       also an archive of numpy.savez that holds a single array
 *     PETSc binary      AIJ and dense matrices and vectors, with 32-bit or 64-bit indices. A matrix
 *                       and a vector may be in one file
 *     MATLAB .mat       versions 5 and 7.3, by libmatio: the only sparse matrix or the one called
 * A, the only full matrix or the one called b; also in a struct plain text        vectors and dense
 * matrices: one row in each line, comments after # and %; a single line is a vector gzip, bzip2,
 * xz, zstd any of these but .mat, compressed
 *
 * "-" is standard input, and for the functions that write, standard output. Pipes, terminals and
 * names such as /dev/fd/5 work, too: they are read to their end, and written in place. The name of
 * a file called "-" is "./-".
 *
 * bzip2, xz, zstd and .mat need libraries that a build may lack; the error then says so. A file
 * that cannot be opened, read or written, or whose content is malformed, gives GSOLVE_BAD_FILE. So
 * does a file that is complex, that contains element matrices, or that has another format than
 * these. If the content of a text is at fault, the sentence of gsolve_error begins with the path
 * and the number of the line, such as "A.mtx:12:"; for a binary file it begins with the path, and
 * the part if the file has several, such as "A.npz:indices.npy:".
 */
#ifndef GSOLVE_IO_H
#define GSOLVE_IO_H

#include "gsolve_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- read ----------------------------------------------------------------------- */

/* A function of the caller that a long read calls repeatedly: `processed` of `total` bytes are
 * processed. Reading a compressed file counts twice from 0: for the compressed bytes and then for
 * the text. `user` is the pointer of gsolve_read_options. */
typedef void gsolve_progress(int64_t processed, int64_t total, void *user);

/* Options of a read. Set all members to 0 for the defaults: no cache and no progress. */
typedef struct gsolve_read_options {
    bool cache; /* read the binary cache of the file if there is one and it is valid; else read the
                   file and write the cache. The cache of FILE is FILE.gscache, or if that cannot be
                   written, a file in $XDG_CACHE_HOME/gsolve (default ~/.cache/gsolve). Problems
                   with a cache are not errors. A pipe has no cache */
    bool cache_read_only;      /* with cache: do not write the cache; gsolve_write_cache can */
    gsolve_progress *progress; /* or NULL */
    void *user;                /* passed to progress */
} gsolve_read_options;

/* The symmetry of a matrix in a file. A general file contains all entries. The others contain only
 * the entries on the diagonal and on one side of it (GSOLVE_SKEW: only on one side); the rest
 * follows from the symmetry. */
typedef enum gsolve_symmetry {
    GSOLVE_GENERAL,
    GSOLVE_SYMMETRIC,
    GSOLVE_SKEW,
    GSOLVE_HERMITIAN
} gsolve_symmetry;

/* What was read. */
typedef struct gsolve_source {
    size_t size;              /* set by GSOLVE_INIT */
    char kind[32];            /* "Matrix Market", "Rutherford-Boeing" (also for Harwell-Boeing),
                                 "NumPy", "SciPy", "PETSc", "MATLAB", "text" or "generator" */
    char field[16];           /* "real", "integer" or "pattern" */
    gsolve_symmetry symmetry; /* as in the file; the matrix in memory contains all entries */
    int64_t stored;           /* entries in the file, before symmetric expansion and summation; for
                                 a generator the entries of the matrix */
    int64_t duplicates;       /* entries that were added to another entry */
    int64_t bytes;            /* size of the text of the file after decompression */
    bool cached;              /* whether the binary cache was read instead of the file */
    char cache[1024];         /* path of the cache that was read or written, or "" */
    uint64_t stamp[3];        /* size, time stamp and hash of the file if the option cache is set
                                 and the file can be cached; else 0 */
    gsolve_inspection inspection; /* of the matrix, as gsolve_write_cache got it; not clean: unknown
                                   */
} gsolve_source;

/* Reads or generates a sparse matrix. All entries of a symmetric matrix are in memory. The columns
 * of each row ascend strictly, and duplicates are summed. Values are double; each entry of a
 * pattern gets the value 1. The nonzero values of an array file become entries. Offsets have 32
 * bits if the number of entries is below 2^31. The arrays are on the host and are allocated in ctx;
 * free them with gsolve_csr_free. `options` and `source` may be NULL. Fails with GSOLVE_BAD_FILE
 * for a file, and with GSOLVE_BAD_SPEC for a generator. */
GSOLVE_API gsolve_status gsolve_read_matrix(gsolve_csr *csr, gsolve_context *ctx, const char *name,
                                            const gsolve_read_options *options,
                                            gsolve_source *source);

/* Writes the cache of the file `name`. csr and source: what gsolve_read_matrix set from the file,
 * with the options cache and cache_read_only. inspection: that of csr, which the cache keeps, or
 * NULL. Sets source->cache to the path of the cache, or to "" if it cannot be written: problems
 * with a cache are not errors. ctx may be another context than that of csr, in another thread; csr
 * and `name` must not change meanwhile. gsolve_abandon_files ends the call early and removes the
 * file in progress. */
GSOLVE_API gsolve_status gsolve_write_cache(gsolve_context *ctx, const char *name,
                                            const gsolve_csr *csr, gsolve_source *source,
                                            const gsolve_inspection *inspection);

/* Reads a dense matrix from a Matrix Market file, array or coordinate, or from a NumPy, PETSc,
 * MATLAB or text file. An entry that a coordinate file does not contain is 0. Values are double and
 * column-major. The array is on the host and is allocated in ctx; free it with gsolve_dense_free.
 * `options` and `source` may be NULL. Fails with GSOLVE_BAD_FILE, also for files in other formats,
 * and with GSOLVE_UNSUPPORTED if `name` is that of a generator. */
GSOLVE_API gsolve_status gsolve_read_dense(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                           const gsolve_read_options *options,
                                           gsolve_source *source);

/* Reads or generates this rank's rows of a matrix whose rows are distributed over the ranks of ctx
 * (gsolve_dist.h); collective. Each rank generates its own rows. All ranks read a Matrix Market
 * coordinate file that is not compressed: each parses a part of the text and sends the entries to
 * the ranks of their rows; with the option cache, each reads its rows of a cache, or writes them to
 * a new one. All ranks must be able to open the file, with the same size and time stamp. Else, and
 * for all other files and pipes, rank 0 reads and sends the other ranks theirs.
 * The rows, the bits of the values and the sentences of errors in the file are those of
 * gsolve_read_matrix.
 *
 * Ranks get equal numbers of rows of a generated matrix, and about equal numbers of entries of a
 * file. The columns of each row ascend strictly. Free csr with gsolve_dist_csr_free. `options` and
 * `source`, which may be NULL, are as for gsolve_read_matrix. The caches are those of rank 0's
 * options. Each rank that parses calls its own progress function. *source is set on all ranks. */
GSOLVE_API gsolve_status gsolve_read_matrix_dist(gsolve_dist_csr *csr, gsolve_context *ctx,
                                                 const char *name,
                                                 const gsolve_read_options *options,
                                                 gsolve_source *source);

/* Reads this rank's rows of a dense matrix with rows.total rows; collective. All ranks read a
 * Matrix Market file that is not compressed, as in gsolve_read_matrix_dist; rank 0 reads arrays
 * that are symmetric, other files, and with the option cache, and sends the other ranks their rows.
 * The bits of the values and the sentences of errors are those of gsolve_read_dense; `name`, which
 * all ranks pass, and `options` are as there. Fails with GSOLVE_BAD_FILE if the file has another
 * number of rows. Free v with gsolve_dense_free. */
GSOLVE_API gsolve_status gsolve_read_dense_dist(gsolve_dense *v, gsolve_context *ctx,
                                                const char *name, gsolve_row_range rows,
                                                const gsolve_read_options *options);

/* Writes a dense matrix, of which v holds this rank's rows, to one file, as gsolve_write_dense
 * does; collective. All ranks pass the same path. v is column-major, of doubles, on the host. All
 * ranks write their rows of a Matrix Market file that is not compressed, if they can open the
 * temporary file of rank 0. Otherwise rank 0 collects all rows and writes. If a rank fails, a file
 * that existed is unchanged. The comment is that of rank 0. */
GSOLVE_API gsolve_status gsolve_write_dense_dist(gsolve_context *ctx, const char *path,
                                                 gsolve_row_range rows, const gsolve_dense *v,
                                                 const char *comment);

/* Frees the array of v, which gsolve_read_dense allocated in ctx, and sets all members of *v to 0.
 */
GSOLVE_API void gsolve_dense_free(gsolve_dense *v, gsolve_context *ctx);

/* --- write ---------------------------------------------------------------------- */

/* The formats that gsolve_write_matrix and gsolve_write_dense choose by the name of the file. */
typedef enum gsolve_file_format {
    GSOLVE_FILE_MARKET, /* Matrix Market: every name that is not one of the others */
    GSOLVE_FILE_NPZ,    /* .npz: sparse matrices of SciPy */
    GSOLVE_FILE_NPY,    /* .npy: arrays of NumPy */
    GSOLVE_FILE_PETSC,  /* .petsc or .bin */
    GSOLVE_FILE_TEXT,   /* .txt: plain text, for vectors and dense matrices */
    GSOLVE_FILE_OTHER   /* a name of a format that gsolve does not write, such as .mat */
} gsolve_file_format;

/* Returns the format that the name `path` chooses. */
GSOLVE_API gsolve_file_format gsolve_file_format_of(const char *path);

/* Returns the open descriptor that `path` names: `standard` for "-"; 0, 1 and 2 for /dev/stdin,
 * /dev/stdout and /dev/stderr; N for /dev/fd/N and /proc/self/fd/N; -1 for the path of a file. */
GSOLVE_API int gsolve_descriptor_of(const char *path, int standard);

/* Writes csr, which is on the host, to a Matrix Market coordinate file. Each value has enough
 * digits that a reader gets the same bits. If `path` ends in ".gz", the file is compressed. If it
 * ends in ".npz", the file is that of scipy.sparse.save_npz, not deflated; if it ends in ".petsc"
 * or
 * ".bin", a PETSc AIJ matrix with 32-bit indices. These two contain all entries, so only
 * GSOLVE_GENERAL is allowed, and no comment; GSOLVE_UNSUPPORTED: a PETSc file cannot hold 2^31
 * entries, and ".npy" and ".txt" are for gsolve_write_dense. `comment` is text of one or several
 * lines for the head of the file, or NULL.
 *
 * With GSOLVE_GENERAL the file contains all entries. With GSOLVE_SYMMETRIC and GSOLVE_HERMITIAN it
 * contains the entries on and below the diagonal, and with GSOLVE_SKEW those below it. Diagonal
 * entries of a skew-symmetric matrix are 0, so a reader gets the matrix without them. The matrix
 * must be symmetric (GSOLVE_SKEW: skew-symmetric): a_ij = a_ji (a_ij = -a_ji) exactly, for entries
 * at the same places. GSOLVE_HERMITIAN writes a symmetric file.
 *
 * The function writes to a temporary file in the same folder and renames it at the end. So after a
 * failure a file that existed at `path` is unchanged. Standard output, pipes and devices are
 * written in place instead; what the program has printed by stdio must be flushed before. Fails
 * with GSOLVE_BAD_FILE if the file cannot be written, with GSOLVE_BAD_MATRIX if csr is malformed or
 * does not have the symmetry, and with GSOLVE_UNSUPPORTED if csr is on the device. */
GSOLVE_API gsolve_status gsolve_write_matrix(gsolve_context *ctx, const char *path,
                                             const gsolve_csr *csr, gsolve_symmetry symmetry,
                                             const char *comment);

/* Writes v to a Matrix Market array file, with the rules of gsolve_write_matrix for `path`,
 * `comment` and values. If `path` ends in ".npy", the file is a NumPy array of the type of v;
 * ".petsc" or ".bin": a PETSc vector, or a dense matrix if v has several columns; ".txt": plain
 * text, one row in each line. ".npz" is for gsolve_write_matrix. v is column-major and on the host,
 * else the call fails with GSOLVE_BAD_ARGUMENT. Fails with GSOLVE_BAD_MATRIX if a value is not
 * finite, and with GSOLVE_BAD_FILE if the file cannot be written. */
GSOLVE_API gsolve_status gsolve_write_dense(gsolve_context *ctx, const char *path,
                                            const gsolve_dense *v, const char *comment);

/* Removes the temporary file that a call in ctx is writing: a matrix, a vector or a cache. The
 * function is for the handler of a signal that ends the program. It is safe in a signal handler and
 * in any thread. The call that writes the file fails with GSOLVE_BAD_FILE, and so does each later
 * call that writes a file in ctx; a cache is silently not written. */
GSOLVE_API void gsolve_abandon_files(gsolve_context *ctx);

/* --- generators ----------------------------------------------------------------- */

/* Returns the generator at position `index` of the list, from 0, or NULL if there is none. In the
 * name of a matrix, its name and options follow "gen:". */
GSOLVE_API const gsolve_plugin *gsolve_generator_at(int index);

/* Returns the element at position `index`, from 0, of the sequence of random numbers that belongs
 * to `seed`. The numbers are uniformly distributed in [-1, 1). The result depends on the two
 * arguments only. */
GSOLVE_API double gsolve_random(uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
