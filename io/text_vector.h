/* text_vector.h: vectors and dense matrices as plain text. */
#ifndef GS_IO_TEXT_VECTOR_H
#define GS_IO_TEXT_VECTOR_H

#include "io/input.h"

/* Whether the first word that is no comment is a number. */
bool gs_text_is(const gs_input *in);

/* One row in a line, all with the same number of columns; but a single line is a vector. The rest
 * of a line after # or % is a comment. */
gsolve_status gs_text_dense(gsolve_dense *v, gs_input *in);

#endif
