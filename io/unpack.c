/* unpack.c: unpacks a file compressed by bzip2, xz or zstd into memory. */
#include "io/unpack.h"

#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "io/binary.h"

#define STEP      ((size_t)1 << 24) /* bytes between two calls of progress */
#define FREE      ((size_t)1 << 28) /* bytes that any file may expand to */
#define MOST_GAIN 1100              /* the most bytes that a byte of a larger file may expand to */

typedef struct unpacked {
    char *data;
    size_t bytes, capacity;
} unpacked;

const gs_unpacker *gs_unpacker_of(const char *begin, const char *end)
{
    static const gs_unpacker *const all[] = {&gs_bzip2, &gs_xz, &gs_zstd};

    for (int k = 0; k < 3; k++) {
        if (end - begin > all[k]->length &&
            memcmp(begin, all[k]->magic, (size_t)all[k]->length) == 0) {
            return all[k];
        }
    }
    return NULL;
}

static gsolve_status refuse(const gs_input *in, const gs_unpacker *u)
{
    return gs_binary_fail(in, NULL,
                          "the file is compressed by %s, and this build of gsolve has no library "
                          "for it: unpack it with %s %.200s, or install %s and configure gsolve "
                          "with -D%s=ON",
                          u->name, u->command, in->name, u->package, u->option);
}

/* Refuses data that expand so much that they are no matrix, before they fill the memory. */
static gsolve_status check_gain(const unpacked *text, const gs_input *in, const gs_unpacker *u)
{
    const size_t packed = (size_t)(in->end - in->begin);

    if (text->bytes > FREE && text->bytes / MOST_GAIN > packed) {
        return gs_binary_fail(in, NULL,
                              "the %lld bytes of the file expand to more than %lld bytes, more "
                              "than a matrix does; if it is one, unpack it with %s %.200s",
                              (long long)packed, (long long)text->bytes, u->command, in->name);
    }
    return GSOLVE_OK;
}

/* Makes space: twice as much, at least what the part read so far suggests for all. */
static gsolve_status grow(unpacked *text, const gs_input *in, size_t read)
{
    const size_t packed = (size_t)(in->end - in->begin);
    const double all = read ? 1.05 * (double)text->bytes * (double)packed / (double)read : 0;
    size_t capacity = text->capacity ? 2 * text->capacity : 4 * packed + 4096;
    char *data;

    if (all > (double)capacity && all < 4.0 * (double)capacity) capacity = (size_t)all + 4096;
    data = gsolve_alloc(in->ctx, GSOLVE_HOST, capacity, 1);
    if (!data) return GSOLVE_NO_MEMORY;
    if (text->bytes) memcpy(data, text->data, text->bytes);
    gsolve_free(in->ctx, GSOLVE_HOST, text->data);
    text->data = data;
    text->capacity = capacity;
    return GSOLVE_OK;
}

static gsolve_status fail(const gs_input *in, const gs_unpacker *u, gs_unpack_end end, size_t read)
{
    if (end == GS_UNPACK_NO_MEMORY) {
        return gsolve_fail(in->ctx, GSOLVE_NO_MEMORY, "out of memory: cannot unpack %.400s",
                           in->name);
    }
    return gs_binary_fail(in, NULL,
                          end == GS_UNPACK_DAMAGED
                              ? "the data compressed by %s are damaged after byte %lld of %lld; "
                                "copy the file again"
                              : "the data compressed by %s end at byte %lld of %lld before they "
                                "are complete; the file is truncated: copy it again",
                          u->name, (long long)read, (long long)(in->end - in->begin));
}

/* Unpacks one stream after the other, until the data end. */
static gsolve_status unpack_streams(unpacked *text, const gs_unpacker *u, void *state,
                                    const gs_input *in)
{
    const unsigned char *begin = (const unsigned char *)in->begin, *next = begin;
    const unsigned char *end = (const unsigned char *)in->end;
    gs_unpack_end code = GS_UNPACK_GO_ON;
    gsolve_status status = GSOLVE_OK;

    while (code == GS_UNPACK_GO_ON) {
        if (text->bytes == text->capacity) TRY(grow(text, in, (size_t)(next - begin)));
        const size_t space = text->capacity - text->bytes, out = space < STEP ? space : STEP;
        unsigned char *to = (unsigned char *)text->data + text->bytes;
        gs_unpack_step s = {next, (size_t)(end - next) < STEP ? end : next + STEP, to, to + out};
        code = u->step(state, &s);
        const bool stuck = s.in == next && s.out == to;
        next = s.in;
        text->bytes += (size_t)(s.out - to);
        TRY(check_gain(text, in, u));
        gs_input_progress(in, next - begin, end - begin);
        TRY(gs_check_interrupt(in->ctx));
        if (code == GS_UNPACK_END && next < end) code = GS_UNPACK_GO_ON;
        if (code == GS_UNPACK_DAMAGED || code == GS_UNPACK_NO_MEMORY ||
            (code == GS_UNPACK_GO_ON && stuck)) {
            return fail(in, u, code, (size_t)(next - begin));
        }
    }
done:
    return status;
}

gsolve_status gs_unpack(gs_input *in, const gs_unpacker *u)
{
    unpacked text = {0};
    void *state;
    gsolve_status status;

    if (!u->begin) return refuse(in, u);
    state = u->begin(in->ctx);
    if (!state) return GSOLVE_NO_MEMORY;
    status = unpack_streams(&text, u, state, in);
    u->end(state, in->ctx);
    if (status == GSOLVE_OK) {
        in->block[1] = text.data;
        in->begin = text.data;
        in->end = text.data + text.bytes;
        in->source.bytes = (int64_t)text.bytes;
        text.data = NULL;
    }
    gsolve_free(in->ctx, GSOLVE_HOST, text.data);
    return status;
}
