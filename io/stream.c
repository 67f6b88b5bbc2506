/* stream.c: reads a file whose size is not known before its end: a pipe, a terminal, a device. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "core/try.h"
#include "io/input.h"

#define FIRST ((size_t)1 << 20) /* bytes of the first buffer; each later one is twice as large */

typedef struct buffer {
    char *data;
    size_t bytes, capacity;
} buffer;

static gsolve_status grow(buffer *b, gsolve_context *ctx)
{
    const size_t capacity = b->capacity ? 2 * b->capacity : FIRST;
    char *data = gsolve_alloc(ctx, GSOLVE_HOST, capacity, 1);

    if (!data) return GSOLVE_NO_MEMORY;
    if (b->bytes) memcpy(data, b->data, b->bytes);
    gsolve_free(ctx, GSOLVE_HOST, b->data);
    b->data = data;
    b->capacity = capacity;
    return GSOLVE_OK;
}

/* Whether the file is a device such as /dev/zero, which has no end. A terminal has one. */
static bool may_be_endless(int file)
{
    struct stat s;
    return fstat(file, &s) == 0 && S_ISCHR(s.st_mode) && !isatty(file);
}

gsolve_status gs_read_stream(char **data, size_t *bytes, gsolve_context *ctx, const char *name,
                             int file)
{
    const char *why = NULL;
    buffer b = {0};
    size_t got = 1;
    gsolve_status status = GSOLVE_OK;

    while (got > 0 && !why) {
        if (b.bytes == b.capacity) TRY(grow(&b, ctx));
        const int code = gs_read_some(file, b.data + b.bytes, b.capacity - b.bytes, &got);
        b.bytes += got;
        if (code) why = strerror(code);
        if (got > 0 && may_be_endless(file)) why = "it is a device, neither a file nor a pipe";
    }
    if (!why && b.bytes == 0) why = "the file is empty";
    if (why) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "%.400s: %s", name, why);
        goto done;
    }
    *data = b.data;
    *bytes = b.bytes;
    b.data = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, b.data);
    return status;
}
