/* try.h: error handling. A function that owns resources frees them at its label done. */
#ifndef GS_CORE_TRY_H
#define GS_CORE_TRY_H

#include "gsolve_plugin.h"

/* Sets status and jumps to done on failure. Needs a variable status and a label done. */
#define TRY(call)                           \
    do {                                    \
        status = (call);                    \
        if (status != GSOLVE_OK) goto done; \
    } while (0)

/* pointer = count new elements of its type, or TRY's failure. */
#define ALLOC(ctx, place, pointer, count)                                         \
    do {                                                                          \
        (pointer) = gsolve_alloc(ctx, place, (size_t)(count), sizeof *(pointer)); \
        status = (pointer) ? GSOLVE_OK : GSOLVE_NO_MEMORY;                        \
        if (status != GSOLVE_OK) goto done;                                       \
    } while (0)

#endif
