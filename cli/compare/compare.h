/* compare.h: the measurements of gsolve compare, and their output.
 *
 * In every round each format is built, solved with and multiplied with; a time in the output is the
 * median over the rounds. A solve of n iterations costs build + n t, where t is the time of an
 * iteration; the rest of a solve is the same for all formats. */
#ifndef GS_CLI_COMPARE_COMPARE_H
#define GS_CLI_COMPARE_COMPARE_H

#include "cli/attempt.h"
#include "cli/compare/backend.h"

enum { CMP_MOST_ROUNDS = 99, CMP_MOST_FORMATS = 64, CMP_SPEC = 241, CMP_COUNTS = 4 };

/* The numbers of iterations for which the output names the fastest format. */
extern const int cmp_counts[CMP_COUNTS];

typedef struct cmp_series { /* seconds, one value for each round */
    double value[CMP_MOST_ROUNDS];
    int count;
} cmp_series;

typedef struct cmp_row { /* a format on a matrix */
    const char *spec;
    int32_t columns; /* of the products */
    gsolve_matrix_info info;
    cmp_series build, product, setup, solve, iteration;
    gsolve_result result;
    double error;      /* of the product, see cmp_error */
    char problem[400]; /* why the format was not measured, or how its product is wrong; or "" */
    bool wrong;        /* the product is wrong */
    bool partial;      /* over ranks: info.bytes and info.stored are those of a part of the rows */
    bool solved;       /* a solve has ended, converged or not */
} cmp_row;

typedef struct cmp_matrix { /* a matrix, with all formats */
    cli_system system;      /* its arrays are freed after the measurement */
    bool solves;            /* the matrix is square */
    char solver[512], precond[512], why[320];
    char method[64], kind[64]; /* the method and the preconditioner after set-up */
    char cause[1000];  /* why the method does not converge with csr, and what to do; or "" */
    double rtol, atol; /* of the solves: |b - Ax| <= max(rtol |b|, atol) */
    double precond_seconds;
    double copy_speed; /* bytes per second of a memory copy before the measurement; NAN: unknown */
    cmp_row *row;      /* one for each format */
    int rounds;
} cmp_matrix;

struct cmp { /* one call of the command */
    cli *c;
    const cmp_backend *backend;
    struct ranks_run *run; /* for the backend of several ranks; else NULL */
    bool first;            /* this process writes the results */
    int ranks, started;    /* that compare, and that mpirun has started; 0: one process */
    gsolve_status lost; /* not GSOLVE_OK: the device or a rank has failed, and no row can follow */
    gsolve_context_info device;
    char spec[CMP_MOST_FORMATS][CMP_SPEC];
    int formats, base; /* base: the index of csr */
    cmp_matrix *matrix;
    int matrices;    /* that are measured; after Ctrl-C the last one perhaps in part */
    cJSON *patterns; /* of the matrices, if there will be a page */
    char date[32];
};

/* --- the command (compare.c, shared.c) -------------------------------------------------------- */

/* The comparison by a backend, whose functions find `run` in the cmp; NULL: one process. first:
 * this process writes the results. Returns the exit code. */
int cmp_run(cli *c, const cmp_backend *backend, struct ranks_run *run, bool first);

/* The largest `value` of all ranks. */
double cmp_largest(const cmp *m, double value);

/* The seconds since `begin` on the slowest rank. status: of what was done meanwhile; after
 * GSOLVE_RANK_FAILED no rank waits for another one. */
double cmp_elapsed(cmp *m, gsolve_status status, double begin);

/* --- lists and systems (lists.c, shared.c) ---------------------------------------------------- */

/* Splits the specs of `option` at ';', and at ',' before a word without '='. *count of them are in
 * spec, at most `most`. Returns 0 or CLI_ERROR. */
int cmp_split(cli *c, const char *option, const char *list, char (*spec)[CMP_SPEC], int most,
              int *count);

/* After Ctrl-C: says that results are missing. matrices: those that were begun. */
void cmp_say_interrupt(const cli *c, int matrices);

/* Writes the output of the function `write` to the file path; NULL: does nothing. */
int cmp_write_by(cli *c, const char *path, void (*write)(FILE *file, const void *of),
                 const void *of);

/* --- formats (formats.c, cxsparse.c) ---------------------------------------------------------- */

/* Adds the formats of --formats to m->spec, which are checked. */
int cmp_add_formats(cmp *m, const char *list);

/* m->spec = the formats that the arguments name, or all. Returns 0 or CLI_ERROR, as do the others.
 */
int cmp_choose_formats(cmp *m);

/* Where the kernels read vectors. */
gsolve_location cmp_location(const cmp *m);

/* Whether the status, which m->lost then is, ends the comparison. */
bool cmp_is_lost(cmp *m, gsolve_status status);

/* Registers the product of CXSparse as a format, if the device is the CPU. */
gsolve_status cmp_register_cxsparse(gsolve_context *ctx, const gsolve_context_info *device);

/* --- solvers (combinations.c, solvers.c) ------------------------------------------------------ */

/* Whether the arguments ask for a comparison of solvers. */
bool cms_is_asked(const cli_arguments *args);

/* The comparison, after the device has been opened. Returns the exit code. */
int cms_compare(cmp *m);

/* --- measurement (method.c, measure.c, check_product.c) --------------------------------------- */

/* Chooses the method and the preconditioner of all formats: those given, or the first choice of
 * auto with which csr converges. */
int cmp_choose_method(cmp *m, cmp_matrix *a);

/* Measures all formats on a. */
int cmp_measure(cmp *m, cmp_matrix *a);

/* The product computed from the rows in double precision, with which the others are compared. */
typedef struct cmp_reference {
    double *sum, *size; /* sum of a_ij x_j and of |a_ij x_j| over j; nrows */
    double allowed;     /* the largest error that rounding explains */
} cmp_reference;

/* Of x_j = cmp_x(j), all elements of which are known on all ranks. Returns 0 or CLI_ERROR. */
int cmp_reference_make(cmp *m, cmp_reference *t, const cli_rows *rows);
double cmp_x(int64_t j, gsolve_type type);
void cmp_reference_free(cmp *m, cmp_reference *t);

/* max |y_i - sum_i| / size_i, of y in type on the host. */
double cmp_error(const cmp_reference *t, gsolve_dense y);

/* --- figures (figures.c) ---------------------------------------------------------------------- */

int32_t cmp_columns(const cmp *m); /* of a product */

double cmp_median(const cmp_series *s); /* NAN of none */
double cmp_least(const cmp_series *s);
double cmp_most(const cmp_series *s);

/* "0.98 to 1.05": the shortest and the longest time of an iteration (or a product) with csr,
 * divided by the median. They show how much other load disturbed the measurement. */
cli_words cmp_csr_spread(const cmp *m, const cmp_matrix *a);

bool cmp_is_measured(const cmp_row *r);

double cmp_gflops(const cmp_row *r);
/* These are NAN over ranks: see partial in cmp_row. */
double cmp_bytes(const cmp_row *r);   /* that a product moves */
double cmp_speed(const cmp_row *r);   /* bytes per second */
double cmp_stored(const cmp_row *r);  /* stored places */
double cmp_padding(const cmp_row *r); /* stored places without an entry / entries */

/* The seconds of an iteration; without solves those of a product. */
double cmp_step(const cmp_matrix *a, const cmp_row *r);
double cmp_cost(const cmp_matrix *a, const cmp_row *r, double iterations); /* build + n t */
double cmp_total(const cmp_matrix *a, const cmp_row *r);                   /* with all set-up */

/* The number of iterations from which r costs less than csr; INFINITY: never. */
double cmp_overtakes(const cmp *m, const cmp_matrix *a, const cmp_row *r);
cli_words cmp_overtakes_words(const cmp *m, const cmp_matrix *a, const cmp_row *r);

/* The row with the smallest cost at this number of iterations, or NULL. */
const cmp_row *cmp_winner(const cmp *m, const cmp_matrix *a, double iterations);

/* Whether r is faster than csr by less than the times of csr vary. */
bool cmp_is_like_csr(const cmp *m, const cmp_matrix *a, const cmp_row *r, double iterations);

cli_words cmp_tolerance(const cmp_matrix *a); /* "1e-08 |b|" or "max(1e-08 |b|, 1e-12)" */
const char *cmp_outcome(const cmp_matrix *a, const cmp_row *r);
bool cmp_converged(const cmp_matrix *a, const cmp_row *r);

/* Geometric means of csr's time / the format's time, over the matrices on which both were measured.
 */
typedef struct cmp_mean {
    int matrices, solved;        /* solved: those on which both converged */
    double product, step, total; /* total: over the matrices that were solved */
    double build_products;       /* the mean of the format's build time / its product time */
    double at[CMP_COUNTS];       /* of the cost at cmp_counts */
} cmp_mean;

cmp_mean cmp_mean_of(const cmp *m, int f);

/* --- output (table.c, export.c, compare_page.c) --------------------------------------------- */

void cmp_say_matrix(const cmp *m, const cmp_matrix *a);
void cmp_say_means(const cmp *m);

/* The verdict in one sentence without a full stop; the spread of csr's times, (most - least) /
 * median, the largest of a matrix. NAN: unknown. */
const char *cmp_verdict(const cmp *m, char verdict[400]);
double cmp_noise(const cmp *m);

/* Adds rows[], in the shape that formats and solvers share. */
void cmp_add_rows(cJSON *object, const cmp *m);

/* An object with the keys that comparisons of formats and of solvers have. */
cJSON *cmp_json_head(const cmp *m, const char *compares, const char *verdict, double noise);
cJSON *cmp_json(const cmp *m);
void cmp_csv(FILE *file, const cmp *m);

/* Adds the pattern of s, a matrix whose rows are there, to m->patterns, if there will be a page. */
void cmp_keep_pattern(cmp *m, const cli_system *s);

/* Writes the page of --html from object, the JSON of the results, and deletes object. Returns 0 or
 * CLI_ERROR. */
int cmp_write_page(cmp *m, cJSON *object);

#endif
