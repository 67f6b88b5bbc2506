/* dense.h: access to the elements of a dense block on the host, of either type. */
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include "gsolve.h"

/* The element at index `at`. */
static inline double get(gsolve_dense v, int64_t at)
{
    return v.type == GSOLVE_F32 ? (double)((float *)v.value)[at] : ((double *)v.value)[at];
}

static inline void set(gsolve_dense v, int64_t at, double value)
{
    if (v.type == GSOLVE_F32) {
        ((float *)v.value)[at] = (float)value;
    } else {
        ((double *)v.value)[at] = value;
    }
}

#endif
