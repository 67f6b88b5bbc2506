/* gsolve_precond.h: preconditioners: z = M^-1 r, where M approximates a square matrix A.
 *
 * "jacobi,normal=1" approximates A'A for an A of any shape, for the methods "lsqr" and "lsmr".
 *
 * Rules for the vectors r and z: both have n elements, where A is n x n, or has n columns if M
 * approximates A'A, the value type of A and
 * the same number of columns, one or more. They are column-major. Each of them is on the host or on
 * the device. They must not overlap. A function that gets other vectors fails with
 * GSOLVE_BAD_ARGUMENT; overlap is not checked. If z is on the device, the call may return before z
 * is complete (see "Asynchronous work" in gsolve.h).
 */
#ifndef GSOLVE_PRECOND_H
#define GSOLVE_PRECOND_H

#include "gsolve_matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- create and update ---------------------------------------------------------- */

/* A preconditioner M. It keeps what it needs of A, so A may be destroyed before M. The exception is
 * gsolve_precond_create_chebyshev. */
typedef struct gsolve_precond gsolve_precond;

/* Creates a preconditioner for the matrix A = csr, which must be square except for "none" and
 * "jacobi,normal=1". `spec` names a kind of preconditioner; "auto" chooses the kind that
 * gsolve_auto_choose gives for attempt 0, and allows no keys. csr is on the host or on the device.
 * Its entries may be in any order within a row; duplicates are summed. The kind "amg" is set up on
 * the device, and all other kinds on the host. If the columns of some row do not ascend strictly,
 * or the kind is set up on the host, a csr on the device is copied to the host during the call.
 *
 * Fails with GSOLVE_BAD_MATRIX if csr is malformed or not square, with
 * GSOLVE_ZERO_PIVOT if the kind would divide by zero, and with GSOLVE_UNSUPPORTED if the kind with
 * these options cannot be used for the matrix. */
GSOLVE_API gsolve_status gsolve_precond_create(gsolve_precond **M, gsolve_context *ctx,
                                               const char *spec, const gsolve_csr *csr);

/* Creates a preconditioner from the CSR copy of A, as gsolve_precond_create does from a csr, with
 * the same errors. A has sorted the entries already, so nothing is copied to sort them. Fails with
 * GSOLVE_UNSUPPORTED if A is an operator and the kind is not "none". */
GSOLVE_API gsolve_status gsolve_precond_create_from(gsolve_precond **M, gsolve_context *ctx,
                                                    const char *spec, const gsolve_matrix *A);

/* Frees the preconditioner. */
GSOLVE_API void gsolve_precond_destroy(gsolve_precond **M);

/* Recomputes M for a matrix with new values. csr must have the type and, after duplicates are
 * summed, the pattern of the matrix from which M was created; the order of its entries and its
 * location may differ. M keeps what depends only on the pattern. Which part of its levels "amg"
 * keeps is its option `reuse`. If the pattern or the type differs, or csr is malformed, the call
 * fails with GSOLVE_BAD_MATRIX. After this status and after GSOLVE_ZERO_PIVOT, M is unchanged.
 * After GSOLVE_NO_MEMORY and GSOLVE_DEVICE_FAILED, the handle stays valid, but the results of
 * applying M are undefined until an update succeeds. A preconditioner without rows fails with
 * GSOLVE_UNSUPPORTED: it has an update function of its own. */
GSOLVE_API gsolve_status gsolve_precond_update(gsolve_precond *M, const gsolve_csr *csr);

/* Recomputes M from the present values of A. Call it after gsolve_matrix_update. The errors are
 * those of gsolve_precond_update. */
GSOLVE_API gsolve_status gsolve_precond_update_from(gsolve_precond *M, const gsolve_matrix *A);

/* --- preconditioners without rows ----------------------------------------------- */

/* Creates a preconditioner of which a function of the caller computes the applications: apply
 * computes z = M^-1 r for the x = r and y = z of gsolve_apply_function, in vectors of n elements of
 * this type. apply_transpose computes z = M^-T r, which the method "bicg" needs, and may be
 * NULL. The library keeps both pointers and `user` until M is destroyed. The rules of
 * gsolve_apply_function hold, also those for a GPU. gsolve_precond_info.kind is "function".
 *
 * To form M from other preconditioners, `user` can point to a struct with their handles, to which
 * apply calls gsolve_precond_apply for parts of r and z. */
GSOLVE_API gsolve_status gsolve_precond_create_function(gsolve_precond **M, gsolve_context *ctx,
                                                        int32_t n, gsolve_type type,
                                                        gsolve_apply_function *apply,
                                                        gsolve_apply_function *apply_transpose,
                                                        void *user);

/* Tells the library that the function of M computes another M from now on, and gives it another
 * pointer `user`, which may be the same (see gsolve_matrix_update_operator). Fails with
 * GSOLVE_UNSUPPORTED if M is not of gsolve_precond_create_function. */
GSOLVE_API gsolve_status gsolve_precond_update_function(gsolve_precond *M, void *user);

/* Sets the flags of a preconditioner of gsolve_precond_create_function, a combination of
 * gsolve_function_flag. They are 0 at first. Fails with GSOLVE_UNSUPPORTED for other
 * preconditioners, and with GSOLVE_BAD_ARGUMENT for unknown flags. */
GSOLVE_API gsolve_status gsolve_precond_set_flags(gsolve_precond *M, unsigned flags);

/* Creates the preconditioner "chebyshev" for a matrix of which products and the diagonal are known,
 * such as an operator: z = p(D^-1 A) D^-1 r, where p is a polynomial. A must be symmetric positive
 * definite, which is not checked. `spec` is "chebyshev" with its options; its=0 is not allowed,
 * because the largest eigenvalue of D^-1 A is estimated by `its` power iterations, each with a
 * product. If a run then ends as indefinite, more iterations help. The source of the method is
 * Saad, Iterative Methods for Sparse Linear Systems, section 12.3.
 *
 * `diagonal` is the diagonal D of A: one column of n elements that are positive, of any type and at
 * any location. It is copied. If diagonal.value is NULL, D is the identity. M keeps A, which must
 * not be destroyed before M. Fails with GSOLVE_ZERO_PIVOT if an element of D is not positive or not
 * finite, or is too small to divide by, and with GSOLVE_BAD_MATRIX if a product with A is not
 * finite. */
GSOLVE_API gsolve_status gsolve_precond_create_chebyshev(gsolve_precond **M, gsolve_context *ctx,
                                                         const char *spec, const gsolve_matrix *A,
                                                         gsolve_dense diagonal);

/* Sets up a preconditioner of gsolve_precond_create_chebyshev again, after A or its diagonal has
 * changed. The errors are those of the creation; after a failure M is unchanged, except after
 * GSOLVE_NO_MEMORY and GSOLVE_DEVICE_FAILED. Fails with GSOLVE_UNSUPPORTED for other
 * preconditioners. */
GSOLVE_API gsolve_status gsolve_precond_update_chebyshev(gsolve_precond *M, gsolve_dense diagonal);

/* --- apply ---------------------------------------------------------------------- */

/* Computes z = M^-1 r. With near_null=given, "amg" fails with GSOLVE_BAD_ARGUMENT until it has its
 * near-null vectors (see gsolve_precond_set_near_null). */
GSOLVE_API gsolve_status gsolve_precond_apply(const gsolve_precond *M, gsolve_dense r,
                                              gsolve_dense z);

/* Computes z = M^-T r. Fails with GSOLVE_UNSUPPORTED if the kind has no transposed application. */
GSOLVE_API gsolve_status gsolve_precond_apply_transpose(const gsolve_precond *M, gsolve_dense r,
                                                        gsolve_dense z);

/* Computes z = M^-1 r and the inner products rz[c] = r_c'z_c for each column c. rz is an array of
 * one double for each column, at the location of r. */
GSOLVE_API gsolve_status gsolve_precond_apply_dot(const gsolve_precond *M, gsolve_dense r,
                                                  gsolve_dense z, double *rz);

/* --- near-null space, and the begin of a solve ----------------------------------- */

/* Sets the near-null space for a kind that coarsens ("amg"): vectors v for which A v is nearly 0,
 * so that smoothing hardly reduces them. The 1 to 24 columns of B span it. B has n rows, any type
 * and any location, and is column-major. The call copies B and sets M up again.
 *
 * Without this call "amg" takes one vector for each unknown of a node: it is 1 at this unknown of
 * every node and 0 elsewhere. With the option near_null=given, gsolve_precond_create does not set
 * "amg" up; this function or gsolve_precond_set_coordinates does so.
 *
 * Fails with GSOLVE_UNSUPPORTED if the kind does not use near-null vectors, and with the errors of
 * gsolve_precond_create. After a failure M is unchanged. */
GSOLVE_API gsolve_status gsolve_precond_set_near_null(gsolve_precond *M, gsolve_dense B);

/* Sets the near-null space of a problem of linear elasticity: the rigid body motions, computed from
 * the coordinates of the nodes. xyz has one row for each node and d = 2 or 3 columns, any type and
 * any location, and is column-major. Unknown i d + c of A is component c of the displacement of
 * node i. The call does not keep xyz. The errors are those of gsolve_precond_set_near_null. */
GSOLVE_API gsolve_status gsolve_precond_set_coordinates(gsolve_precond *M, gsolve_dense xyz);

/* Tells M that a solve with this number of columns begins. Solvers call it. An iteration of the
 * caller that applies M may call it, too. With the option reuse=auto, "amg" counts its applications
 * for each solve; if they have become many more since the levels were built, the next update
 * rebuilds the levels. */
GSOLVE_API void gsolve_precond_begin_solve(const gsolve_precond *M, int32_t columns);

/* --- files ---------------------------------------------------------------------- */

/* Writes the set-up of M to a file, from which gsolve_precond_load makes it again in less time than
 * gsolve_precond_create. Only "amg" can be saved. The file is for machines with the same byte order
 * and for this version of its format, which a later version of the library may not read. It holds
 * no entries of the matrix that M was created from, but hashes of its pattern and of its values, as
 * the levels of M hold them.
 *
 * The function writes to a temporary file in the same folder and renames it at the end. So after a
 * failure a file that existed at `path` is unchanged. A set-up and an empty file are replaced, if
 * the program has permission to write them; another file is not.
 *
 * Fails with GSOLVE_UNSUPPORTED if M is of another kind, with GSOLVE_BAD_ARGUMENT if M waits for
 * its near-null vectors or `path` is empty, and with GSOLVE_BAD_FILE if the file cannot be written,
 * is a directory, or is not empty and no set-up. */
GSOLVE_API gsolve_status gsolve_precond_save(const gsolve_precond *M, const char *path);

/* Creates a preconditioner for A from a file of gsolve_precond_save. `spec` is that of
 * gsolve_precond_create: the file must hold a preconditioner of this kind with these options. NULL
 * and "auto" accept any.
 *
 * If A and the device are those of the saved preconditioner, applications give the same bits. Later
 * updates work as for a created preconditioner. The first update takes longer than later ones,
 * because it analyses the products of the levels again. A set-up of one device can be loaded on
 * another. What the options of "amg" leave to "auto" and what depends on the device, such as the
 * smoother and the cycle, is then as on the other device.
 *
 * Every number of the file is checked before it is used. Fails with GSOLVE_BAD_FILE if the file
 * cannot be read, is no file of gsolve_precond_save, is truncated or damaged, or has another
 * version or byte order; with GSOLVE_BAD_MATRIX if A has another pattern, type or values than the
 * matrix of the saved preconditioner; with GSOLVE_BAD_SPEC if it has another kind or other options
 * than `spec`; and with GSOLVE_UNSUPPORTED if A is an operator or `spec` names a kind that cannot
 * be saved. */
GSOLVE_API gsolve_status gsolve_precond_load(gsolve_precond **M, gsolve_context *ctx,
                                             const char *spec, const gsolve_matrix *A,
                                             const char *path);

/* --- information ---------------------------------------------------------------- */

/* Numbers and names of a preconditioner. The two strings are valid until M is destroyed. */
typedef struct gsolve_precond_info {
    size_t size;          /* set by GSOLVE_INIT */
    const char *kind;     /* the kind in use; for "auto" the kind that it chose */
    const char *spec;     /* the kind with its options, for gsolve_precond_create */
    int32_t n;            /* number of unknowns */
    gsolve_type type;     /* value type of the matrix that it was created from, and of r and z */
    size_t bytes;         /* bytes that M holds, on the host and on the device together */
    size_t moved;         /* bytes that one application to one column reads and writes, with r and
                             z */
    double setup_seconds; /* time of the last creation or update */
    uint64_t version;     /* 1 after the creation; each update, each call that sets the near-null
                             space, and each change of the matrix of
                             gsolve_precond_create_chebyshev adds 1 or more */
    int rebuilds;         /* number of updates that built all levels of "amg" again */
    char note[160];       /* what the set-up decided, such as "shift 0.004", or "" */
} gsolve_precond_info;

/* Sets all members of *info. */
GSOLVE_API void gsolve_precond_describe(const gsolve_precond *M, gsolve_precond_info *info);

/* One level of a multilevel preconditioner. Level 0 is the finest. */
typedef struct gsolve_level_info {
    size_t size;           /* set by GSOLVE_INIT */
    int32_t rows;          /* number of rows of the level's matrix */
    int64_t entries;       /* number of its entries */
    double mean_row;       /* entries / rows */
    char form[64];         /* spec of the format of the converted form of the level's matrix */
    gsolve_type type;      /* value type of the level's matrix */
    size_t bytes;          /* bytes that one product with the level's matrix reads and writes */
    int64_t total_rows;    /* rows of all ranks; `rows` and `entries` are those of this rank, or all
                              of a level that every rank holds */
    int64_t total_entries; /* entries of all ranks */
} gsolve_level_info;

/* Sets all members of *info for level `index`, from 0, and returns true. Returns false, and leaves
 * *info unchanged, if M has no such level. */
GSOLVE_API bool gsolve_precond_level(const gsolve_precond *M, int index, gsolve_level_info *info);

/* If M^-1 is a diagonal matrix, returns its diagonal d: z_i = d_i r_i. Else returns NULL. The array
 * has n elements of the value type of A. It is where kernels of the device read it: in the GPU's
 * memory, or on the host for the CPU. M owns it; it is valid until M is updated or destroyed. */
GSOLVE_API const void *gsolve_precond_diagonal(const gsolve_precond *M);

/* Returns whether M^-1 can differ from one application to the next. A solver then needs a flexible
 * method, such as "fgmres". */
GSOLVE_API bool gsolve_precond_is_variable(const gsolve_precond *M);

#ifdef __cplusplus
}
#endif
#endif
