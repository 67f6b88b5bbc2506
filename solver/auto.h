/* auto.h: which method "auto" stands for. */
#ifndef GS_AUTO_H
#define GS_AUTO_H

#include "core/context.h"

/* named = spec, with the method that suits csr and M in the place of "auto". */
gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             const gsolve_precond *M, char *named, size_t size);

#endif
