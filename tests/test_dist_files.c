/* test_dist_files.c: several ranks read a file as one rank does: the same rows, bits, sentences of
 * errors and statements about the file, wherever the text is cut. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/dist_support.h"
#include "tests/malformed_files.h"

#define SYMMETRIC MM "coordinate real symmetric\n"

/* --- files and what one rank reads ------------------------------------------------------------ */

typedef struct outcome { /* of one rank */
    char path[200];
    gsolve_status status;
    char error[1024];
    gsolve_csr A;
    gsolve_source source;
    gsolve_status dense_status; /* as a dense matrix */
    char dense_error[1024];
    gsolve_dense v;
} outcome;

typedef struct folder {
    gsolve_context *ctx;
    char name[100];
    int count;
    outcome *file;
    const gsolve_read_options *options;
    bool cached; /* what source->cached is to be */
    const char
        *other; /* the current folder of the last rank, that of the others is name; or NULL */
} folder;

static int open_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);

    f->ctx = open_context(1);
    make_folder(f->name, "dist_files");
    *state = f;
    return 0;
}

static int close_folder(void **state)
{
    folder *f = *state;

    for (int k = 0; k < f->count; k++) {
        gsolve_csr_free(&f->file[k].A, f->ctx);
        gsolve_dense_free(&f->file[k].v, f->ctx);
    }
    gsolve_context_destroy(&f->ctx);
    free(f->file);
    remove_folder(f->name);
    free(f);
    return 0;
}

/* Reads a file on one rank. */
static outcome *add_file(folder *f, const char *path)
{
    outcome *o;

    f->file = realloc(f->file, (size_t)(f->count + 1) * sizeof *f->file);
    o = &f->file[f->count++];
    *o = (outcome){.source = GSOLVE_INIT(gsolve_source)};
    snprintf(o->path, sizeof o->path, "%s", path);
    o->status = gsolve_read_matrix(&o->A, f->ctx, o->path, NULL, &o->source);
    if (o->status != GSOLVE_OK) snprintf(o->error, sizeof o->error, "%s", gsolve_error(f->ctx));
    o->dense_status = gsolve_read_dense(&o->v, f->ctx, o->path, NULL, NULL);
    snprintf(o->dense_error, sizeof o->dense_error, "%s", gsolve_error(f->ctx));
    return o;
}

static outcome *add_bytes(folder *f, const char *text, size_t bytes)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%d.mtx", f->name, f->count);
    if (is_writer()) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, bytes, file), bytes);
        assert_int_equal(fclose(file), 0);
    }
    wait_for_writer();
    return add_file(f, path);
}

static outcome *add_text(folder *f, const char *text)
{
    return add_bytes(f, text, strlen(text));
}

/* Adds the text with 0, 1, 2, ... blanks at the beginning of the third line, so that every byte of
 * the following ones is before and behind a cut. */
static void add_cuts(folder *f, const char *text, int most)
{
    const char *second = strchr(text, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;
    char padded[4000];

    for (int blanks = 0; blanks <= (third ? most : 0); blanks += RANKS_ARE_PROCESSES ? 7 : 1) {
        snprintf(padded, sizeof padded, "%.*s%*s%s", third ? (int)(third + 1 - text) : 0, text,
                 blanks, "", third ? third + 1 : text);
        add_text(f, padded);
    }
}

/* --- what several ranks read ------------------------------------------------------------------ */

/* The rows of a rank are those that begin at its share of the entries or later. */
static int compare_division(const gsolve_csr *A, gsolve_row_range rows, int rank, int ranks)
{
    const int64_t entries = gs_start(A, A->nrows);
    int failures = 0;

    for (int r = rank; r <= rank + 1; r++) {
        const int64_t begin = (int64_t)((double)entries / ranks * r);
        const int64_t bound = r == rank ? rows.first : rows.first + rows.count;
        int32_t row = 0;
        while (row < A->nrows && (r == ranks || gs_start(A, row) < begin)) row++;
        EXPECT(bound == row, "row %lld, not %d", (long long)bound, row);
    }
    return failures;
}

static int compare_source(const gsolve_source *source, const gsolve_source *one, int rank,
                          int ranks)
{
    int failures = 0;

    EXPECT(strcmp(source->kind, one->kind) == 0, "%s", source->kind);
    EXPECT(strcmp(source->field, one->field) == 0, "%s", source->field);
    EXPECT(source->symmetry == one->symmetry, "%d", source->symmetry);
    EXPECT(source->stored == one->stored, "%lld", (long long)source->stored);
    EXPECT(source->duplicates == one->duplicates, "%lld", (long long)source->duplicates);
    EXPECT(source->bytes == one->bytes, "%lld", (long long)source->bytes);
    return failures;
}

static int read_file(gsolve_context *ctx, int rank, int ranks, const folder *f, const outcome *o)
{
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_dist_csr csr = {0};
    const int64_t blocks = blocks_of(ctx);
    int failures = 0;
    const gsolve_status status = gsolve_read_matrix_dist(&csr, ctx, o->path, f->options, &source);

    EXPECT(status == o->status, "%s: status %d, not %d: %s", o->path, status, o->status,
           gsolve_error(ctx));
    if (status == GSOLVE_OK && o->status == GSOLVE_OK) {
        failures += compare_rows(&o->A, &csr, 0, rank, ranks);
        failures += compare_division(&o->A, csr.rows, rank, ranks);
        failures += compare_source(&source, &o->source, rank, ranks);
        EXPECT(source.cached == f->cached, "cached: %d", source.cached);
        EXPECT(csr.cols.total == o->A.ncols, "%lld columns", (long long)csr.cols.total);
    } else {
        EXPECT(strcmp(gsolve_error(ctx), o->error) == 0, "%s\n%s", gsolve_error(ctx), o->error);
    }
    gsolve_dist_csr_free(&csr, ctx);
    EXPECT(blocks_of(ctx) == blocks, "%lld blocks are left", (long long)(blocks_of(ctx) - blocks));
    return failures;
}

static int compare_columns(const gsolve_dense *all, const gsolve_dense *v, gsolve_row_range rows,
                           int rank, int ranks)
{
    int failures = 0;

    EXPECT(v->nrows == rows.count && v->ncols == all->ncols, "%d x %d", v->nrows, v->ncols);
    for (int32_t c = 0; c < v->ncols && !failures; c++) {
        const double *own = (const double *)v->value + c * v->stride;
        const double *one = (const double *)all->value + c * all->stride + rows.first;
        EXPECT(memcmp(own, one, (size_t)rows.count * sizeof *own) == 0, "column %d", c);
    }
    return failures;
}

static int read_dense(gsolve_context *ctx, int rank, int ranks, division d, const outcome *o)
{
    const gsolve_row_range rows = divide(d, o->v.nrows, rank, ranks);
    const int64_t blocks = blocks_of(ctx);
    gsolve_dense v = {0};
    int failures = 0;
    const gsolve_status status = gsolve_read_dense_dist(&v, ctx, o->path, rows, NULL);

    EXPECT(status == o->dense_status, "%s: status %d, not %d: %s", o->path, status, o->dense_status,
           gsolve_error(ctx));
    if (status == GSOLVE_OK && o->dense_status == GSOLVE_OK) {
        failures += compare_columns(&o->v, &v, rows, rank, ranks);
    } else {
        EXPECT(strcmp(gsolve_error(ctx), o->dense_error) == 0, "%s\n%s", gsolve_error(ctx),
               o->dense_error);
    }
    gsolve_dense_free(&v, ctx);
    EXPECT(blocks_of(ctx) == blocks, "%lld blocks are left", (long long)(blocks_of(ctx) - blocks));
    return failures;
}

static int read_files(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const folder *f = user;
    char before[4096];
    int failures = 0;

    if (f->other) enter_folder(rank == ranks - 1 ? f->other : f->name, before);
    for (int k = 0; k < f->count && !failures; k++) {
        failures = read_file(ctx, rank, ranks, f, &f->file[k]);
        if (!f->options && (k % 3 == 0 || f->count < 50)) {
            failures += read_dense(ctx, rank, ranks, (division)(k / 3 % DIVISIONS), &f->file[k]);
        }
        if (failures) fprintf(stderr, "file %d\n", k);
    }
    if (f->other) leave_folder(before);
    return failures;
}

static void read_on_all_counts(folder *f)
{
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), read_files, f), 0);
    }
}

/* --- tests ------------------------------------------------------------------------------------ */

static const char *const matrices[] = {
    GENERAL "3 3 4\n1 1 1.5\n2 2 -2e3\n3 1 .25\n3 3 1e-300\n",
    GENERAL "3 3 4\n3 3 1e-300\n3 1 .25\n2 2 -2e3\n1 1 1.5", /* no line end */
    GENERAL "2 3 5\r\n1 1 1\r\n2 3 2\r\n1 1 3\r\n2 3 1e-17\r\n1 1 0.1\r\n",
    GENERAL "3 2 5\n% a comment\n1 1 1\n\n  % 2 2 2\n2 2 2\n   \n1 2 3\n3 1 4\n%\n1 2 5\n\n%\n  ",
    GENERAL "9 9 9\n1 1 1e16\n1 1 1\n1 1 -1e16\n1 1 1\n1 1 1e8\n1 1 -1\n1 1 1e-8\n1 1 3\n1 1 7\n",
    GENERAL "1 9 9\n1 1 1\n1 9 2\n1 2 3\n1 8 4\n1 3 5\n1 7 6\n1 4 7\n1 6 8\n1 5 9\n",
    GENERAL "9 1 9\n1 1 1\n9 1 2\n2 1 3\n8 1 4\n3 1 5\n7 1 6\n4 1 7\n6 1 8\n5 1 9\n",
    GENERAL "4 4 0\n",
    GENERAL "4 4 0\n%\n\n  \n",
    GENERAL "0 0 0\n",
    GENERAL "0 3 0\n",
    GENERAL "7 7 1\n4 5 6\n",
    SYMMETRIC "4 4 6\n1 1 1\n2 1 2\n3 3 3\n4 1 4\n4 4 0.5\n4 3 6\n",
    SYMMETRIC "4 4 5\n4 4 1\n1 4 2\n3 3 3\n2 3 4\n1 2 0.1\n", /* the upper triangle */
    SYMMETRIC "3 3 6\n2 1 1e16\n2 1 1\n1 1 1\n2 1 -1e16\n1 1 0.1\n3 2 1\n",
    MM "coordinate real skew-symmetric\n4 4 5\n2 1 2\n3 1 -3\n4 3 4\n2 1 0.1\n3 3 0\n",
    MM "coordinate real hermitian\n2 2 2\n1 1 1\n2 1 2\n",
    MM "coordinate pattern general\n3 3 5\n3 1\n1 2\n2 2\n1 2\n1 1\n",
    MM "coordinate pattern symmetric\n3 3 4\n3 1\n2 2\n2 1\n2 1\n",
    MM "coordinate integer general\n3 3 3\n3 1 -7\n1 2 8\n2 2 12345678901\n",
    MM "coordinate double symmetric\n2 2 2\n2 1 1d-3\n2 2 1.5d2\n",
    MM "array real general\n2 3\n1\n2\n3\n0\n5\n6\n",
    MM "array real symmetric\n2 2\n1\n2\n3\n",
    MM "array integer general\n9 1\n1\n-2\n3\n-0\n\n% a comment\n5\n6\n7\n8\n9",
    MM
    "array real general\n4 3\r\n1\r\n2\r\n-0.0\r\n4\r\n5\r\n6e-1\r\n7\r\n0\r\n9\r\n1\r\n2\r\n3\r\n",
    MM "array real general\n1 5\n1\n2\n3\n4\n5\n",
    MM "array real general\n0 3\n",
    MM "array real general\n3 0\n%\n",
};

static void good(void **state)
{
    folder *f = *state;

    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        const int before = f->count;
        add_cuts(f, matrices[k], 50);
        if (f->file[before].status != GSOLVE_OK) fail_msg("%s", f->file[before].error);
    }
    read_on_all_counts(f);
}

/* With each of the malformed files, also at other cuts. Two errors: the first one is reported. */
static void malformed(void **state)
{
    static const char *const more[] = {
        GENERAL "3 3 3\n1 1 1\n2 2 x\n3 3 y\n4 4 4\n5 5\n",
        GENERAL "3 3 2\n1 1 1\n2 2 2\n3 3 3\n4 x y\n",
        GENERAL "3 3 9\n1 1 1\n2 2 2\n3 3 3\n4 x y\n",
        GENERAL "3 3 3\n%\n\n1 1 1\n2 2 2\n%\n3 3 3 3\n",
        GENERAL "3 3 4\n1 1 1\r\n2 2 2\r\n3 3 3\r\n3 3 z\r\n",
        GENERAL "3 3 5\n1 1 1\n2 2 2\n3 3 3\n\n3 1 2\n\n",
        SYMMETRIC "4 4 5\n4 4 1\n4 1 2\n%\n3 3 3\n1 4 4\n2 1 0.1\n",
        SYMMETRIC "4 4 5\n4 4 1\n1 1 2\n3 1 3\n3 2 4\n1 2 0.1\n",
        SYMMETRIC "4 4 5\n4 4 1\n1 4 2\n4 1 3\n1 1 4\n1 2 0.1\n",
        SYMMETRIC "4 4 5\n4 4 1\n1 4 2\n4 1 3\n1 1 4\n1 2 x\n",
        MM "array real general\n3 2\n1\n2\n3\n4 4\n5\nx\n",
        MM "array real general\n3 2\n1\n2\n3\n4\n5\n6\n7\n",
        MM "array real general\n3 2\n1\n2\n3\n4\n5\n",
        MM "array integer general\n3 2\n1\n2\n3.5\n4\n5\n6\n7\n",
    };
    folder *f = *state;

    for (int k = 0; k < MALFORMED_FILES; k++) add_cuts(f, malformed_files[k].text, 9);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) add_cuts(f, more[k], 60);
    for (int k = 0; k < f->count; k++) assert_int_equal(f->file[k].status, GSOLVE_BAD_FILE);
    add_text(f, "");
    read_on_all_counts(f);
}

/* More text than the thread of a rank has in one segment, by rows and by columns. A comment in it
 * makes the ranks count entries. */
static void large(void **state)
{
    enum { ROWS = 40000 };
    folder *f = *state;
    char *text = malloc((size_t)ROWS * 100);

    for (int kind = 0; kind < 4; kind++) {
        char *p = text;
        p += sprintf(p, "%s%d %d %d\n", kind % 2 ? SYMMETRIC : GENERAL, ROWS, ROWS, 2 * ROWS - 1);
        for (int i = 1; i <= ROWS; i++) {
            const int row = kind % 2 ? i : (int)((int64_t)i * 7919 % ROWS) + 1;
            p += sprintf(p, "%d %d %.17g\n", row, row, number_of(i, 0));
            if (i > 1)
                p += sprintf(p, "%d %d %.17g\n", row, row > 1 ? row - 1 : 2, number_of(i, 1));
            if (kind / 2 && i % 5000 == 0) p += sprintf(p, "%% row %d\n\n", i);
        }
        add_bytes(f, text, (size_t)(p - text));
        if (kind == 2) {
            memcpy(strstr(text, "% row 35000") + 13, "oh", 2);
            add_bytes(f, text, (size_t)(p - text));
        }
    }
    assert_int_equal(f->file[0].status, GSOLVE_OK);
    assert_int_equal(f->file[3].status, GSOLVE_BAD_FILE);
    for (int kind = 0; kind < 2; kind++) {
        char *p = text + sprintf(text, "%s%d 3\n", MM "array real general\n", ROWS);
        for (int i = 0; i < 3 * ROWS; i++) {
            p += sprintf(p, "%.17g\n", number_of(i, 0));
            if (kind && i % 5000 == 0) p += sprintf(p, "%% %d\n", i);
        }
        assert_int_equal(add_bytes(f, text, (size_t)(p - text))->dense_status, GSOLVE_OK);
    }
    read_on_all_counts(f);
#ifndef GSOLVE_TEST_MPI
    thread_device = "cpu,threads=3";
    read_on_all_counts(f);
    thread_device = NULL;
#endif
    free(text);
}

/* A caller interrupts one rank: all of them end. Progress goes from 0 to the size of the file. */
typedef struct progress {
    gsolve_context *ctx;
    int64_t processed, total;
    bool interrupts;
} progress;

static void note(int64_t processed, int64_t total, void *user)
{
    progress *p = user;

    p->processed = processed;
    p->total = total;
    if (p->interrupts) gsolve_context_interrupt(p->ctx, true);
}

static int interrupt_last(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const folder *f = user;
    progress p = {.ctx = ctx};
    const gsolve_read_options options = {.progress = note, .user = &p};
    gsolve_dist_csr csr = {0};
    int failures = 0;

    EXPECT_OK(ctx, gsolve_read_matrix_dist(&csr, ctx, f->file[0].path, &options, NULL));
    gsolve_dist_csr_free(&csr, ctx);
    EXPECT(p.total > 0 && p.processed == p.total, "%lld of %lld", (long long)p.processed,
           (long long)p.total);
    p.interrupts = rank == ranks - 1;
    EXPECT(gsolve_read_matrix_dist(&csr, ctx, f->file[0].path, &options, NULL) ==
               GSOLVE_INTERRUPTED,
           "%s", gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "interrupted by the caller"), "%s", gsolve_error(ctx));
    gsolve_context_interrupt(ctx, false);
    EXPECT_OK(ctx, gsolve_read_matrix_dist(&csr, ctx, f->file[0].path, NULL, NULL));
    gsolve_dist_csr_free(&csr, ctx);
    return failures;
}

static void interrupted(void **state)
{
    folder *f = *state;

    add_text(f, GENERAL "9 9 9\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n5 5 5\n6 6 6\n7 7 7\n8 8 8\n9 9 9\n");
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), interrupt_last, f), 0);
    }
}

/* --- caches ----------------------------------------------------------------------------------- */

static const gsolve_read_options read_only = {.cache = true, .cache_read_only = true},
                                 read_and_write = {.cache = true};

static void flip_byte(const outcome *o, off_t at)
{
    char path[300];
    unsigned char byte;

    snprintf(path, sizeof path, "%s.gscache", o->path);
    const int file = open(path, O_RDWR);
    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 0x20;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    assert_int_equal(close(file), 0);
}

/* What `cached` is to be is tested on several ranks; one rank reads as gsolve_read_matrix does. */
static void read_cached(folder *f, const gsolve_read_options *options, bool cached)
{
    f->options = options;
    f->cached = cached;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), read_files, f), 0);
    }
    wait_for_writer();
}

static void write_caches(folder *f)
{
    for (int k = 0; k < f->count && is_writer(); k++) {
        gsolve_csr A;
        OK(f->ctx, gsolve_read_matrix(&A, f->ctx, f->file[k].path, &read_and_write, NULL));
        gsolve_csr_free(&A, f->ctx);
    }
    wait_for_writer();
}

/* A file without a cache, with one, and with one that is damaged. */
static void caches(void **state)
{
    static const char *const names[] = {"gen:poisson2d,n=150", "gen:circuit,n=90",
                                        "gen:rmat,scale=4"};
    folder *f = *state;
    char path[200];

    for (int k = 0; k < 3; k++) {
        gsolve_csr A;
        snprintf(path, sizeof path, "%s/text%d.mtx", f->name, k);
        OK(f->ctx, gsolve_read_matrix(&A, f->ctx, names[k], NULL, NULL));
        if (is_writer()) OK(f->ctx, gsolve_write_matrix(f->ctx, path, &A, GSOLVE_GENERAL, NULL));
        gsolve_csr_free(&A, f->ctx);
        wait_for_writer();
        add_file(f, path);
    }
    add_text(f, GENERAL "0 0 0\n");
    add_text(f, matrices[0]);
    read_cached(f, &read_only, false);
    write_caches(f);
    read_cached(f, &read_only, true);
    read_cached(f, &read_and_write, true);
    for (int k = 0; k < f->count && is_writer(); k++) flip_byte(&f->file[k], 30 + k);
    wait_for_writer();
    read_cached(f, &read_only, false);
}

/* Every byte of the arrays of a cache, changed one at a time: the cache is not used. */
static void damaged_caches(void **state)
{
    folder *f = *state;

    add_text(f, matrices[0]);
    write_caches(f);
    read_cached(f, &read_only, true);
    for (int array = 0; array < 3; array++) {
        for (int at = 0; at < (array == 2 ? 32 : 16); at += RANKS_ARE_PROCESSES ? 5 : 1) {
            const off_t byte = 4096 * (1 + array) + at;
            if (is_writer()) flip_byte(&f->file[0], byte);
            wait_for_writer();
            read_cached(f, &read_only, false);
            if (is_writer()) flip_byte(&f->file[0], byte);
            wait_for_writer();
        }
    }
    read_cached(f, &read_only, true);
}

/* Several ranks write the cache that one rank writes, byte by byte, and no other file. */
static void written_caches(void **state)
{
    folder *f = *state;
    char path[200], cache[300], one[300], command[900];
    gsolve_csr A;

    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) add_text(f, matrices[k]);
    OK(f->ctx, gsolve_read_matrix(&A, f->ctx, "gen:circuit,n=3000", NULL, NULL));
    snprintf(path, sizeof path, "%s/text.mtx", f->name);
    if (is_writer()) OK(f->ctx, gsolve_write_matrix(f->ctx, path, &A, GSOLVE_GENERAL, NULL));
    gsolve_csr_free(&A, f->ctx);
    wait_for_writer();
    add_file(f, path);
    write_caches(f);
    for (int k = 0; k < f->count; k++) {
        snprintf(cache, sizeof cache, "%s.gscache", f->file[k].path);
        snprintf(one, sizeof one, "%s.one", f->file[k].path);
        if (is_writer()) assert_int_equal(rename(cache, one), 0);
    }
    for (int c = RANKS_ARE_PROCESSES; rank_count(c); c++) {
        f->options = &read_and_write;
        for (int cached = 0; cached < 2; cached++) {
            f->cached = cached;
            wait_for_writer();
            assert_int_equal(run_ranks(rank_count(c), read_files, f), 0);
        }
        for (int k = 0; k < f->count && is_writer(); k++) {
            snprintf(cache, sizeof cache, "%s.gscache", f->file[k].path);
            snprintf(command, sizeof command, "cmp '%s' '%s.one' && rm '%s'", cache,
                     f->file[k].path, cache);
            assert_int_equal(system(command), 0);
        }
        snprintf(command, sizeof command, "! ls '%s' | grep tmp", f->name);
        if (is_writer()) assert_int_equal(system(command), 0);
    }
    wait_for_writer();
}

static void read_twice(folder *f, bool cached)
{
    for (int c = RANKS_ARE_PROCESSES; rank_count(c); c++) {
        f->options = &read_and_write;
        f->cached = cached && c > RANKS_ARE_PROCESSES;
        for (int k = 0; k < 2; k++, f->cached = cached) {
            wait_for_writer();
            assert_int_equal(run_ranks(rank_count(c), read_files, f), 0);
        }
    }
    wait_for_writer();
}

/* The cache cannot be written beside the file: it is in the user's folder; or nowhere, or the disk
 * is full, which is no error and leaves nothing. */
static void unwritten_caches(void **state)
{
    folder *f = *state;
    char cache[300], user[150], command[900];
    struct rlimit none;

    add_text(f, matrices[0]);
    snprintf(cache, sizeof cache, "%s.gscache", f->file[0].path);
    snprintf(user, sizeof user, "%s/user", f->name);
    if (is_writer()) assert_int_equal(mkdir(cache, 0700), 0);
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
    read_twice(f, false);
    setenv("XDG_CACHE_HOME", user, 1);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &none), 0);
    for (rlim_t most = 0; most < 4 * 4096; most += 4000) {
        struct rlimit limit = {most, none.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        read_twice(f, false);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    }
    snprintf(command, sizeof command,
             "test -z \"$(find '%s' -name '*tmp' -o -path '*user/*' -type f)\"", f->name);
    if (is_writer()) assert_int_equal(system(command), 0);
    wait_for_writer();
    read_twice(f, true);
    unsetenv("XDG_CACHE_HOME");
}

/* A cache of another version, cut short, too long, of a file that has changed since, or no regular
 * file: it is not used. */
static void stale_caches(void **state)
{
    folder *f = *state;
    char cache[300];
    struct timespec times[2] = {{1, 5}, {1, 5}};

    add_text(f, matrices[0]);
    snprintf(cache, sizeof cache, "%s.gscache", f->file[0].path);
    for (int kind = 0; kind < 6; kind++) {
        write_caches(f);
        read_cached(f, &read_only, true);
        if (is_writer()) {
            if (kind == 0) flip_byte(&f->file[0], 8); /* the version */
            if (kind == 1) assert_int_equal(truncate(cache, 4096 * 3 + 8), 0);
            if (kind == 2) assert_int_equal(truncate(cache, 100), 0);
            if (kind == 3) assert_int_equal(truncate(cache, 4096 * 9), 0);
            if (kind == 4) {
                assert_int_equal(utimensat(AT_FDCWD, f->file[0].path, times, 0), 0);
            }
            if (kind == 5) assert_true(unlink(cache) == 0 && mkfifo(cache, 0600) == 0);
        }
        wait_for_writer();
        read_cached(f, &read_only, false);
        if (is_writer()) assert_int_equal(unlink(cache), 0);
        wait_for_writer();
    }
}

/* The last rank does not see the file, or sees another one of this name: rank 0 reads, also the
 * cache. */
static void other_hosts(void **state)
{
    static const char *const texts[] = {GENERAL "3 3 4\n1 1 1.5\n2 2 -2e3\n3 1 .25\n3 3 1e-300\n",
                                        GENERAL "3 3 4\n1 1 1.5\n2 2 -2e3\n3 1 .25\n3 3 1e+300\n"};
    folder *f = *state;
    char other[150], path[200];

    if (!ranks_have_folders()) skip();
    snprintf(other, sizeof other, "%s/other", f->name);
    snprintf(path, sizeof path, "%s/0.mtx", other);
    if (is_writer()) assert_int_equal(mkdir(other, 0700), 0);
    wait_for_writer();
    add_text(f, texts[0]);
    write_caches(f);
    snprintf(f->file[0].path, sizeof f->file[0].path, "0.mtx");
    f->other = other;
    for (int k = 0; k < 2; k++) { /* without and with another file */
        for (int c = 1; rank_count(c); c++) {
            f->options = NULL, f->cached = false;
            assert_int_equal(run_ranks(rank_count(c), read_files, f), 0);
            f->options = &read_only, f->cached = true;
            assert_int_equal(run_ranks(rank_count(c), read_files, f), 0);
        }
        if (k == 0 && is_writer()) {
            FILE *file = fopen(path, "wb");
            assert_true(file && fputs(texts[1], file) >= 0 && fclose(file) == 0);
        }
        wait_for_writer();
    }
    f->other = NULL;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_folder, close_folder)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(good),         TEST(malformed),      TEST(large),
        TEST(interrupted),  TEST(caches),         TEST(damaged_caches),
        TEST(stale_caches), TEST(written_caches), TEST(unwritten_caches),
        TEST(other_hosts)};

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
