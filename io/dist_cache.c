/* dist_cache.c: the binary cache of a matrix file, read and written by all ranks: each hashes its
 * share of the file and of the cache, and reads or writes its rows. */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#include "core/try.h"
#include "io/cache.h"
#include "io/dist.h"
#include "io/dist_file.h"
#include "io/write.h"

/* --- hashes ----------------------------------------------------------------------------------- */

/* Pieces of a file, each rank hashes its share of them. */
typedef struct hashing {
    gsolve_context *ctx;
    int64_t pieces, share; /* share: of each rank; the last ones can have fewer */
    uint64_t *part;        /* the hashes of all pieces, and of some that do not exist */
    uint64_t *own;         /* those of this rank */
    int64_t begin, end;    /* of the own pieces */
} hashing;

static gsolve_status new_hashing(hashing *h, gsolve_context *ctx, int64_t pieces)
{
    const int64_t ranks = gs_comm_ranks(ctx->comm), rank = ctx->comm ? ctx->comm->rank : 0;
    gsolve_status status;

    *h = (hashing){.ctx = ctx, .pieces = pieces, .share = (pieces + ranks - 1) / ranks};
    h->begin = rank * h->share < pieces ? rank * h->share : pieces;
    h->end = h->begin + h->share < pieces ? h->begin + h->share : pieces;
    ALLOC(ctx, GSOLVE_HOST, h->part, ranks * h->share);
    ALLOC(ctx, GSOLVE_HOST, h->own, h->share);
    for (int64_t k = 0; k < h->share; k++) h->own[k] = 0;
done:
    return gs_comm_check(ctx->comm, status);
}

static void drop_hashing(hashing *h)
{
    gsolve_free(h->ctx, GSOLVE_HOST, h->part);
    gsolve_free(h->ctx, GSOLVE_HOST, h->own);
}

/* h->part = the hashes of all ranks. good: this rank could read its pieces. */
static gsolve_status gather_parts(hashing *h, bool *good)
{
    gsolve_status status;

    TRY(gs_agree(good, h->ctx, *good));
    TRY(gs_comm_allgather(h->ctx->comm, h->own, (size_t)h->share * sizeof *h->own, h->part));
done:
    return status;
}

/* *stamp = that of the file. *good: all ranks see the same file. */
static gsolve_status stamp_file(gs_stamp *stamp, bool *good, gsolve_context *ctx, const char *path)
{
    gs_stamped_file s;
    hashing h = {.ctx = ctx};
    double size[2];
    gsolve_status status;

    *stamp = (gs_stamp){0};
    *good = gs_stamp_open(&s, stamp, ctx, path);
    TRY(gs_agree(good, ctx, *good));
    if (!*good) goto done;
    size[0] = (double)stamp->size;
    size[1] = -(double)stamp->size;
    TRY(gs_comm_largest(ctx->comm, size, 2));
    *good = size[0] == -size[1];
    if (!*good) goto done;
    TRY(new_hashing(&h, ctx, gs_stamp_pieces(s.size)));
    *good = gs_stamp_parts(h.own, &s, h.begin, h.end);
    TRY(gather_parts(&h, good));
    stamp->hash = gs_stamp_hash(ctx, h.part, s.size);
done:
    drop_hashing(&h);
    gs_stamp_close(&s);
    return status;
}

/* h->own = the hashes of this rank's pieces of an array in the cache. */
static bool hash_own_pieces(hashing *h, const gs_cache_file *f, int array, uint64_t seed,
                            char *buffer)
{
    int failed = 0;

#pragma omp parallel for schedule(static) num_threads(gs_reading_threads(h->ctx)) \
    reduction(| : failed)
    for (int64_t k = h->begin; k < h->end; k++) {
        char *piece = buffer + (size_t)omp_get_thread_num() * GS_HASH_PIECE;
        const int64_t at = k * (int64_t)GS_HASH_PIECE, left = f->bytes[array] - at;
        const int64_t bytes = left < (int64_t)GS_HASH_PIECE ? left : (int64_t)GS_HASH_PIECE;
        if (gs_read_bytes(f->file, piece, bytes, f->at[array] + at)) {
            h->own[k - h->begin] = gs_hash_part(piece, (size_t)bytes, seed);
        } else {
            failed = 1;
        }
    }
    return !failed;
}

/* *hash = that of an array in the cache; on entry that of the array before. */
static gsolve_status hash_array(uint64_t *hash, bool *good, gsolve_context *ctx,
                                const gs_cache_file *f, int array, char *buffer)
{
    const int64_t piece = (int64_t)GS_HASH_PIECE;
    hashing h;
    gsolve_status status = new_hashing(&h, ctx, (f->bytes[array] + piece - 1) / piece);

    if (status != GSOLVE_OK) goto done;
    *good = hash_own_pieces(&h, f, array, *hash, buffer);
    TRY(gather_parts(&h, good));
    *hash = gs_hash_of_parts(h.part, (size_t)f->bytes[array], *hash);
done:
    drop_hashing(&h);
    return status;
}

/* *hash = that of the arrays of the cache. *good: all ranks could read them. */
static gsolve_status hash_arrays(uint64_t *hash, bool *good, gsolve_context *ctx,
                                 const gs_cache_file *f)
{
    char *buffer = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)gsolve_threads(ctx), GS_HASH_PIECE);
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    *hash = GS_CACHE_VERSION;
    *good = true;
    for (int k = 0; k < GS_CACHE_ARRAYS && *good; k++) {
        TRY(hash_array(hash, good, ctx, f, k, buffer));
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, buffer);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* *start = the offset of a row. */
static bool read_start(const gs_cache_file *f, int64_t row, int64_t *start)
{
    int32_t narrow;

    if (f->offset == GSOLVE_O64) {
        return gs_read_bytes(f->file, start, sizeof *start,
                             f->at[0] + row * (int64_t)sizeof *start);
    }
    if (!gs_read_bytes(f->file, &narrow, sizeof narrow, f->at[0] + row * (int64_t)sizeof narrow)) {
        return false;
    }
    *start = narrow;
    return true;
}

/* *row = the first row that begins at this entry or later. */
static bool find_row(const gs_cache_file *f, int64_t entry, int64_t *row)
{
    int64_t low = 0, high = f->nrows, start;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (!read_start(f, middle, &start)) return false;
        if (start < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *row = low;
    return true;
}

/* The rows of this rank, and its entries. */
static bool find_rows(gsolve_row_range *rows, int64_t entry[2], const gs_cache_file *f, int rank,
                      int ranks)
{
    const int64_t entries = f->bytes[2] / (int64_t)sizeof(double);
    int64_t first, end = f->nrows;

    if (!find_row(f, gs_first_entry(entries, rank, ranks), &first)) return false;
    if (rank + 1 < ranks && !find_row(f, gs_first_entry(entries, rank + 1, ranks), &end)) {
        return false;
    }
    *rows = (gsolve_row_range){first, f->nrows, (int32_t)(end - first)};
    return read_start(f, first, &entry[0]) && read_start(f, end, &entry[1]);
}

/* Reads `count` numbers of 32 bits; those that are kept have 64 bits. */
static bool read_narrow(int64_t *to, int file, int64_t count, int64_t at)
{
    int32_t some[4096];

    for (int64_t done = 0; done < count; done += 4096) {
        const int64_t n = count - done < 4096 ? count - done : 4096;
        if (!gs_read_bytes(file, some, n * 4, at + done * 4)) return false;
        for (int64_t k = 0; k < n; k++) to[done + k] = some[k];
    }
    return true;
}

static bool read_arrays(gs_dist_arrays *a, const gs_cache_file *f, gsolve_row_range rows,
                        const int64_t entry[2])
{
    const int64_t count = rows.count + (int64_t)1, entries = entry[1] - entry[0];
    const bool good = f->offset == GSOLVE_O64
                          ? gs_read_bytes(f->file, a->start, count * 8, f->at[0] + rows.first * 8)
                          : read_narrow(a->start, f->file, count, f->at[0] + rows.first * 4);

    for (int64_t i = 0; good && i < count; i++) a->start[i] -= entry[0];
    return good && read_narrow(a->col, f->file, entries, f->at[1] + entry[0] * 4) &&
           gs_read_bytes(f->file, a->value, entries * 8, f->at[2] + entry[0] * 8);
}

static gsolve_status read_rows(gsolve_dist_csr *csr, bool *good, gsolve_context *ctx,
                               const gs_cache_file *f)
{
    const int rank = ctx->comm->rank, ranks = ctx->comm->ranks;
    gsolve_row_range rows = {0};
    int64_t entry[2] = {0, 0};
    gs_dist_arrays a = {0};
    gsolve_status status;

    TRY(gs_agree(good, ctx, find_rows(&rows, entry, f, rank, ranks)));
    if (!*good) goto done;
    TRY(gs_comm_check(ctx->comm, gs_dist_arrays_new(&a, ctx, rows.count, entry[1] - entry[0])));
    TRY(gs_agree(good, ctx, read_arrays(&a, f, rows, entry)));
    if (*good) gs_dist_csr_own(csr, rows, gs_column_range(rows, f->ncols, rank, ranks), &a);
done:
    gs_dist_arrays_free(&a, ctx);
    return status;
}

/* --- caches ----------------------------------------------------------------------------------- */

/* *opened: all ranks have opened the same cache. */
static gsolve_status open_cache(gs_cache_file *f, bool *opened, gsolve_context *ctx,
                                const char *path, bool beside, const gs_stamp *stamp,
                                gsolve_source *source)
{
    uint64_t first;
    gsolve_status status;

    f->file = -1;
    f->head = 0;
    *opened = gs_cache_open(f, ctx, path, beside, stamp, source);
    first = f->head;
    TRY(gs_share(ctx->comm, &first, sizeof first));
    TRY(gs_agree(opened, ctx, *opened && f->head == first));
done:
    return status;
}

static gsolve_status read_cache(gsolve_dist_csr *csr, bool *good, gsolve_context *ctx,
                                const char *path, bool beside, const gs_stamp *stamp,
                                gsolve_source *source)
{
    gs_cache_file f;
    uint64_t hash = 0;
    gsolve_status status = open_cache(&f, good, ctx, path, beside, stamp, source);

    if (status != GSOLVE_OK) goto done;
    if (*good) TRY(hash_arrays(&hash, good, ctx, &f));
    *good = *good && hash == f.payload;
    if (*good) TRY(read_rows(csr, good, ctx, &f));
done:
    if (f.file >= 0) close(f.file);
    return status;
}

gsolve_status gs_cache_read_dist(gsolve_dist_csr *csr, bool *found, gsolve_context *ctx,
                                 const char *path, gsolve_source *source)
{
    gs_stamp stamp;
    bool stamped;
    gsolve_status status;

    *found = false;
    TRY(stamp_file(&stamp, &stamped, ctx, path));
    for (int beside = 1; stamped && !*found && beside >= 0; beside--) {
        TRY(read_cache(csr, found, ctx, path, beside, &stamp, source));
    }
    if (!stamped) goto done;
    source->stamp[0] = (uint64_t)stamp.size;
    source->stamp[1] = (uint64_t)stamp.mtime;
    source->stamp[2] = stamp.hash;
done:
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Writes 64-bit numbers, each plus `more`, with 32 or 64 bits. Returns 0 or an errno. */
static int write_numbers(const gs_replacement *r, gsolve_offset width, const int64_t *from,
                         int64_t count, int64_t more, int64_t at)
{
    union {
        int32_t narrow[4096];
        int64_t wide[4096];
    } some;
    const int64_t bytes = width == GSOLVE_O64 ? 8 : 4;
    int code = 0;

    for (int64_t done = 0; done < count && !code; done += 4096) {
        const int64_t n = count - done < 4096 ? count - done : 4096;
        for (int64_t k = 0; k < n; k++) {
            if (width == GSOLVE_O64) {
                some.wide[k] = from[done + k] + more;
            } else {
                some.narrow[k] = (int32_t)(from[done + k] + more);
            }
        }
        code = gs_replace_write_at(r, &some, (size_t)(n * bytes), at + done * bytes);
    }
    return code;
}

/* Writes the rows of this rank. before: entries of the ranks before. The offset at the end of a
 * rank's rows is that of the next one, too. */
static int write_rows(const gs_replacement *r, const gs_cache_file *f, const gsolve_dist_csr *csr,
                      int64_t before)
{
    const int64_t *start = csr->start, rows = csr->rows.count + (int64_t)1;
    const int64_t entries = start[csr->rows.count];
    const int64_t bytes = f->offset == GSOLVE_O64 ? 8 : 4;
    int code = write_numbers(r, f->offset, start, rows, before, f->at[0] + csr->rows.first * bytes);

    if (!code) code = write_numbers(r, GSOLVE_O32, csr->col, entries, 0, f->at[1] + before * 4);
    if (!code) {
        code = gs_replace_write_at(r, csr->value, (size_t)entries * 8, f->at[2] + before * 8);
    }
    return code;
}

typedef struct writing {
    gs_dist_file whole;
    gs_replacement part; /* its temporary file once more, for this rank's rows */
    gs_cache_file f;
    int64_t before; /* entries of the ranks before this one */
    char path[PATH_MAX];
} writing;

/* The file is closed behind the rows and opened again to be hashed, so that hosts which share it by
 * a network see what the others have written. */
static gsolve_status write_arrays(writing *w, const gsolve_dist_csr *csr, int64_t size)
{
    gsolve_context *ctx = w->whole.ctx;
    const char *temporary = w->whole.replacement.temporary;
    bool good;
    int code = gs_replace_join(&w->part, ctx, w->path, temporary);
    gsolve_status status = GSOLVE_OK;

    if (!code) {
        if (gs_is_first(ctx) && ftruncate(w->part.file, (off_t)size) != 0) code = errno;
        if (!code) code = write_rows(&w->part, &w->f, csr, w->before);
        if (gs_replace_leave(&w->part) != 0 && !code) code = errno;
    }
    if (code) status = gs_write_error(ctx, w->path, code);
    TRY(gs_check_file(ctx->comm, status));
    w->f.file = open(temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    TRY(hash_arrays(&w->f.payload, &good, ctx, &w->f));
    if (!good) status = gs_write_error(ctx, w->path, EIO);
done:
    if (w->f.file >= 0) close(w->f.file);
    return status;
}

/* All ranks write the arrays, and rank 0 the page before them, which has their hash. */
static gsolve_status write_open(writing *w, const gsolve_dist_csr *csr, int64_t size,
                                const gs_stamp *stamp, const gsolve_source *source)
{
    gsolve_context *ctx = w->whole.ctx;
    char page[GS_CACHE_PAGE];
    int code;
    gsolve_status status;

    TRY(write_arrays(w, csr, size));
    if (!gs_is_first(ctx)) goto done;
    gs_cache_first_page(page, ctx, &w->f, stamp, source);
    code = gs_replace_write_at(&w->whole.replacement, page, sizeof page, 0);
    if (code) status = gs_write_error(ctx, w->path, code);
done:
    return status;
}

/* *written: the cache has its name. */
static gsolve_status write_cache(bool *written, gsolve_context *ctx, const char *path, bool beside,
                                 const gsolve_dist_csr *csr, const gs_stamp *stamp,
                                 gsolve_source *source)
{
    const int64_t own = ((const int64_t *)csr->start)[csr->rows.count];
    writing *w = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *w);
    int64_t entries, size;
    size_t none = 0;
    bool opened;
    gsolve_status status;

    *written = false;
    TRY(gs_comm_check(ctx->comm, w ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_comm_place(ctx->comm, own, &w->before, &entries));
    size = gs_cache_lay_out(&w->f, (int32_t)csr->rows.total, (int32_t)csr->cols.total, entries);
    opened = gs_is_first(ctx) && gs_cache_path(w->path, ctx, path, beside);
    TRY(gs_share(ctx->comm, &opened, sizeof opened));
    if (!opened) goto done;
    TRY(gs_share(ctx->comm, w->path, sizeof w->path));
    TRY(gs_dist_file_open(&w->whole, &opened, ctx, w->path, "", &none));
    if (!opened) goto done;
    TRY(gs_dist_file_close(&w->whole, write_open(w, csr, size, stamp, source)));
    snprintf(source->cache, sizeof source->cache, "%.1023s", w->path);
    *written = true;
done:
    gsolve_free(ctx, GSOLVE_HOST, w);
    return status;
}

gsolve_status gs_cache_write_dist(const gsolve_dist_csr *csr, gsolve_context *ctx, const char *path,
                                  gsolve_source *source)
{
    const gs_stamp stamp = {(int64_t)source->stamp[0], (int64_t)source->stamp[1], source->stamp[2]};
    bool written = stamp.size == 0 && stamp.mtime == 0; /* the file cannot be cached */
    gsolve_status status = GSOLVE_OK;

    for (int beside = 1; !written && beside >= 0 && status != GSOLVE_RANK_FAILED; beside--) {
        status = write_cache(&written, ctx, path, beside, csr, &stamp, source);
    }
    return status == GSOLVE_RANK_FAILED ? status : GSOLVE_OK;
}
