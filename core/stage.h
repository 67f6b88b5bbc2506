/* stage.h: vectors of the caller's that lie elsewhere than ctx's vectors. */
#ifndef GS_STAGE_H
#define GS_STAGE_H

#include "core/csr.h"

typedef struct gs_stage {
    gsolve_dense given, used; /* the caller's, and what kernels see: the same, or a copy */
} gs_stage;

/* s->used = v where kernels see it; holds v's values if read. */
gsolve_status gs_stage_in(gs_stage *s, gsolve_context *ctx, gsolve_dense v, bool read);
/* Back into the caller's. */
gsolve_status gs_stage_out(const gs_stage *s, gsolve_context *ctx);
void gs_stage_drop(gs_stage *s, gsolve_context *ctx);

#endif
