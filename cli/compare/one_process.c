/* one_process.c: the backend of a comparison in one process. */
#include "cli/compare/compare.h"

static int keep_code(cmp *m, int code)
{
    (void)m;
    return code;
}

static gsolve_status keep_status(const cmp *m, gsolve_status status)
{
    (void)m;
    return status;
}

static int open_context(cmp *m)
{
    return cli_open(m->c);
}

static cli_rows rows_of(const cmp *m, const cli_system *s)
{
    (void)m;
    return cli_rows_of(&s->csr);
}

static int read_system(cmp *m, const char *name, cli_system *s)
{
    cli *c = m->c;
    cli_rows rows;

    if (cli_read_matrix(c, name, s) || cli_read_vectors(c, s) || cli_analyse(c, s)) {
        return CLI_ERROR;
    }
    rows = rows_of(m, s);
    if (cli_make_vectors(c, s, &rows)) return CLI_ERROR;
    cli_item(c, "", "%s%s", cli_symmetry_words(&s->statistics),
             c->args.type == GSOLVE_F32 ? "; computed in single precision" : "");
    cli_say_device(c);
    return 0;
}

static void close_system(cmp *m, cli_system *s)
{
    cli_close_system(m->c, s);
}

/* --- handles ---------------------------------------------------------------------------------- */

static bool copy_array(gsolve_context *ctx, gsolve_location location, const void **copy,
                       const void *from, size_t bytes)
{
    void *to = gsolve_alloc(ctx, location, bytes, 1);

    *copy = to;
    return to && gsolve_copy(ctx, to, location, from, GSOLVE_HOST, bytes) == GSOLVE_OK;
}

/* *copy = rows of A that a matrix can own, at the location that its kernels read: this copy is not
 * part of a format's build. False: out of memory; *copy must be freed in either case. */
static bool copy_rows(gsolve_context *ctx, gsolve_location location, const gsolve_csr *A,
                      gsolve_csr *copy)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);
    const size_t offset = A->offset == GSOLVE_O64 ? sizeof(int64_t) : sizeof(int32_t);
    const size_t value = A->type == GSOLVE_F32 ? sizeof(float) : sizeof(double);
    const void *start, *col = NULL, *values = NULL;
    const bool made =
        copy_array(ctx, location, &start, A->start, ((size_t)A->nrows + 1) * offset) &&
        copy_array(ctx, location, &col, A->col, entries * sizeof(int32_t)) &&
        copy_array(ctx, location, &values, A->value, entries * value);

    *copy = (gsolve_csr){A->nrows, A->ncols,  start,   (const int32_t *)col,
                         values,   A->offset, A->type, location};
    return made;
}

/* The copy has reached the device before the time begins. */
static gsolve_status build(const cmp *m, const cli_system *s, const char *format, gsolve_matrix **A,
                           double *begin)
{
    gsolve_context *const ctx = m->c->ctx;
    const gsolve_location location = cmp_location(m);
    gsolve_csr rows = {0};
    gsolve_status status = GSOLVE_NO_MEMORY;
    char last;

    if (copy_rows(ctx, location, &s->csr, &rows)) {
        status = gsolve_copy(ctx, &last, GSOLVE_HOST, rows.start, location, 1); /* waits */
    }
    if (begin) *begin = cli_now();
    if (status == GSOLVE_OK) status = gsolve_matrix_create_owned(A, ctx, format, &rows);
    if (status != GSOLVE_OK) gsolve_csr_free(&rows, ctx);
    return status;
}

static gsolve_status precond(const cmp *m, const cli_system *s, const char *spec,
                             const gsolve_matrix *A, gsolve_precond **M)
{
    (void)A;
    return gsolve_precond_create(M, m->c->ctx, spec, &s->csr);
}

static gsolve_status residual(const cmp *m, const cli_system *s, gsolve_dense x, gsolve_dense r)
{
    const cli_rows A = rows_of(m, s);

    for (int32_t c = 0; c < x.ncols; c++) {
        const double *b = (const double *)s->b.value + (int64_t)c * s->b.stride;
        const double *from = (const double *)x.value + (int64_t)c * x.nrows;
        double *to = (double *)r.value + (int64_t)c * r.nrows;
        for (int32_t i = 0; i < r.nrows; i++) {
            double sum = b[i];
            for (int64_t k = cli_row_start(&A, i); k < cli_row_start(&A, i + 1); k++) {
                sum -= cli_row_value(&A, k) * from[cli_row_column(&A, k)];
            }
            to[i] = sum;
        }
    }
    return GSOLVE_OK;
}

/* --- one rank --------------------------------------------------------------------------------- */

static void no_wait(const cmp *m)
{
    (void)m;
}

static void keep_largest(const cmp *m, double *number, int count)
{
    (void)m, (void)number, (void)count;
}

static void keep_sum(const cmp *m, long double *number, int count)
{
    (void)m, (void)number, (void)count;
}

static void keep_bytes(const cmp *m, char *bytes, int count)
{
    (void)m, (void)bytes, (void)count;
}

static void add_no_parts(const cmp *m, cJSON *page)
{
    (void)m, (void)page;
}

const cmp_backend cmp_one_process = {
    .agree = keep_code,
    .agree_status = keep_status,
    .open = open_context,
    .read = read_system,
    .close = close_system,
    .rows = rows_of,
    .build = build,
    .precond = precond,
    .residual = residual,
    .wait = no_wait,
    .largest = keep_largest,
    .sum = keep_sum,
    .share = keep_bytes,
    .add_parts = add_no_parts,
};

int cli_compare(cli *c)
{
    if (c->args.partition || c->args.ranks) {
        return cli_fail(c, "--%s is for several ranks; start gsolve by mpirun, or leave --%s out",
                        c->args.partition ? "partition" : "ranks",
                        c->args.partition ? "partition" : "ranks");
    }
    return cmp_run(c, &cmp_one_process, NULL, true);
}
