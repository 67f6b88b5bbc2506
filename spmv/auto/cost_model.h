/* cost_model.h: estimates of the cost of a conversion to a format and of a product in it. */
#ifndef GS_SPMV_AUTO_COST_MODEL_H
#define GS_SPMV_AUTO_COST_MODEL_H

#include "gsolve_plugin.h"

/* *estimate = the estimate for a matrix with these statistics: by the format's own function, or by
 * the constants of the built-in formats. Returns whether the format is estimated to be faster than
 * csr.
 */
bool gs_estimate_format(const gsolve_format *format, const gsolve_pattern_sample *sample,
                        gsolve_format_estimate *estimate);

#endif
