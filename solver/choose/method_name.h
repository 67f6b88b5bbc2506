/* method_name.h: the method that "auto" stands for. */
#ifndef GS_SOLVER_CHOOSE_METHOD_NAME_H
#define GS_SOLVER_CHOOSE_METHOD_NAME_H

#include "gsolve.h"

/* named = `method` with the options of `spec`. */
gsolve_status gs_method_with_options(gsolve_context *ctx, const char *spec, const char *method,
                                     char *named, size_t size);
/* named = spec; a name "auto" is replaced by the method that auto chooses for csr. */
gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             char *named, size_t size);

#endif
