/* unknown.h: files that gsolve does not read. */
#ifndef GS_IO_UNKNOWN_H
#define GS_IO_UNKNOWN_H

#include "io/input.h"

/* Whether the file has one of the formats that are recognised only to be refused. */
bool gs_unknown_is(const gs_input *in);

/* Fails: what the file is, and how to convert it. dense: a vector or dense matrix was wanted. */
gsolve_status gs_unknown(const gs_input *in, bool dense);

#endif
