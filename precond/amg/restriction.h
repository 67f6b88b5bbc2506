/* restriction.h: R = P' where P lies, and its values anew. */
#ifndef GS_RESTRICTION_H
#define GS_RESTRICTION_H

#include "core/csr.h"

/* R = P' in arrays of its own, columns ascending; *order (released with gsolve_free from the
 * device) tells for each of R's entries the one of P. */
gsolve_status gs_restriction_make(gsolve_csr *R, void **order, gsolve_context *ctx,
                                  const gsolve_csr *P);

/* R's values = P's, which are new ones in the same pattern. */
gsolve_status gs_restriction_refill(const gsolve_csr *R, const void *order, gsolve_context *ctx,
                                    const gsolve_csr *P);

#endif
