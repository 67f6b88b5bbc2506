/* smoother.h: the interface of a smoother, set up for one level. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_SMOOTHER_H
#define GS_PRECOND_AMG_SMOOTHERS_SMOOTHER_H

#include "precond/amg/level_view.h"
#include "precond/amg/options.h"

typedef struct gs_smoother {
    gsolve_status (*build)(void **self, gsolve_context *ctx, const gs_level_view *level,
                           const gs_amg_options *options);
    gsolve_status (*update)(void *self, gsolve_context *ctx, const gs_level_view *level,
                            const gs_amg_options *options);
    void (*destroy)(void *self, gsolve_context *ctx);
    /* One sweep x += S (b - A x), over one column or over several in row-major order. zero: x
     * counts as 0 and is not read. back: the sweep runs in the opposite order (S'); sweeps after
     * the coarse level do, so that the cycle is symmetric if A is. space: work space like x; for
     * several columns also the vectors of gs_extra_vector. A sweep neither allocates nor
     * synchronises. */
    gsolve_status (*sweep)(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                           bool back);
    /* optional, else gs_level_residual: r = b - A x, for vectors as sweep has them */
    gsolve_status (*residual)(const void *self, gsolve_context *ctx, const gs_level_view *level,
                              gsolve_dense b, gsolve_dense x, gsolve_dense r);
    /* optional: whether sweeps over one column use f64_in (from zero) and f64_out (else) */
    bool (*fuses_f64)(const void *self, const gs_level_view *level);
    size_t (*bytes)(const void *self, const gs_level_view *level); /* that a sweep moves */
    bool reads_rows;   /* a sweep reads level->A, whatever the format of level->matrix */
    bool symmetric;    /* S' = S: the sweep back is the sweep */
    int extra_vectors; /* that a sweep over several columns uses beside space */
} gs_smoother;

/* The which-th extra vector, from 1 on. space: the work space of a sweep over several columns. */
static inline void *gs_extra_vector(gsolve_dense space, int which)
{
    const size_t size = (size_t)space.nrows * GS_AMG_COLUMNS * gs_type_size(space.type);

    return (char *)space.value + (size_t)which * size;
}

extern const gs_smoother gs_amg_l1_jacobi, gs_amg_chebyshev, gs_amg_spai0, gs_amg_gs, gs_amg_ilu;

/* Over ranks, instead of gs or ilu, as the options say: each rank smooths with its diagonal block.
 */
extern const gs_smoother gs_amg_block_smoother;

#endif
