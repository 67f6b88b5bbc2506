/* try.h: how a failure travels: a function that owns something ends in "done:". */
#ifndef GS_CORE_TRY_H
#define GS_CORE_TRY_H

#include "gsolve_plugin.h"

/* Needs a variable status and a label done. */
#define TRY(call)                           \
    do {                                    \
        status = (call);                    \
        if (status != GSOLVE_OK) goto done; \
    } while (0)

/* pointer = count elements of its type. */
#define ALLOC(ctx, place, pointer, count)                                         \
    do {                                                                          \
        (pointer) = gsolve_alloc(ctx, place, (size_t)(count), sizeof *(pointer)); \
        status = (pointer) ? GSOLVE_OK : GSOLVE_NO_MEMORY;                        \
        if (status != GSOLVE_OK) goto done;                                       \
    } while (0)

#endif
