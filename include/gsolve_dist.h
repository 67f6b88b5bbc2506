/* gsolve_dist.h: one linear system whose rows are distributed over several ranks. A rank is usually
 * an MPI process (gsolve_context_create_mpi of gsolve_mpi.h), or whatever joins the transport of
 * gsolve_context_set_transport (gsolve_plugin.h). Each rank owns consecutive rows of A, and the
 * elements of b and x that belong to them. A context without a transport is one rank.
 *
 * A distributed matrix is a matrix handle. gsolve_matrix_apply, gsolve_matrix_apply_transpose,
 * gsolve_matrix_apply_dot, gsolve_matrix_residual, gsolve_matrix_statistics,
 * gsolve_matrix_set_null_space, gsolve_precond_create_from, gsolve_solver_create and
 * gsolve_solver_run accept it as any other.
 * Their vectors hold the elements of this rank. Sums, norms and results are those of the whole
 * system and equal on all ranks, bits included.
 *
 * All functions of this header except gsolve_dist_csr_free, and the functions above with a
 * distributed matrix, are collective: all ranks call them in the same order, with the same specs,
 * options and numbers of columns. If one rank fails, they fail on all ranks with the same status,
 * and gsolve_error begins with the number of the rank, such as "rank 3: ". Rows in the sentence are
 * those of the whole matrix. The exceptions are products and applications of preconditioners: a
 * vector that gsolve_matrix_apply or gsolve_precond_apply refuses on one rank must be refused on
 * all.
 *
 * gsolve_solver_explain and gsolve_solver_diagnose after such a run are collective, too: call them
 * on all ranks, and print on one.
 *
 * In each call the numbers of columns and the types of matrices and vectors must be equal on all
 * ranks. The layout and the location of a vector may differ.
 *
 * All ranks compute on CPUs, or all on GPUs. On GPUs the rows are given on the host, and vectors
 * may be on the host or on the device of the rank.
 *
 * All methods but "lsqr" and "lsmr" need a square matrix and equal ranges of rows and of elements
 * of x on each rank. Those two accept any shape and any ranges: b has this rank's rows, and x the
 * elements that it owns.
 *
 * Preconditioners see the diagonal block of the rank: its own rows and, of these, the columns that
 * it owns. gsolve_matrix_csr returns this block, too. So "ilu", "ic", "isai" and "block_jacobi" do
 * not couple the ranks, and the number of iterations depends on the number of ranks; "jacobi" and
 * "chebyshev" are those of one rank. So is "amg" with aggregation=mis2, which works over ranks on
 * CPUs: its levels have the same bits for any number of ranks. Near-null vectors and coordinates
 * are those of this rank's rows and nodes, and the row ranges must not cut nodes. New values are
 * set by gsolve_precond_update_from.
 */
#ifndef GSOLVE_DIST_H
#define GSOLVE_DIST_H

#include "gsolve_auto.h"
#include "gsolve_matrix.h"
#include "gsolve_solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- rows of a rank ------------------------------------------------------------- */

/* The rows `first` to `first + count - 1` of `total` rows. */
typedef struct gsolve_row_range {
    int64_t first, total;
    int32_t count;
} gsolve_row_range;

/* Returns the rows of a rank if `total` rows are divided evenly: the first total % ranks ranks have
 * one row more than the others. */
static inline gsolve_row_range gsolve_row_range_even(int64_t total, int rank, int ranks)
{
    const int64_t size = total / ranks, more = total % ranks;
    gsolve_row_range rows = {rank * size + (rank < more ? rank : more), total,
                             (int32_t)(size + (rank < more))};
    return rows;
}

/* This rank's rows of a distributed matrix, as compressed rows. The row ranges of the ranks follow
 * one another in rank order, and together they are all rows; a rank may have none. The entries of
 * local row i, which is row rows.first + i of the matrix, have the positions start[i] to
 * start[i + 1] - 1 in col and value. They may be in any order, and duplicates are summed. */
typedef struct gsolve_dist_csr {
    gsolve_row_range rows;
    gsolve_row_range cols;    /* the elements of x that this rank owns; cols.total 0: as rows */
    const void *start;        /* rows.count + 1 offsets into this rank's entries; the first is 0 */
    const int64_t *col;       /* column of each entry, counted over all ranks */
    const void *value;        /* value of each entry */
    gsolve_offset offset;     /* type of the elements of start */
    gsolve_type type;         /* type of the elements of value; equal on all ranks */
    gsolve_location location; /* of all three arrays; GSOLVE_HOST */
} gsolve_dist_csr;

/* Frees the three arrays of csr, which a function of the library allocated in ctx, and sets all
 * members of *csr to 0. */
GSOLVE_API void gsolve_dist_csr_free(gsolve_dist_csr *csr, gsolve_context *ctx);

/* Computes csr as the sum of triplets: entry a_ij is the sum of the v[k] of all ranks with i[k] = i
 * and j[k] = j, numbered over all ranks. A rank may give triplets for rows of other ranks, such as
 * the contributions of its finite elements; they travel to the owner. Values of one entry are added
 * in rank order, and those of one rank in the order of k. `rows` are the rows that this rank owns;
 * the matrix is square. Triplets with a negative i[k] or j[k] are skipped. The columns of each row
 * of csr ascend strictly. Free csr with gsolve_dist_csr_free.
 *
 * Fails with GSOLVE_BAD_MATRIX if a number is rows.total or more, or a value is not finite. */
GSOLVE_API gsolve_status gsolve_dist_csr_assemble(gsolve_dist_csr *csr, gsolve_context *ctx,
                                                  gsolve_row_range rows, int64_t count,
                                                  const int64_t *i, const int64_t *j,
                                                  const double *v);

/* Computes C = A B: this rank's rows of it, from its rows of A and of B and from copies of rows of
 * B of other ranks. The matrices may be rectangular. A->cols, the columns of A that this rank owns,
 * must be B->rows. C has the rows of A and the columns of B. Its bits are those of
 * gsolve_csr_multiply on the whole matrices, for any number of ranks and any division. The columns
 * of each row of C ascend strictly, and its offsets are GSOLVE_O64. An entry of C whose products
 * cancel stays, as 0. Free C with gsolve_dist_csr_free.
 *
 * Fails with GSOLVE_BAD_MATRIX if the sizes do not fit; with GSOLVE_BAD_ARGUMENT if the columns of
 * A and the rows of B are divided differently or the types differ; with GSOLVE_UNSUPPORTED in a
 * context of a GPU; and like gsolve_matrix_create_dist. */
GSOLVE_API gsolve_status gsolve_dist_csr_multiply(gsolve_dist_csr *C, gsolve_context *ctx,
                                                  const gsolve_dist_csr *A,
                                                  const gsolve_dist_csr *B);

/* Computes C = A': this rank's rows of it, which are A->cols; C->cols is A->rows. The columns of
 * each row of C ascend strictly, and its offsets are GSOLVE_O64. Free C with gsolve_dist_csr_free.
 * Fails like gsolve_matrix_create_dist. */
GSOLVE_API gsolve_status gsolve_dist_csr_transpose(gsolve_dist_csr *C, gsolve_context *ctx,
                                                   const gsolve_dist_csr *A);

/* Computes the statistics of a distributed matrix. All members are those of the whole matrix and
 * equal on all ranks. A number of 32 bits that does not fit is 2^31 - 1. `block` is 1: blocks are
 * not searched. */
GSOLVE_API gsolve_status gsolve_dist_csr_statistics(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                                    gsolve_statistics *statistics);

/* --- distributed matrices ------------------------------------------------------- */

/* Creates a distributed matrix from this rank's rows, which it copies. `spec` names a storage
 * format (gsolve_matrix_create). The rows that need elements of x of other ranks, the boundary
 * rows, are stored apart; all others are in this format. A product sends the elements that other
 * ranks need, multiplies the other rows meanwhile, and then the boundary rows. The entries of each
 * row are added in one sum.
 *
 * Fails with GSOLVE_BAD_ARGUMENT if the row ranges of the ranks do not follow one another or the
 * types differ; with GSOLVE_BAD_MATRIX if the rows of a rank are malformed; with GSOLVE_UNSUPPORTED
 * if the rows of a rank use 2^31 or more columns, or are not on the host; and like
 * gsolve_matrix_create. */
GSOLVE_API gsolve_status gsolve_matrix_create_dist(gsolve_matrix **A, gsolve_context *ctx,
                                                   const char *spec, const gsolve_dist_csr *csr);

/* Replaces the values of A by those of csr, which has the pattern of the creation, the order of the
 * entries included. Fails with GSOLVE_BAD_MATRIX if the pattern or the type of a rank differs, or
 * if a value is not finite; A is then unchanged on all ranks. */
GSOLVE_API gsolve_status gsolve_matrix_update_dist(gsolve_matrix *A, const gsolve_dist_csr *csr);

/* Sets *rows and *cols to the rows and the elements of x that this rank owns, *rank to its number
 * and *ranks to the number of ranks. Each pointer may be NULL. For a matrix that is not
 * distributed, this is all rows and columns, 0 and 1. Not collective. */
GSOLVE_API void gsolve_matrix_row_range(const gsolve_matrix *A, gsolve_row_range *rows,
                                        gsolve_row_range *cols, int *rank, int *ranks);

/* --- another division of the rows ----------------------------------------------- */

/* How the rows of a matrix are divided among the ranks. A ghost is an element of x that a
 * rank needs and another one owns; products send it to this rank. */
typedef struct gsolve_division_info {
    size_t size; /* set by GSOLVE_INIT */
    int ranks;
    int most_neighbours;  /* largest number of ranks that one rank gets ghosts from */
    int64_t rows;         /* of the whole matrix */
    int64_t entries;      /* as given, so a duplicate counts as one */
    int64_t most_rows;    /* of a rank */
    int64_t most_entries; /* of a rank */
    int64_t ghosts;       /* of all ranks together */
    int64_t most_ghosts;  /* of a rank */
    int64_t cut;          /* entries in columns of other ranks: the edge cut, where each edge counts
                             once in each direction */
} gsolve_division_info;

/* Fills *info. All members are equal on all ranks. Fails like gsolve_matrix_create_dist. */
GSOLVE_API gsolve_status gsolve_dist_csr_division(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                                  gsolve_division_info *info);

/* Another division of the rows of a matrix. It moves values and vectors between both divisions. */
typedef struct gsolve_redistribution gsolve_redistribution;

/* Moves the rows of a square matrix to other ranks: *redistributed, which gsolve_dist_csr_free
 * frees, is the matrix P A P' in the new division. P numbers the rows again, so that each rank owns
 * consecutive ones, in the order of the old numbers; where products need fewer ghosts, they take
 * less time. csr stays as it is, on the host. `spec` says who gets which rows:
 *
 *     "blocks"    the numbers stay; each rank gets consecutive rows with about equally many entries
 *     "metis"     METIS partitions the graph of A + A'. Rank 0 gathers its pattern for that
 *     "scotch"    Scotch does
 *     "auto"      blocks, if they have at most one ghost for ten rows; else metis or scotch, the
 *                 first that this build has, or blocks if it has none
 *
 * Equal matrices and equal divisions give equal results. A rank may get no rows. Fails with
 * GSOLVE_BAD_SPEC for other specs; with GSOLVE_UNSUPPORTED if this build does not have the library,
 * or the graph has 2^31 rows or entries or more; with GSOLVE_BAD_ARGUMENT if the matrix is not
 * square, or its rows and columns are divided differently; and like gsolve_matrix_create_dist. */
GSOLVE_API gsolve_status gsolve_redistribution_create(gsolve_redistribution **R,
                                                      gsolve_context *ctx, const char *spec,
                                                      const gsolve_dist_csr *csr,
                                                      gsolve_dist_csr *redistributed);

/* Frees R. Not collective. */
GSOLVE_API void gsolve_redistribution_destroy(gsolve_redistribution **R);

/* Replaces the values of *redistributed, which has the arrays of the creation, by those of csr,
 * which has the pattern of the creation, the order of the entries included. Fails with
 * GSOLVE_BAD_MATRIX if the pattern or the type of a rank differs; the values are then unchanged on
 * all ranks. */
GSOLVE_API gsolve_status gsolve_redistribution_update(const gsolve_redistribution *R,
                                                      const gsolve_dist_csr *csr,
                                                      const gsolve_dist_csr *redistributed);

/* Sets `to` to the vectors `from` in the other division: from has this rank's rows of the old one
 * and to those of the new one, or the other way round with back. Both have the same type and
 * numbers of columns, any layout and any location, and do not overlap. */
GSOLVE_API gsolve_status gsolve_redistribution_apply(const gsolve_redistribution *R, bool back,
                                                     gsolve_dense from, gsolve_dense to);

/* Returns "blocks", "metis" or "scotch": for "auto" what it took. Not collective. */
GSOLVE_API const char *gsolve_redistribution_name(const gsolve_redistribution *R);

/* --- one call ------------------------------------------------------------------- */

/* Sets *choice to a choice for a distributed matrix with these statistics, as gsolve_auto_choose
 * does for others: among the methods and preconditioners that work over several ranks. Not
 * collective: equal statistics give equal choices. */
GSOLVE_API bool gsolve_dist_choose(const gsolve_context *ctx, const gsolve_statistics *statistics,
                                   int attempt, gsolve_choice *choice);

/* Returns how many of ctx's ranks should solve a system with these statistics by these specs of a
 * method and a preconditioner: a small system takes less time on fewer ranks, since messages take
 * longer than what they save. Starting from all ranks, half as many are taken as long as an
 * iteration is estimated to take at most 1.2 times as long on them. The estimate rests on the table
 * of costs and on times of messages between processes of one host
 * (docs/understand/ranks.md), never on measured times. On GPUs: all ranks. If there are fewer than
 * all, *why, of `size` characters, is the reason; else it is empty. why may be NULL. Not
 * collective: equal arguments give equal results. */
GSOLVE_API int gsolve_dist_ranks(const gsolve_context *ctx, const gsolve_statistics *statistics,
                                 const char *method, const char *precond, char *why, size_t size);

/* Solves A x = b until |b - A x| <= 1e-8 |b| in each column. The function chooses a method and a
 * preconditioner by gsolve_dist_choose, on one rank by gsolve_auto_choose, and tries the next
 * choice if one does not converge, as gsolve_solve does. b and x hold this rank's rows; on entry x
 * is the initial guess. */
GSOLVE_API gsolve_status gsolve_solve_dist(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                           gsolve_dense b, gsolve_dense x, gsolve_result *result);

/* --- errors of the caller ------------------------------------------------------- */

/* Makes an error that one rank has met outside the library one of all ranks, so that none of them
 * waits for another in the next call. Collective. `status` is GSOLVE_OK or the error of this rank,
 * and `sentence` describes it; NULL is a sentence without words. `same` is a text that must be the
 * same on all ranks, such as the options that decide which functions are called next, or NULL.
 *
 * Returns GSOLVE_OK if no rank has an error. Else all ranks return the status of the lowest one
 * that has, and gsolve_error is its sentence with the number of the rank. Fails with
 * GSOLVE_BAD_ARGUMENT if the texts differ or `status` is not a status. */
GSOLVE_API gsolve_status gsolve_context_agree(gsolve_context *ctx, gsolve_status status,
                                              const char *sentence, const char *same);

#ifdef __cplusplus
}
#endif
#endif
