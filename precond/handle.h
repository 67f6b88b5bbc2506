/* handle.h: what a preconditioner handle holds, the list of kinds, and what a built-in kind can
 * offer beyond the public struct gsolve_precond_kind. */
#ifndef GS_PRECOND_HANDLE_H
#define GS_PRECOND_HANDLE_H

#include "matrix/setup_file.h"
#include "matrix/statistics.h"

/* Optional functions of a built-in kind; amg has most of them. Each member may be NULL, but a kind
 * with on_device set has rows. */
typedef struct gs_precond_extension {
    /* build and update get csr where kernels of ctx's device read it; else csr is on the host */
    bool on_device;
    /* Whether build and update with these options read csr wherever it is; NULL: they do not. */
    bool (*anywhere)(const void *options);
    /* Sets the number of unknowns of a node, unless the spec has set it. */
    void (*set_block)(void *options, int32_t block);
    /* *csr = a view of the matrix that the preconditioner was built from, where kernels read it. An
     * update compares its pattern with the new matrix. csr->start is NULL if memory ran out. */
    void (*rows)(const void *self, gsolve_csr *csr);
    /* The view that rows gave is no longer used, and its memory may be freed. */
    void (*release_rows)(const void *self);
    /* See gsolve_precond_set_near_null and gsolve_precond_set_coordinates. B and xyz are on ctx's
     * device and have any value type. */
    gsolve_status (*near_null)(void *self, gsolve_context *ctx, gsolve_dense B);
    gsolve_status (*coordinates)(void *self, gsolve_context *ctx, gsolve_dense xyz);
    /* The matrix that the preconditioner is set up from has a null space of this dimension; 0: none
     * is known. */
    gsolve_status (*null_space)(void *self, gsolve_context *ctx, int32_t dimension);
    /* See gsolve_precond_level. */
    bool (*level)(const void *self, int index, gsolve_level_info *info);
    /* See gsolve_precond_save; both or none. save writes what load reads. The member rows gives the
     * matrix, with values of the type in which the file has it. load: csr is the matrix where
     * kernels read it; rows_on_host: on the host. */
    gsolve_status (*save)(const void *self, gsolve_context *ctx, gs_saving *file);
    gsolve_status (*load)(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                          const gsolve_csr *rows_on_host, const void *options, gs_loading *file);
    /* A solve of this many columns begins. */
    void (*begin_solve)(void *self, int32_t columns);
    /* The call that updates a preconditioner that was not built from rows. */
    const char *update_call;
    /* Whether a preconditioner with these options approximates A'A; NULL: no. A then may have any
     * shape, and M has its number of columns. */
    bool (*is_of_normal)(const void *chosen);
    /* Only the caller knows which matrix the preconditioner approximates. */
    bool of_any_matrix;
    /* If A is distributed over ranks, the kinds without this function set up the diagonal block of
     * the rank. *self = an empty state that keeps A; kind->update then sets it up from the block.
     */
    gsolve_status (*build_over_ranks)(void **self, gsolve_context *ctx, const gsolve_matrix *A,
                                      const void *options);
    /* If A is distributed over ranks: sets *self up from A, or again if it exists. Collective;
     * begins with a check of errors (dist/comm.h). Replaces build, update and the rows of the rank.
     */
    gsolve_status (*set_up_over_ranks)(void **self, gsolve_context *ctx, const gsolve_matrix *A,
                                       const void *options);
    /* Whether applications may be recorded in a CUDA graph; NULL: they may. */
    bool (*is_recordable)(const void *self);
} gs_precond_extension;

struct gsolve_precond {
    gsolve_context *ctx;
    const gsolve_precond_kind *kind;
    const gs_precond_extension *extension; /* never NULL; its members may be */
    void *options, *self;
    char *spec; /* the spec it was created from; "auto" is replaced by its choice */
    int32_t n;
    gsolve_type type;
    uint64_t pattern; /* hash of the clean rows; unused if the kind works on the device */
    size_t bytes;
    double setup_seconds;
    uint64_t version;
    struct gs_comm *comm; /* of the matrix that it was created from, see gs_matrix_comm */
    int64_t first_row;    /* with comm: the number of this rank's first row, for messages */
};

/* *M = a handle with this spec, but without its kind, extension, self, n and type. */
gsolve_status gs_precond_new(gsolve_precond **M, gsolve_context *ctx, const char *spec);

/* The built-in kinds, ending with NULL. */
extern const gsolve_plugin *const gs_preconds[];
extern const gsolve_precond_kind gs_none, gs_jacobi, gs_block_jacobi, gs_ilu, gs_ic, gs_isai,
    gs_chebyshev, gs_amg;
extern const gs_precond_extension gs_amg_extension, gs_jacobi_extension, gs_chebyshev_extension;

/* What kind offers beyond its public struct; all members are NULL for a kind of the user. */
const gs_precond_extension *gs_precond_extension_of(const gsolve_precond_kind *kind);

/* setup.c: where a kind with this extension and these options reads its rows, if they are at
 * `given`. */
gsolve_location gs_precond_location(const gs_precond_extension *extension,
                                    const gsolve_context *ctx, const void *options,
                                    gsolve_location given);
/* *csr is checked, and made to point to *own if it must be copied: to sort it, or to have it at
 * this location. */
gsolve_status gs_precond_prepare_rows(gsolve_location location, gsolve_context *ctx,
                                      const gsolve_csr **csr, gsolve_csr *own);
/* Passes the dimension of A's null space to a kind that uses it. A: NULL, or the matrix from which
 * M is set up. */
gsolve_status gs_precond_set_null_space(gsolve_precond *M, const gsolve_matrix *A);
/* Builds M from csr, or updates it if it was built before and its kind can update. A: the matrix
 * whose rows they are, or NULL. */
gsolve_status gs_precond_set_up(gsolve_precond *M, const gsolve_csr *csr, const gsolve_matrix *A);
/* Whether M is set up from all ranks' rows of a matrix that is distributed over ranks. */
static inline bool gs_precond_is_over_ranks(const gsolve_precond *M)
{
    return M->comm && M->extension->set_up_over_ranks;
}
/* The build function of a kind whose data begins with its options: *self = `size` bytes of zeros
 * with these options, which kind's update then sets. */
gsolve_status gs_precond_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                               const void *options, const gsolve_precond_kind *kind, size_t size);

/* apply.c: work space of a kind that applies its operations to several columns at once. */
typedef struct gs_column_work {
    int32_t vectors;      /* work vectors beside r and z: 1 or 2 */
    bool in_place;        /* z may overwrite r */
    gsolve_dense one[2];  /* the work vectors of one column */
    struct gs_comm *comm; /* the ranks that apply the operations together, or NULL */
    gsolve_dense several; /* r, z and the work vectors of GS_WORK_COLUMNS columns; allocated by the
                             first application to several columns */
} gs_column_work;

enum { GS_WORK_COLUMNS = 8 };

/* Allocates the work vectors of one column for rows of csr's shape and type. */
gsolve_status gs_column_work_create(gs_column_work *w, gsolve_context *ctx, const gsolve_csr *csr);
void gs_column_work_destroy(gs_column_work *w, gsolve_context *ctx);

/* z = the application of M to r. how: as given to gs_apply_in_blocks. r, z and the work vectors are
 * one column, or at most GS_WORK_COLUMNS columns in row-major order. */
typedef gsolve_status gs_block_application(const void *M, gsolve_context *ctx, const void *how,
                                           gsolve_dense r, gsolve_dense z,
                                           const gsolve_dense *work);
/* Calls apply for blocks of columns of r and z, which are column-major. */
gsolve_status gs_apply_in_blocks(gs_column_work *w, gsolve_context *ctx,
                                 gs_block_application *apply, const void *M, const void *how,
                                 gsolve_dense r, gsolve_dense z);

#endif
