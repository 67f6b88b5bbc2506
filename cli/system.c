/* system.c: reads or generates the matrix, the right-hand side and the initial guess. */
#include "cli/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/device_start.h"
#include "cli/live_progress.h"
#include "cli/signals.h"
#include "cli/source.h"
#include "cli/streams.h"

/* --- the device ------------------------------------------------------------------------------ */

/* Starting CUDA takes 0.2 s or more. In that time two cores make a thousand iterations with this
 * number of entries, at 1 ns for each entry (bench/results/cpu). */
#define SMALL 200000

#define LONGEST 60 /* bytes of an entry in a text file: two numbers of 10 digits and a value */

#define FEW 10000 /* elements that one thread generates */

#define MOST_COLUMNS 4096 /* of a generated b */

static const char *device_of(const cli *c)
{
    const char *preferred = getenv("GSOLVE_DEVICE");
    return c->args.device ? c->args.device : preferred ? preferred : "auto";
}

bool cli_names_device(const cli *c)
{
    return c->args.device || strcmp(device_of(c), "auto") != 0;
}

/* spec = the device with the number of threads of the arguments, which only the CPU has by default.
 */
static void name_device(const cli *c, const char *device, char spec[256])
{
    if (c->args.threads < 0) {
        snprintf(spec, 256, "%.255s", device);
    } else {
        if (cli_spec_is(device, "auto")) device = "cpu";
        snprintf(spec, 256, "%.200s,threads=%d", device, c->args.threads);
    }
}

static int open_device(cli *c, const char *device)
{
    char spec[256];

    if (cli_check_threads(c, device)) return CLI_ERROR;
    name_device(c, device, spec);
    if (gsolve_context_create(&c->ctx, spec) != GSOLVE_OK) {
        return cli_fail(c, "%s", gsolve_error(NULL));
    }
    return 0;
}

int cli_open(cli *c)
{
    return open_device(c, device_of(c));
}

int cli_open_host(cli *c)
{
    return open_device(c, "cpu");
}

static bool build_has_cuda(void)
{
    const gsolve_plugin *device;
    bool has = false;

    for (int k = 0; (device = gsolve_device_at(k)); k++) has |= strcmp(device->name, "cuda") == 0;
    return has;
}

/* Whether the device is chosen when the size of the system is known. */
static bool is_automatic(const cli *c)
{
    return strcmp(device_of(c), "auto") == 0 && c->args.threads < 0;
}

/* Whether the matrix is in a file that is so large that the system needs a GPU. Every entry of a
 * text file has at most LONGEST bytes; files of other kinds have fewer. */
static bool is_large_file(const char *name)
{
    struct stat about;

    return strncmp(name, "gen:", 4) && stat(name, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_size > (off_t)SMALL * LONGEST;
}

int cli_open_undecided(cli *c)
{
    const bool automatic = is_automatic(c), cuda = strcmp(device_of(c), "cuda") == 0;

    /* --format may name a format that only a GPU has */
    c->undecided = !c->args.format && (automatic || (cuda && build_has_cuda()));
    return c->undecided ? cli_open_host(c) : cli_open(c);
}

void cli_start_device(cli *c)
{
    if (!c->undecided || !build_has_cuda()) return;
    if (!is_automatic(c) || is_large_file(c->args.matrix)) c->starting = cli_begin_start("cuda");
}

static bool rhs_is(const cli *c, const char *name)
{
    return c->args.rhs && strcmp(c->args.rhs, name) == 0;
}

/* The number of columns of -b random or random,k=N; 0: -b is something else. */
static int random_columns(const cli *c)
{
    int columns = 0, end = 0;

    if (rhs_is(c, "random")) return 1;
    if (!c->args.rhs || sscanf(c->args.rhs, "random,k=%d%n", &columns, &end) != 1) return 0;
    return c->args.rhs[end] == 0 && columns >= 1 && columns <= MOST_COLUMNS ? columns : 0;
}

/* The number of columns of a generated b, by -b or --columns-count. */
static int generated_columns(const cli *c)
{
    const int random = random_columns(c), asked = c->args.columns_count;

    return random > 1 ? random : asked > 0 ? asked : 1;
}

int cli_decide_device(cli *c, const cli_system *s)
{
    const int64_t columns = s->b.value ? s->b.ncols : generated_columns(c);
    char spec[256];

    if (!c->undecided) return 0;
    c->undecided = false;
    cli_end_start(c->starting);
    c->starting = NULL;
    c->small =
        is_automatic(c) && build_has_cuda() && s->entries <= SMALL / (columns > 0 ? columns : 1);
    if (c->small) return 0;
    name_device(c, device_of(c), spec);
    return gsolve_context_use_device(c->ctx, spec) == GSOLVE_OK ? 0 : cli_fail_library(c);
}

void cli_say_device(const cli *c)
{
    gsolve_context_info device = GSOLVE_INIT(gsolve_context_info);
    char words[400];

    gsolve_context_describe(c->ctx, &device);
    cli_item(c, "device", "%s: %s", device.device, cli_device_words(c, words));
}

const char *cli_device_words(const cli *c, char words[400])
{
    gsolve_context_info device = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(c->ctx, &device);
    snprintf(words, 400, "%s%s", device.description,
             c->small ? "; the system is small: the CPU needs less time than the start of a GPU"
                      : "");
    return words;
}

/* --- the matrix ------------------------------------------------------------------------------ */

/* Prints the matrix and how it was read: "read in 12 ms, 310 MB/s". */
void cli_say_read(const cli *c, const cli_system *s)
{
    const gsolve_source *source = &s->source;
    const bool made = strcmp(source->kind, "generator") == 0;
    char speed[64] = "", added[160];

    if (source->bytes >= 1000000 && s->read_seconds > 0 && !source->cached) {
        snprintf(speed, sizeof speed, ", %s/s",
                 cli_bytes((double)source->bytes / s->read_seconds).text);
    }
    cli_source_words(added, sizeof added, source);
    cli_item(c, "matrix", "%s%s%s, %lld x %lld, %s, %s in %s%s%s", s->name, made ? "" : ": ",
             made ? "" : source->kind, (long long)s->nrows, (long long)s->ncols,
             cli_count(s->entries, "entry").text,
             made             ? "generated"
             : source->cached ? "from the cache"
                              : "read",
             cli_seconds(s->read_seconds).text, speed, added);
    if (c->args.cache && source->cache[0] && !source->cached) {
        cli_item(c, "", "binary copy written to %s", source->cache);
    }
}

bool cli_is_generator(const char *name)
{
    const gsolve_plugin *generator;

    for (int k = 0; (generator = gsolve_generator_at(k)); k++) {
        if (cli_spec_is(name, generator->name)) return true;
    }
    return false;
}

int cli_read_matrix(cli *c, const char *name, cli_system *s)
{
    const double begin = cli_now();
    cli_live live;
    const gsolve_read_options options = {.cache = c->args.cache,
                                         .cache_read_only = s->cache_read_only,
                                         .progress = cli_live_read,
                                         .user = &live};
    char note[200];

    s->name = cli_input_words(name);
    if (access(name, F_OK) != 0 && cli_is_generator(name)) {
        return cli_fail(c, "%s: no such file; for the generated matrix write gen:%s", name, name);
    }
    cli_live_begin(&live, c, s->name);
    snprintf(note, sizeof note, "%s %s ...", strncmp(name, "gen:", 4) ? "reading" : "generating",
             s->name);
    cli_live_note(&live, note);
    cli_doing("%s %s", strncmp(name, "gen:", 4) ? "reading" : "generating", name);
    s->source.size = sizeof s->source;
    const gsolve_status status = gsolve_read_matrix(&s->csr, c->ctx, name, &options, &s->source);
    cli_live_erase(&live);
    if (status != GSOLVE_OK) return cli_fail_library(c);
    s->nrows = s->csr.nrows;
    s->ncols = s->csr.ncols;
    s->entries = gsolve_csr_entries(&s->csr);
    s->inspection = s->source.inspection;
    s->read_seconds = cli_now() - begin;
    cli_say_read(c, s);
    return 0;
}

int cli_inspect(cli *c, cli_system *s)
{
    const double begin = cli_now();

    s->inspection.size = sizeof s->inspection;
    if (!s->inspection.clean && gsolve_csr_inspect(c->ctx, &s->csr, &s->inspection) != GSOLVE_OK) {
        return cli_fail_library(c);
    }
    s->statistics = s->inspection.statistics;
    s->statistics.size = sizeof s->statistics;
    s->analyse_seconds += cli_now() - begin;
    return 0;
}

int cli_analyse(cli *c, cli_system *s)
{
    double begin;
    gsolve_csr single;

    if (cli_inspect(c, s)) return CLI_ERROR;
    begin = cli_now();
    if (c->args.type == GSOLVE_F32) {
        if (gsolve_csr_convert(&single, c->ctx, GSOLVE_F32, &s->csr) != GSOLVE_OK) {
            return cli_fail_library(c);
        }
        gsolve_csr_free(&s->csr, c->ctx);
        s->csr = single;
    }
    s->analyse_seconds += cli_now() - begin;
    return 0;
}

const char *cli_symmetry_words(const gsolve_statistics *t)
{
    if (t->nrows != t->ncols) return "rectangular";
    if (t->symmetric) return "symmetric";
    if (t->skew) return "skew-symmetric";
    return t->symmetric_pattern ? "not symmetric; its pattern is symmetric" : "not symmetric";
}

/* --- vectors --------------------------------------------------------------------------------- */

int cli_new_dense(cli *c, gsolve_dense *v, int32_t nrows, int32_t ncols)
{
    const size_t count = (size_t)nrows * (size_t)ncols;
    double *value = gsolve_alloc(c->ctx, GSOLVE_HOST, count, sizeof *value);

    if (!value) return cli_fail_library(c);
    memset(value, 0, count * sizeof *value);
    *v = (gsolve_dense){nrows, ncols, nrows, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return 0;
}

bool cli_ones_solve(const cli *c)
{
    return !c->args.rhs || rhs_is(c, "A*ones");
}

const char *cli_rhs_words(const cli *c, const cli_system *s)
{
    if (s->zero_b) return "A*ones = 0, because every row of A sums to 0; x = 0 is a solution";
    if (cli_ones_solve(c)) {
        return s->b.ncols > 1 ? "A*ones, then random columns" : "A*ones; x = 1 is a solution";
    }
    if (random_columns(c)) return "random, uniform in [-1, 1)";
    return cli_input_words(c->args.rhs);
}

static int read_vector(cli *c, const char *name, const char *what, int32_t nrows, int32_t ncols,
                       const cli_system *s, gsolve_dense *v)
{
    cli_live live;
    const gsolve_read_options options = {.progress = cli_live_read, .user = &live};

    cli_live_begin(&live, c, name);
    cli_doing("reading %s", name);
    const gsolve_status status = gsolve_read_dense(v, c->ctx, name, &options, NULL);
    cli_live_erase(&live);
    if (status != GSOLVE_OK) return cli_fail_library(c);
    if (v->nrows == 1 && v->ncols == nrows) { /* a row of numbers is a vector */
        *v = (gsolve_dense){nrows, 1, nrows, v->value, v->type, v->location, GSOLVE_COLUMN_MAJOR};
    }
    if (v->nrows != nrows || v->ncols < 1) {
        return cli_fail(c, "%s, %s, is %d x %d, but A is %lld x %lld, so it must have %d rows",
                        what, cli_input_words(name), v->nrows, v->ncols, (long long)s->nrows,
                        (long long)s->ncols, nrows);
    }
    if (ncols > 0 && v->ncols != ncols) {
        return cli_fail(c, "%s, %s, has %s, but must have %d", what, cli_input_words(name),
                        cli_count(v->ncols, "column").text, ncols);
    }
    return 0;
}

/* v = the vectors of a null space, if the value of this option is a file. */
static int read_null_space(cli *c, const char *option, const char *name, cli_system *s,
                           gsolve_dense *v)
{
    const bool left = v == &s->left_null;

    if (!name) return 0;
    if (left && !c->args.null_space) {
        return cli_fail(c, "--left-null-space needs --null-space, the null space of A itself");
    }
    if (strcmp(name, "constants") == 0) return 0;
    if (!cli_is_stdin(name) && access(name, F_OK) != 0) {
        return cli_fail(c, "%s %s: no such file; write constants, or a file name", option, name);
    }
    return read_vector(c, name, left ? "the left null space" : "the null space",
                       left ? s->csr.nrows : s->csr.ncols, 0, s, v);
}

int cli_check_rhs(cli *c)
{
    if (!c->args.rhs || !cli_spec_is(c->args.rhs, "random") || random_columns(c) > 0) return 0;
    return cli_fail(c, "-b %s is not allowed: write random, or random,k=N with N from 1 to %d",
                    c->args.rhs, MOST_COLUMNS);
}

bool cli_rhs_is_file(const cli *c)
{
    return !cli_ones_solve(c) && !rhs_is(c, "ones") && random_columns(c) == 0;
}

int cli_read_vectors(cli *c, cli_system *s)
{
    const double begin = cli_now();
    int code = 0;

    if (cli_check_rhs(c)) return CLI_ERROR;
    if (cli_rhs_is_file(c)) {
        const int asked = c->args.columns_count > 0 ? c->args.columns_count : 0;
        if (!cli_is_stdin(c->args.rhs) && access(c->args.rhs, F_OK) != 0) {
            return cli_fail(
                c, "-b %s: no such file; -b takes a file, ones, random, random,k=N or A*ones",
                c->args.rhs);
        }
        code = read_vector(c, c->args.rhs, "the right-hand side b", s->csr.nrows, asked, s, &s->b);
    }
    if (!code && c->args.guess) {
        const int32_t ncols = s->b.value ? s->b.ncols : generated_columns(c);
        code = read_vector(c, c->args.guess, "the initial guess x0", s->csr.ncols, ncols, s, &s->x);
    }
    if (!code) code = read_null_space(c, "--null-space", c->args.null_space, s, &s->null);
    if (!code) {
        code = read_null_space(c, "--left-null-space", c->args.left_null_space, s, &s->left_null);
    }
    s->read_seconds += cli_now() - begin;
    return code;
}

/* The sum of row i. */
static double row_sum(const cli_rows *A, int32_t i)
{
    double sum = 0;

    for (int64_t k = cli_row_start(A, i); k < cli_row_start(A, i + 1); k++) {
        sum += cli_row_value(A, k);
    }
    return sum;
}

/* Element k of random columns, which on any number of ranks has the same place in the whole b. */
static double random_element(const cli_rows *rows, uint64_t seed, int64_t k)
{
    const int64_t column = k / rows->rows.count, row = rows->rows.first + k % rows->rows.count;

    return gsolve_random(seed, (uint64_t)(column * rows->rows.total + row));
}

/* Sets b, whose columns are generated. */
static void generate_b(const cli *c, const cli_system *s, const cli_rows *rows)
{
    const uint64_t seed = c->args.seed >= 0 ? (uint64_t)c->args.seed : 1;
    const int32_t count = rows->rows.count;
    const int64_t n = (int64_t)count * s->b.ncols;
    const int64_t first = random_columns(c) == 0 ? count : 0; /* elements that are not random */
    const bool sums = cli_ones_solve(c);
    double *b = s->b.value;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(c->ctx, &info);
    const int threads = cli_threads_beside(c->starting, info.threads);
#pragma omp parallel for schedule(static) num_threads(threads) if (n > FEW)
    for (int64_t k = 0; k < n; k++) {
        b[k] = k >= first ? random_element(rows, seed, k) : sums ? row_sum(rows, (int32_t)k) : 1;
    }
}

int cli_make_vectors(cli *c, cli_system *s, const cli_rows *rows)
{
    const double *b;

    if (!s->b.value) {
        if (cli_new_dense(c, &s->b, rows->rows.count, generated_columns(c))) return CLI_ERROR;
        generate_b(c, s, rows);
        b = s->b.value;
        s->zero_b = cli_ones_solve(c) && s->nrows > 0 && s->b.ncols == 1;
        for (int32_t i = 0; i < s->b.nrows && s->zero_b; i++) s->zero_b = b[i] == 0;
    }
    return s->x.value ? 0 : cli_new_dense(c, &s->x, rows->cols.count, s->b.ncols);
}

void cli_close_system(cli *c, cli_system *s)
{
    gsolve_csr_free(&s->csr, c->ctx);
    gsolve_dense_free(&s->b, c->ctx);
    gsolve_dense_free(&s->x, c->ctx);
    gsolve_dense_free(&s->null, c->ctx);
    gsolve_dense_free(&s->left_null, c->ctx);
}
