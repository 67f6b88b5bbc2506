/* cusparse.h: the vendor's product of sparse matrices; without CUDA it has no name. */
#ifndef GS_SPGEMM_CUSPARSE_CUSPARSE_H
#define GS_SPGEMM_CUSPARSE_CUSPARSE_H

#include "spgemm/spgemm.h"

extern const gs_multiplier gs_cusparse_multiplier;

#endif
