/* apart.h: the CPU dressed as a device with memory of its own, so that what must be copied to and
 * from a GPU is tested where there is none. $GSOLVE_TEST_DEVICE=apart opens it. */
#ifndef TESTS_APART_H
#define TESTS_APART_H

#include <stdlib.h>
#include <string.h>

#include "core/context.h"

static inline void *apart_alloc(gs_queue *q, size_t bytes)
{
    (void)q;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void apart_free(gs_queue *q, void *block)
{
    (void)q;
    free(block);
}

static inline gsolve_status apart_copy(gs_queue *q, void *to, const void *from, size_t bytes)
{
    (void)q;
    memcpy(to, from, bytes);
    return GSOLVE_OK;
}

static inline bool test_device_is_apart(void)
{
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    return device && strcmp(device, "apart") == 0;
}

/* The device's name in $GSOLVE_TEST_DEVICE, or else_name; what of a spec comes after it stays. */
static inline gsolve_status open_test_device(gsolve_context **ctx, const char *else_name,
                                             const char *keys)
{
    static gs_device apart;
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    const bool is_apart = test_device_is_apart();
    char spec[64];

    snprintf(spec, sizeof spec, "%.32s%s", is_apart ? "cpu" : device ? device : else_name, keys);
    const gsolve_status status = gsolve_context_create(ctx, spec);
    if (status != GSOLVE_OK || !is_apart) return status;
    apart = *(*ctx)->device;
    apart.alloc = apart_alloc;
    apart.free = apart_free;
    apart.copy = apart_copy;
    (*ctx)->device = &apart;
    return GSOLVE_OK;
}

#endif
