/* apart.h: the test device apart: the CPU, used as if it had memory of its own, so that copies to
 * and from a GPU are tested without a GPU. $GSOLVE_TEST_DEVICE=apart opens it. It has apart_room
 * bytes of memory. A copy through its pages is made only when the caller waits for it. */
#ifndef TESTS_APART_H
#define TESTS_APART_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

#define APART_HEAD 64 /* bytes before a block, which hold its size */

static size_t apart_room = SIZE_MAX, apart_used;
static int apart_allocations, apart_sendings;
static int apart_sendings_granted = -1; /* further ones fail; negative: none does */
static bool apart_has_pages;

static inline void *apart_alloc(gs_queue *q, size_t bytes)
{
    char *block;

    (void)q;
    __atomic_fetch_add(&apart_allocations, 1, __ATOMIC_RELAXED); /* ranks may be threads */
    if (apart_room != SIZE_MAX && bytes > apart_room - apart_used) return NULL;
    block = aligned_alloc(64, APART_HEAD + (bytes + 63) / 64 * 64);
    if (!block) return NULL;
    *(size_t *)(void *)block = bytes;
    __atomic_fetch_add(&apart_used, bytes, __ATOMIC_RELAXED);
    return block + APART_HEAD;
}

static inline void apart_free(gs_queue *q, void *block)
{
    char *begin = (char *)block - APART_HEAD;

    (void)q;
    __atomic_fetch_sub(&apart_used, *(size_t *)(void *)begin, __ATOMIC_RELAXED);
    free(begin);
}

static inline gsolve_status apart_memory(gs_queue *q, size_t *unused, size_t *total)
{
    (void)q;
    *unused = apart_room == SIZE_MAX ? SIZE_MAX : apart_room - apart_used;
    *total = apart_room;
    return GSOLVE_OK;
}

static inline gsolve_status apart_copy(gs_queue *q, void *to, const void *from, size_t bytes)
{
    (void)q;
    memcpy(to, from, bytes);
    return GSOLVE_OK;
}

/* --- pages ------------------------------------------------------------------------------------ */

static char *apart_pages[GS_PAGES];
static struct apart_sending {
    void *to;
    const void *from;
    size_t bytes;
} apart_under_way[GS_PAGES];

static inline bool apart_is_page(gs_queue *q, const void *host)
{
    (void)q, (void)host;
    return false;
}

static inline void *apart_page(gs_queue *q, int slot, bool make)
{
    (void)q;
    if (!apart_has_pages) return NULL;
    if (!apart_pages[slot] && make) apart_pages[slot] = malloc(GS_PAGE);
    return apart_pages[slot];
}

static inline gsolve_status apart_send(gs_queue *q, int slot, void *to, const void *from,
                                       size_t bytes)
{
    (void)q;
    if (apart_under_way[slot].bytes || apart_sendings == apart_sendings_granted) {
        return GSOLVE_DEVICE_FAILED;
    }
    apart_sendings++;
    apart_under_way[slot] = (struct apart_sending){to, from, bytes};
    return GSOLVE_OK;
}

static inline gsolve_status apart_sent(gs_queue *q, int slot)
{
    struct apart_sending *s = &apart_under_way[slot];

    (void)q;
    if (s->bytes) memcpy(s->to, s->from, s->bytes);
    s->bytes = 0;
    return GSOLVE_OK;
}

static inline void apart_drop_pages(void)
{
    for (int slot = 0; slot < GS_PAGES; slot++) {
        free(apart_pages[slot]);
        apart_pages[slot] = NULL;
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

static inline bool test_device_is(const char *name)
{
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    return device && strcmp(device, name) == 0;
}

static inline bool test_device_is_apart(void)
{
    return test_device_is("apart");
}

static gs_device apart_device;

static inline void make_apart_device(void)
{
    apart_device = gs_device_host;
    apart_device.alloc = apart_alloc;
    apart_device.free = apart_free;
    apart_device.copy = apart_copy;
    apart_device.memory = apart_memory;
    apart_device.is_page = apart_is_page;
    apart_device.page = apart_page;
    apart_device.send = apart_send;
    apart_device.sent = apart_sent;
}

/* Opens the device of $GSOLVE_TEST_DEVICE, or else_name, with the options `keys` and the caller's
 * allocators. */
static inline gsolve_status open_test_device_with(gsolve_context **ctx, const char *else_name,
                                                  const char *keys,
                                                  const gsolve_context_options *options)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    const bool is_apart = test_device_is_apart();
    char spec[64];

    snprintf(spec, sizeof spec, "%.32s%s", is_apart ? "cpu" : device ? device : else_name, keys);
    const gsolve_status status = gsolve_context_create_with(ctx, spec, options);
    if (status != GSOLVE_OK || !is_apart) return status;
    pthread_once(&once, make_apart_device);
    (*ctx)->device = &apart_device;
    return GSOLVE_OK;
}

/* Opens the device of $GSOLVE_TEST_DEVICE, or else_name, with the options `keys`. */
static inline gsolve_status open_test_device(gsolve_context **ctx, const char *else_name,
                                             const char *keys)
{
    return open_test_device_with(ctx, else_name, keys, NULL);
}

#endif
