/* handle.h: what a matrix handle holds. */
#ifndef GS_SPMV_HANDLE_H
#define GS_SPMV_HANDLE_H

#include "matrix/null_space.h"
#include "matrix/residual.h"
#include "matrix/square_blocks.h"
#include "matrix/statistics.h"
#include "spmv/multi_rhs/block.h"
#include "spmv/step.h"

struct gsolve_matrix {
    gsolve_context *ctx;
    bool is_operator;    /* it has no rows: see spmv/operator/operator.h */
    gsolve_matrix *lazy; /* the handle itself, through which calls with a const handle set what is
                          * computed when it is first needed */
    const gsolve_format *format;
    void *options, *self;
    gsolve_csr rows; /* on the host, owned and clean; empty until gs_matrix_need_rows where csr was
                        given on the device */
    gsolve_csr csr;  /* the rows where the device reads them: rows, or a copy. Without arrays until
                        gs_matrix_need_csr where the form was built from blocks */
    gs_square_blocks blocks; /* the pattern of the blocks that the form was built from, where the
                                device reads it, without values; size 0: it was built from rows */
    int32_t block_size;      /* of square blocks that the caller gave, in any format; else 0 */
    bool chosen;             /* the caller named the format auto, and the library took `format` */
    int64_t entries;
    int64_t *destination; /* for each entry of the caller the entry that it is added to, or NULL */
    int64_t given;        /* number of the caller's entries, where there is a destination */
    int64_t assembly;     /* number of the assembly whose matrix has this pattern; 0: unknown */
    uint64_t given_pattern;   /* hash of the caller's pattern, where there is a destination */
    gsolve_csr transposed;    /* A' on the device, made when first needed */
    void *transposed_order;   /* on CUDA: how its values are gathered, see gs_transpose_kernels */
    bool form_is_stale;       /* self has older values, since rebuilding it failed */
    void *transposed_self;    /* the form of A', in the same format */
    bool transposed_is_stale; /* the values have changed since it was built */
    gs_block_space space; /* work space for vectors in a layout that the format does not support */
    struct gs_residual_sums *sums; /* on a device with memory of its own, see residual.c */
    double *copies; /* memory on the host for b, x and r of a device, made when first needed by a
                     * residual that the host computes */
    gs_statistics statistics; /* of the rows, as far as they are known */
    gs_null_spaces null_spaces;
    struct gs_comm *comm;        /* the ranks that share the rows; NULL: this one has all rows */
    struct gs_dist_matrix *dist; /* see distributed/distributed.h; NULL: not distributed */
    double build_seconds;
    uint64_t version;
};

/* --- for matrices that the library itself makes ----------------------------------------------- */

/* *A = an empty handle with this format. */
gsolve_status gs_matrix_new(gsolve_matrix **A, gsolve_context *ctx, const gsolve_format *format);

/* gsolve_matrix_create_owned for a csr that is known to be clean, to lie where ctx's kernels read
 * it, and to fit into memory. It is not inspected, and the function does not wait for the device.
 */
gsolve_status gs_matrix_create_unchecked(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr);

/* Rebuilds A's form after new values have been written to its rows. */
gsolve_status gs_matrix_update_form(gsolve_matrix *A);

/* Makes a handle without rows and without a form; `spec` names its format. */
gsolve_status gs_matrix_new_in_format(gsolve_matrix **A, gsolve_context *ctx, const char *spec);

/* --- blocks.c --------------------------------------------------------------------------------- */

/* The number of unknowns of a node: the size of the square blocks that A was created from; 0: A was
 * not created from square blocks. */
int32_t gs_matrix_block_size(const gsolve_matrix *A);

/* --- rows.c: the rows of a matrix, on host and device ----------------------------------------- */

/* Fails if A does not fit into the device's memory: the form that A's format makes of csr, and a
 * copy of csr if `copied` is set. */
gsolve_status gs_matrix_fits(const gsolve_matrix *A, const gsolve_csr *csr, bool copied);

/* *csr = rows themselves, or their copy on a device with memory of its own. */
gsolve_status gs_rows_on_device(gsolve_csr *csr, gsolve_context *ctx, const gsolve_csr *rows);

/* Makes A->csr if A is stored in blocks only, and A->rows where they are the same arrays. */
gsolve_status gs_matrix_need_csr(const gsolve_matrix *A);

/* *rows = gsolve_matrix_device_csr, with its failure as the status; empty for an operator. */
gsolve_status gs_matrix_rows_there(const gsolve_matrix *A, gsolve_csr *rows);

/* *pattern = the hash of the pattern of A, which has rows and is not distributed. */
gsolve_status gs_matrix_find_pattern(uint64_t *pattern, const gsolve_matrix *A);

/* Fails with GSOLVE_UNSUPPORTED if A is an operator. */
gsolve_status gs_matrix_check_rows(const gsolve_matrix *A);

/* Copies A->rows from the device, if they are not on the host yet. Fails for an operator. */
gsolve_status gs_matrix_need_rows(const gsolve_matrix *A);

/* Releases the columns and values of A's rows if its form holds them and the device has memory of
 * its own, and restores them. A was made by gs_matrix_create_unchecked. In between, A can be
 * multiplied with but not transposed. */
void gs_matrix_release_rows(gsolve_matrix *A);
gsolve_status gs_matrix_restore_rows(gsolve_matrix *A);

/* Copies the values of csr, which has that many entries, to A's rows, at any locations. *same =
 * false, and nothing is copied, if the pattern or the type differs. */
gsolve_status gs_matrix_copy_values(gsolve_matrix *A, const gsolve_csr *csr, int64_t entries,
                                    bool *same);

/* Copies the values of A->csr to A->rows, if these are other arrays. */
gsolve_status gs_matrix_refresh_rows(gsolve_matrix *A);
/* The reverse. */
gsolve_status gs_matrix_send_rows(gsolve_matrix *A);

/* --- handle.c --------------------------------------------------------------------------------- */

/* Updates *self, a form of that format with these options, to the new values of csr, which
 * has this number of entries. */
gsolve_status gs_form_update(const gsolve_format *format, void **self, gsolve_context *ctx,
                             const gsolve_csr *csr, int64_t entries, const void *options);

/* Rebuilds A->self if it has older values. */
gsolve_status gs_matrix_need_form(const gsolve_matrix *A);

/* Builds or rebuilds A->transposed and A->transposed_self if they have older values or do not
 * exist. */
gsolve_status gs_matrix_need_transposed(const gsolve_matrix *A);

/* --- distributed/storage.c -------------------------------------------------------------------- */

/* Frees what a distributed matrix holds besides, and sets *D to NULL. */
void gs_dist_drop(struct gs_dist_matrix **D, gsolve_context *ctx);

/* --- null_space.c ----------------------------------------------------------------------------- */

/* Frees the memory of N. */
void gs_null_space_drop(gs_null_space *N, gsolve_context *ctx);

/* Removes A's null spaces and frees their memory. */
void gs_matrix_drop_null_spaces(gsolve_matrix *A);

/* --- formats.c: gsolve_format.update where the product reads the values of csr ---------------- */

gsolve_status gs_update_nothing(void *self, gsolve_context *ctx, const gsolve_csr *csr);

/* --- residual.c ------------------------------------------------------------------------------- */

/* The sums for r = factor (b - A x), factor b and t = factor |A| |x|, one column each. */
typedef struct gs_residual_sums {
    double rr, bb, tt;           /* sums of squares */
    double r_nonzero, b_nonzero; /* numbers of elements that are not 0 */
} gs_residual_sums;

typedef struct gs_residual_kernels {
    /* Computes r, in A's type (or NULL), and the sums on the device in double precision; b and x
     * are of any type. */
    gsolve_status (*residual)(gs_queue *q, const gsolve_csr *A, gsolve_dense b, gsolve_dense x,
                              double factor, void *r, gs_residual_sums *sums);
    /* residual with this rank's rows of a distributed matrix: A has the interior rows, D the
     * others, and its halo has the elements of x for ghost columns. */
    gsolve_status (*over_ranks)(gs_queue *q, const gsolve_csr *A, const struct gs_dist_matrix *D,
                                gsolve_dense b, gsolve_dense x, double factor, void *r,
                                gs_residual_sums *sums);
} gs_residual_kernels;

extern const gs_residual_kernels gs_residual_host[GSOLVE_TYPE_COUNT]; /* empty: see residual.c */
extern const gs_residual_kernels gs_residual_cuda[GSOLVE_TYPE_COUNT];

/* --- formats.c -------------------------------------------------------------------------------- */

/* What the forms of a built-in format can do for amg beside the functions of a gsolve_format. */
typedef struct gs_format_extras {
    const gsolve_format *format;
    /* Whether a form holds all entries, so that rows can be restored from it on a GPU. csr is the
     * form's matrix and has offsets only; restore allocates its columns and values. */
    bool (*holds_all)(const void *self);
    gsolve_status (*restore)(const void *self, gsolve_context *ctx, gsolve_csr *csr);
    /* see step.h */
    bool (*can_step)(const void *self, const gsolve_context *ctx);
    gsolve_status (*step)(void *self, gsolve_context *ctx, const void *x, const gs_step *step);
} gs_format_extras;

const gs_format_extras *gs_format_extras_of(const gsolve_format *format); /* NULL: none */

/* The built-in formats of ctx's device; NULL ends the list. */
const gsolve_plugin *const *gs_formats(const gsolve_context *ctx);

extern const gsolve_format gs_csr_format;
extern const gsolve_format gs_csr_scalar_host_format; /* csr under other names: see csr.c */
extern const gsolve_format gs_csr_vector_host_format;
extern const gsolve_format gs_ps_host_format;
extern const gsolve_format gs_coo_host_format;
extern const gsolve_format gs_sell_format;
extern const gsolve_format gs_ell_format;
extern const gsolve_format gs_ellr_format;
extern const gsolve_format gs_bce_format;
extern const gsolve_format gs_bsr_format;
extern const gsolve_format gs_coo_format;
extern const gsolve_format gs_hyb_format;
extern const gsolve_format gs_segmented_host_format;
extern const gsolve_format gs_segmented_format;
extern const gsolve_format gs_ps_format;
extern const gsolve_format gs_csr_scalar_format;
extern const gsolve_format gs_csr_vector_format;
extern const gsolve_format gs_speculative_host_format;
extern const gsolve_format gs_speculative_format;
extern const gsolve_format gs_auto_format;
/* auto/switch.c: gsolve_matrix_adapt for a form of gs_auto_format. */
gsolve_status gs_auto_adapt(void *self, gsolve_context *ctx, const gsolve_run_estimate *run,
                            gsolve_adaptation *adaptation);

extern const gsolve_format gs_cusparse_format; /* without CUDA it has no name */

#endif
