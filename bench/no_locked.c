/* no_locked.c: where there is no device, ordinary memory serves. */
#include <stdlib.h>

#include "bench/locked.h"

void *locked_alloc(size_t bytes)
{
    return malloc(bytes);
}

void locked_free(void *block)
{
    free(block);
}
