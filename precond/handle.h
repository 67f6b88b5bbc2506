/* handle.h: what a preconditioner handle holds, the list of kinds, and what a built-in kind can
 * offer beyond the public struct gsolve_precond_kind. */
#ifndef GS_PRECOND_HANDLE_H
#define GS_PRECOND_HANDLE_H

#include "matrix/statistics.h"

/* Optional functions of a built-in kind; amg has them. Each member may be NULL, but a kind with
 * on_device set has rows. */
typedef struct gs_precond_extension {
    /* build and update get csr where kernels of ctx's device read it; else csr is on the host */
    bool on_device;
    /* *csr = a view of the matrix that the preconditioner was built from, where kernels read it. An
     * update compares its pattern with the new matrix. csr->start is NULL if memory ran out. */
    void (*rows)(const void *self, gsolve_csr *csr);
    /* The view that rows gave is no longer used, and its memory may be freed. */
    void (*release_rows)(const void *self);
    /* See gsolve_precond_set_near_null and gsolve_precond_set_coordinates. B and xyz are on ctx's
     * device and have any value type. */
    gsolve_status (*near_null)(void *self, gsolve_context *ctx, gsolve_dense B);
    gsolve_status (*coordinates)(void *self, gsolve_context *ctx, gsolve_dense xyz);
    /* See gsolve_precond_level. */
    bool (*level)(const void *self, int index, gsolve_level_info *info);
    /* A solve of this many columns begins. */
    void (*begin_solve)(void *self, int32_t columns);
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
};

/* The built-in kinds, ending with NULL. */
extern const gsolve_plugin *const gs_preconds[];
extern const gsolve_precond_kind gs_none, gs_jacobi, gs_block_jacobi, gs_ilu, gs_ic, gs_isai,
    gs_chebyshev, gs_amg;
extern const gs_precond_extension gs_amg_extension;

/* What kind offers beyond its public struct; all members are NULL for a kind of the user. */
const gs_precond_extension *gs_precond_extension_of(const gsolve_precond_kind *kind);

/* setup.c: *csr is checked, and made to point to *own if it must be copied: to sort it, or to have
 * it where a kind with this extension reads it (the device or the host). */
gsolve_status gs_precond_prepare_rows(const gs_precond_extension *extension, gsolve_context *ctx,
                                      const gsolve_csr **csr, gsolve_csr *own);
/* Builds M from csr, or updates it if it was built before and its kind can update. */
gsolve_status gs_precond_set_up(gsolve_precond *M, const gsolve_csr *csr);

#endif
