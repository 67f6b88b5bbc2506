/* info.c: copies structs that the library fills to callers that may know other versions of them. */
#include <string.h>

#include "core/info.h"

/* A larger size was never set: it is what the memory contained. */
#define MOST 65536

static size_t size_of(const void *info)
{
    size_t size;

    memcpy(&size, info, sizeof size);
    return size;
}

bool gs_info_fits(const void *info, size_t least)
{
    return info && size_of(info) >= least && size_of(info) <= MOST;
}

gsolve_status gs_check_info(gsolve_context *ctx, const char *type, const void *info, size_t size,
                            size_t least)
{
    if (!info || gs_info_fits(info, least)) return GSOLVE_OK;
    return gsolve_fail(
        ctx, GSOLVE_BAD_ARGUMENT,
        "the member size of the %s is %zu, not %zu: declare the struct as '%s name = "
        "GSOLVE_INIT(%s)'",
        type, size_of(info), size, type, type);
}

void gs_fill_info(void *info, const void *own, size_t own_size, size_t least)
{
    const size_t head = sizeof(size_t);

    if (!gs_info_fits(info, least)) return;
    const size_t size = size_of(info);
    const size_t common = size < own_size ? size : own_size;
    memcpy((char *)info + head, (const char *)own + head, common - head);
    memset((char *)info + common, 0, size - common);
}
