/* gsolve_precond.h: preconditioners: z = M^-1 r, where M approximates a square matrix A.
 *
 * In this header, r and z have the value type of the rows from which M was created. They are
 * column-major, on the host or on the device of M, and do not overlap. They may have several
 * columns.
 */
#ifndef GSOLVE_PRECOND_H
#define GSOLVE_PRECOND_H

#include "gsolve_matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- create and update ---------------------------------------------------------- */

typedef struct gsolve_precond gsolve_precond;

/* Creates a preconditioner for the square matrix csr. spec names a kind; "auto" chooses one. csr is
 * as for gsolve_matrix_create. amg is set up on the device, all other kinds are set up on the host.
 * For those a csr on the device is copied to the host during the call.
 *
 * Fails with GSOLVE_BAD_MATRIX if csr is malformed or not square, with GSOLVE_ZERO_PIVOT if a
 * factorisation breaks down, and with GSOLVE_UNSUPPORTED if the kind does not work on the device or
 * for the matrix. */
gsolve_status gsolve_precond_create(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *csr);

/* Creates a preconditioner from the rows of A. This avoids the copy and the check that
 * gsolve_precond_create needs. */
gsolve_status gsolve_precond_create_from(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                         const gsolve_matrix *A);

/* Frees the preconditioner. */
void gsolve_precond_destroy(gsolve_precond **M);

/* Recomputes M for new values in the same pattern, and keeps all structure. After GSOLVE_BAD_MATRIX
 * (the pattern or the type differs) and GSOLVE_ZERO_PIVOT, M is unchanged. After GSOLVE_NO_MEMORY
 * and GSOLVE_DEVICE_FAILED, M is undefined until an update succeeds. */
gsolve_status gsolve_precond_update(gsolve_precond *M, const gsolve_csr *csr);

/* Recomputes M from the present values of A. Call it after gsolve_matrix_update. The errors are
 * those of gsolve_precond_update. */
gsolve_status gsolve_precond_update_from(gsolve_precond *M, const gsolve_matrix *A);

/* --- apply ---------------------------------------------------------------------- */

/* z = M^-1 r. */
gsolve_status gsolve_precond_apply(const gsolve_precond *M, gsolve_dense r, gsolve_dense z);

/* z = M^-T r. Fails with GSOLVE_UNSUPPORTED if the kind cannot be applied transposed. */
gsolve_status gsolve_precond_apply_transpose(const gsolve_precond *M, gsolve_dense r,
                                             gsolve_dense z);

/* z = M^-1 r, and rz[c] = r_c'z_c for each column c. The array rz has the location of r. */
gsolve_status gsolve_precond_apply_dot(const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                                       double *rz);

/* --- information for the preconditioner ----------------------------------------- */

/* Sets the near-null space for kinds that coarsen (amg): vectors v for which A v is nearly 0, so
 * that smoothing hardly reduces them. The k columns of B (n x k, of any type and location) span it.
 * Without this call amg uses one constant vector for each unknown of a node. The call sets M up
 * again. With the option near_null=given, amg waits for this call and is set up in it. Fails with
 * GSOLVE_UNSUPPORTED if the kind does not use near-null vectors. After a failure M is unchanged. */
gsolve_status gsolve_precond_set_near_null(gsolve_precond *M, gsolve_dense B);

/* Sets the near-null space of a problem of linear elasticity: the rigid body motions, computed from
 * the coordinates of the nodes. xyz has one row for each node and 2 or 3 columns. A has as many
 * unknowns per node as xyz has columns, and the unknowns of a node are adjacent. The errors are
 * those of gsolve_precond_set_near_null. */
gsolve_status gsolve_precond_set_coordinates(gsolve_precond *M, gsolve_dense xyz);

/* Tells M that a solve with this number of columns begins. Solvers call it, and so may a method of
 * the caller's own. With reuse=auto, amg compares the number of applications in one solve with that
 * in other solves. */
void gsolve_precond_begin_solve(const gsolve_precond *M, int32_t columns);

/* --- information about the preconditioner --------------------------------------- */

typedef struct gsolve_precond_info {
    const char *kind;     /* the kind in use; for "auto" the kind that it chose */
    const char *spec;     /* the kind with its options; valid until M is destroyed */
    int32_t n;            /* number of unknowns */
    size_t bytes;         /* bytes that M holds */
    size_t moved;         /* bytes that one application reads and writes, r and z included */
    double setup_seconds; /* time of the last set-up */
    uint64_t version;     /* 1 after the creation; each update adds 1 */
    char note[160];       /* what the set-up decided, such as "shift 0.004", or "" */
} gsolve_precond_info;

/* Fills *info. */
void gsolve_precond_describe(const gsolve_precond *M, gsolve_precond_info *info);

/* One level of a multilevel preconditioner. Level 0 is the finest. */
typedef struct gsolve_level_info {
    int32_t rows;
    int64_t entries;
    double mean_row;  /* entries / rows */
    char format[64];  /* spec of the format of the level's matrix */
    gsolve_type type; /* value type of the level's matrix */
    size_t bytes;     /* bytes that one product with the level's matrix reads and writes */
} gsolve_level_info;

/* Fills *info for level index. Returns false, and leaves *info unchanged, if M has no such level.
 */
bool gsolve_precond_level(const gsolve_precond *M, int index, gsolve_level_info *info);

/* Returns an array of n reciprocals d if M is diagonal and computes z_i = d_i r_i, else NULL. The
 * array has the value type of M and is on the device of M. */
const void *gsolve_precond_diagonal(const gsolve_precond *M);

/* Returns whether M^-1 can differ from one application to the next. A flexible method is then
 * needed. */
bool gsolve_precond_is_variable(const gsolve_precond *M);

#ifdef __cplusplus
}
#endif
#endif
