/* write_npz.c: NumPy's .npy files, and the .npz files of SciPy's sparse matrices: zip archives of
 * stored .npy files. */
#include "io/write_npz.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/dense.h"
#include "core/try.h"
#include "io/zip.h"
#include "matrix/csr.h"

#define MEMBERS 5
#define HEAD    128 /* bytes of an array before its elements */

static const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

/* head = magic number and description of an array; HEAD bytes. type: "f8"; shape: "(3, )". */
static void describe(char head[HEAD], const char *type, const char *shape, bool fortran)
{
    const bool text = type[0] == 'S';
    int length;

    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = HEAD - 10;
    head[9] = 0;
    length = snprintf(head + 10, HEAD - 10, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }",
                      text ? '|' : order, type, fortran ? "True" : "False", shape);
    memset(head + 10 + length, ' ', (size_t)(HEAD - 11 - length));
    head[HEAD - 1] = '\n';
}

gsolve_status gs_put_npy(gs_file *f, const gsolve_dense *v)
{
    const int64_t size = (int64_t)gs_type_size(v->type);
    char head[HEAD], shape[40];
    gsolve_status status;

    if (v->ncols == 1) {
        snprintf(shape, sizeof shape, "(%d,)", v->nrows);
    } else {
        snprintf(shape, sizeof shape, "(%d, %d)", v->nrows, v->ncols);
    }
    describe(head, v->type == GSOLVE_F32 ? "f4" : "f8", shape, v->ncols > 1);
    TRY(gs_file_put(f, head, HEAD));
    for (int32_t j = 0; j < v->ncols; j++) {
        const char *column = (const char *)v->value + j * v->stride * size;
        TRY(gs_file_put(f, column, v->nrows * size));
    }
done:
    return status;
}

/* --- archives --------------------------------------------------------------------------------- */

typedef struct member {
    const char *name, *type; /* of an array */
    const void *data;
    int64_t bytes; /* of data */
    int64_t count; /* elements; -1: a single one without dimensions */
    char head[HEAD];
    uint32_t crc;   /* of head and data */
    int64_t offset; /* in the archive */
} member;

static char *put_number(char *to, uint64_t n, int bytes)
{
    for (int k = 0; k < bytes; k++) *to++ = (char)(n >> 8 * k & 0xff);
    return to;
}

static uint64_t short_or_full(int64_t n)
{
    return n < UINT32_MAX ? (uint64_t)n : UINT32_MAX;
}

/* What the head of a member and its entry in the directory have in common: from the version on. */
static char *put_common(char *to, const member *m, int extra)
{
    const int64_t size = m->bytes + HEAD;

    to = put_number(to, 45, 2);         /* version needed: zip64 */
    to = put_number(to, 0, 2);          /* flags */
    to = put_number(to, 0, 2);          /* stored */
    to = put_number(to, 0, 2);          /* time: midnight */
    to = put_number(to, 1 << 5 | 1, 2); /* date: 1 January 1980, so that files are reproducible */
    to = put_number(to, m->crc, 4);
    to = put_number(to, short_or_full(size), 4);
    to = put_number(to, short_or_full(size), 4);
    to = put_number(to, strlen(m->name), 2);
    return put_number(to, (uint64_t)extra, 2);
}

/* The sizes that do not fit in 32 bits: size and packed size. */
static char *put_extra(char *to, const member *m, bool with_offset)
{
    const int64_t size = m->bytes + HEAD;
    const bool wide = size >= UINT32_MAX, far = with_offset && m->offset >= UINT32_MAX;

    if (!wide && !far) return to;
    to = put_number(to, 1, 2);
    to = put_number(to, 16u * wide + 8u * far, 2);
    if (wide) to = put_number(put_number(to, (uint64_t)size, 8), (uint64_t)size, 8);
    if (far) to = put_number(to, (uint64_t)m->offset, 8);
    return to;
}

static int extra_bytes(const member *m, bool with_offset)
{
    char unused[64];
    return (int)(put_extra(unused, m, with_offset) - unused);
}

static gsolve_status put_member(gs_file *f, member *m, int64_t *at)
{
    char text[200], *to = text;
    gsolve_status status;

    m->offset = *at;
    to = put_number(to, 0x04034b50, 4);
    to = put_common(to, m, extra_bytes(m, false));
    memcpy(to, m->name, strlen(m->name));
    to = put_extra(to + strlen(m->name), m, false);
    TRY(gs_file_put(f, text, to - text));
    TRY(gs_file_put(f, m->head, HEAD));
    TRY(gs_file_put(f, m->data, m->bytes));
    *at += to - text + HEAD + m->bytes;
done:
    return status;
}

static char *put_entry(char *to, const member *m)
{
    to = put_number(to, 0x02014b50, 4);
    to = put_number(to, 3 << 8 | 45, 2); /* made by version 4.5 on Unix */
    to = put_common(to, m, extra_bytes(m, true));
    to = put_number(to, 0, 2);             /* comment */
    to = put_number(to, 0, 2);             /* disk */
    to = put_number(to, 0, 2);             /* internal attributes */
    to = put_number(to, 0644ull << 16, 4); /* permissions */
    to = put_number(to, short_or_full(m->offset), 4);
    memcpy(to, m->name, strlen(m->name));
    return put_extra(to + strlen(m->name), m, true);
}

/* The end of the archive; with a larger record before it if the directory begins beyond 4 GiB. */
static char *put_end(char *to, int64_t at, int64_t bytes)
{
    if (at >= UINT32_MAX) {
        to = put_number(to, 0x06064b50, 4);
        to = put_number(to, 44, 8);
        to = put_number(to, 45 | 45 << 16, 4);
        to = put_number(to, 0, 8);
        to = put_number(to, MEMBERS, 8);
        to = put_number(to, MEMBERS, 8);
        to = put_number(to, (uint64_t)bytes, 8);
        to = put_number(to, (uint64_t)at, 8);
        to = put_number(to, 0x07064b50, 4);
        to = put_number(to, 0, 4);
        to = put_number(to, (uint64_t)(at + bytes), 8);
        to = put_number(to, 1, 4);
    }
    to = put_number(to, 0x06054b50, 4);
    to = put_number(to, 0, 4);
    to = put_number(to, MEMBERS | MEMBERS << 16, 4);
    to = put_number(to, (uint64_t)bytes, 4);
    to = put_number(to, short_or_full(at), 4);
    return put_number(to, 0, 2);
}

static gsolve_status put_archive(gs_file *f, member *m)
{
    char text[1024], *to = text;
    int64_t at = 0;
    gsolve_status status = GSOLVE_OK;

    for (int k = 0; k < MEMBERS; k++) {
        char shape[40] = "()";
        if (m[k].count >= 0) snprintf(shape, sizeof shape, "(%lld,)", (long long)m[k].count);
        describe(m[k].head, m[k].type, shape, false);
        m[k].crc =
            (uint32_t)crc32_combine(crc32(0, (const unsigned char *)m[k].head, HEAD),
                                    gs_zip_crc(f->ctx, m[k].data, m[k].bytes), (z_off_t)m[k].bytes);
        TRY(put_member(f, &m[k], &at));
    }
    for (int k = 0; k < MEMBERS; k++) to = put_entry(to, &m[k]);
    to = put_end(to, at, to - text);
    TRY(gs_file_put(f, text, to - text));
done:
    return status;
}

gsolve_status gs_put_npz(gs_file *f, const gsolve_csr *csr)
{
    const int64_t entries = gs_start(csr, csr->nrows), lines = (int64_t)csr->nrows + 1;
    const int64_t shape[2] = {csr->nrows, csr->ncols};
    const int64_t wide = (int64_t)gs_offset_size(csr->offset);
    const int64_t size = (int64_t)gs_type_size(csr->type);
    member m[MEMBERS] = {
        {.name = "indices.npy",
         .type = "i4",
         .data = csr->col,
         .bytes = 4 * entries,
         .count = entries},
        {.name = "indptr.npy",
         .type = wide == 8 ? "i8" : "i4",
         .data = csr->start,
         .bytes = wide * lines,
         .count = lines},
        {.name = "format.npy", .type = "S3", .data = "csr", .bytes = 3, .count = -1},
        {.name = "shape.npy", .type = "i8", .data = shape, .bytes = sizeof shape, .count = 2},
        {.name = "data.npy",
         .type = size == 4 ? "f4" : "f8",
         .data = csr->value,
         .bytes = size * entries,
         .count = entries},
    };

    return put_archive(f, m);
}
