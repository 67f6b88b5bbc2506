/* locked.h: memory of the host whose pages are locked, so that a device reads it by itself. */
#ifndef BENCH_LOCKED_H
#define BENCH_LOCKED_H

#include <stddef.h>

void *locked_alloc(size_t bytes); /* NULL: cannot be had */
void locked_free(void *block);

#endif
