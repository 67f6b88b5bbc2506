/* cost_model.h: what a conversion and a product in a format would cost, before it is made. */
#ifndef GS_SPMV_AUTO_COST_MODEL_H
#define GS_SPMV_AUTO_COST_MODEL_H

#include "gsolve_plugin.h"

/* What format would make of a matrix: by its own word, or by what is known of the built-in ones. */
bool gs_estimate_format(const gsolve_format *format, const gsolve_pattern_sample *sample,
                        gsolve_format_estimate *estimate);

#endif
