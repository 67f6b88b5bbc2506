/* dist.h: matrices and vectors of files, distributed over ranks. dist.c chooses how a file is read;
 * dist_market.c reads a Matrix Market file on all ranks, dist_cache.c reads and writes a cache;
 * dist_rows.c divides rows; dist_dense.c reads dense matrices, dist_write.c writes them. */
#ifndef GS_IO_DIST_H
#define GS_IO_DIST_H

#include "dist/comm.h"
#include "dist/row_range.h"
#include "gsolve_io.h"
#include "io/market.h"

/* As gs_comm_check; but if the file is at fault (GSOLVE_BAD_FILE and others), all ranks fail with
 * the sentence of the lowest rank that does, without the number of the rank: it is the sentence of
 * one rank. */
gsolve_status gs_check_file(gs_comm *comm, gsolve_status local);

static inline bool gs_is_first(const gsolve_context *ctx)
{
    return !ctx->comm || ctx->comm->rank == 0;
}

/* *all = whether `own` holds on all ranks. */
gsolve_status gs_agree(bool *all, gsolve_context *ctx, bool own);

/* Fails on all ranks unless they name the same file or matrix. */
gsolve_status gs_same_name(gsolve_context *ctx, const char *name);

/* data = the bytes of rank 0, on all ranks. */
gsolve_status gs_share(gs_comm *comm, void *data, size_t bytes);

/* --- rows ------------------------------------------------------------------------------------- */

/* The first entry of rank r if `entries` entries are divided. Its rows are those that begin there
 * or later, up to the first row of rank r + 1. */
static inline int64_t gs_first_entry(int64_t entries, int r, int ranks)
{
    return (int64_t)((double)entries / ranks * r);
}

static inline int64_t gs_clamp(int64_t k, int64_t least, int64_t most)
{
    return k < least ? least : k > most ? most : k;
}

/* csr = this rank's rows of a matrix with ncols columns, divided so that ranks have about equal
 * numbers of entries. A: the rows of this rank before, with values of type double; those of all
 * ranks follow one another. Takes ownership of its values if no rows move. Collective. */
gsolve_status gs_divide_rows(gsolve_dist_csr *csr, gsolve_context *ctx, gsolve_csr *A,
                             int64_t ncols);

/* The elements of x that a rank with these rows owns. */
gsolve_row_range gs_column_range(gsolve_row_range rows, int64_t ncols, int rank, int ranks);

/* The arrays of a gsolve_dist_csr, for writing. */
typedef struct gs_dist_arrays {
    int64_t *start, *col;
    double *value;
} gs_dist_arrays;

gsolve_status gs_dist_arrays_new(gs_dist_arrays *a, gsolve_context *ctx, int32_t rows,
                                 int64_t entries);
void gs_dist_arrays_free(gs_dist_arrays *a, gsolve_context *ctx);

/* csr takes ownership of the arrays of this rank's rows. */
void gs_dist_csr_own(gsolve_dist_csr *csr, gsolve_row_range rows, gsolve_row_range cols,
                     gs_dist_arrays *a);

/* --- dense matrices --------------------------------------------------------------------------- */

/* Moves the elements of a matrix from v to `part` (to_part) or from `part` to v. v holds this
 * rank's rows. `part` holds `count` consecutive elements in column-major order; the elements of the
 * next rank follow them. Collective. */
gsolve_status gs_move_elements(gsolve_context *ctx, const gs_ownership *owner, void *part,
                               int64_t count, gsolve_dense v, bool to_part);

/* --- Matrix Market ---------------------------------------------------------------------------- */

/* *is_market: all ranks see the same coordinate file, which is in `in` (close it), with this head.
 * dense: or the same array without symmetry. Collective. */
gsolve_status gs_market_open_dist(gs_input *in, gs_market *m, bool *is_market, gsolve_context *ctx,
                                  const char *path, const gsolve_read_options *options, bool dense);

/* csr = this rank's rows of the file. in->source is set. Collective. */
gsolve_status gs_market_read_dist(gsolve_dist_csr *csr, gs_input *in, const gs_market *m);

/* *found: the file has a valid cache, which all ranks see; csr = this rank's rows in it. Sets the
 * stamp of *source, and all of it if found. Collective, over several ranks. */
gsolve_status gs_cache_read_dist(gsolve_dist_csr *csr, bool *found, gsolve_context *ctx,
                                 const char *path, gsolve_source *source);

/* Writes the cache of a file, from which csr and *source were read. Sets source->cache if it could
 * be written; that it could not is no error. Collective, over several ranks. */
gsolve_status gs_cache_write_dist(const gsolve_dist_csr *csr, gsolve_context *ctx, const char *path,
                                  gsolve_source *source);

/* A = this rank's rows of the matrix, mirrored according to symmetry. first: the first row of each
 * rank and the number of rows; NULL: ranks get about equal numbers of entries. Frees the triplets,
 * `count` on this rank. Collective. In dist_triplets.c. */
gsolve_status gs_assemble_dist(gsolve_csr *A, gsolve_context *ctx, const gs_market *m,
                               gs_triplets *t, int64_t count, const int64_t *first,
                               int64_t *duplicates);

#endif
