/* compare.h: what gsolve compare measures, and the ways to tell it.
 *
 * In every round each format in its turn is built, solved with and multiplied with; every time told
 * is the median over the rounds. Of the solves, what counts is the time of an iteration t: a solve
 * of n iterations costs build + n t, whatever else is the same for all formats. */
#ifndef GS_CLI_COMPARE_COMPARE_H
#define GS_CLI_COMPARE_COMPARE_H

#include <cjson/cJSON.h>

#include "cli/attempt.h"

enum { CMP_MOST_ROUNDS = 99, CMP_MOST_FORMATS = 64, CMP_SPEC = 241, CMP_COUNTS = 4 };

extern const int cmp_counts[CMP_COUNTS]; /* of iterations, for which a winner is told */

typedef struct cmp_series { /* seconds, one of each round */
    double value[CMP_MOST_ROUNDS];
    int count;
} cmp_series;

typedef struct cmp_row { /* a format on a matrix */
    const char *spec;
    int32_t columns; /* of the products */
    gsolve_matrix_info info;
    cmp_series build, product, setup, solve, iteration;
    gsolve_result result;
    double error;   /* of the product, see cmp_error */
    char told[400]; /* why there is nothing, or what is wrong; "" */
    bool wrong;     /* it is not the product of this matrix */
    bool solved;    /* a solve was made, whatever came of it */
} cmp_row;

typedef struct cmp_matrix { /* a matrix, with all formats */
    cli_system system;      /* its arrays are gone when it has been measured */
    bool solves;            /* the matrix is square */
    char solver[512], precond[512], why[320];
    char method[64], kind[64]; /* as they are in use */
    double rtol, atol;         /* of the solves: |b - Ax| <= max(rtol |b|, atol) */
    double precond_seconds;
    double copy_speed; /* of a copy within the same memory, just before: bytes a second */
    cmp_row *row;      /* formats of them */
    int rounds;
} cmp_matrix;

typedef struct cmp { /* one call of the command */
    cli *c;
    gsolve_context_info device;
    char spec[CMP_MOST_FORMATS][CMP_SPEC];
    int formats, base; /* base: which of them is csr */
    cmp_matrix *matrix;
    int matrices; /* measured, the last one perhaps in part */
    char date[32];
} cmp;

/* --- what to compare (formats.c, cxsparse.c) ----------------------------------------------------
 */

/* m->spec = the formats that the arguments name, or all. Returns 0 or CLI_ERROR, as do the others.
 */
int cmp_choose_formats(cmp *m);

/* The product of CXSparse as a format. GSOLVE_OK also where the device is not the CPU, and there is
 * none. */
gsolve_status cmp_register_cxsparse(gsolve_context *ctx, const gsolve_context_info *device);

/* --- measuring (method.c, measure.c, check_product.c)
 * -----------------------------------------------------
 */

/* The method and the preconditioner that all formats are to solve with: those given, or the first
 * that auto would try and that csr converges with. */
int cmp_choose_method(cmp *m, cmp_matrix *a);

/* Rounds of all formats on a. */
int cmp_measure(cmp *m, cmp_matrix *a);

/* The exact product, to hold the others against. */
typedef struct cmp_truth {
    double *sum, *size; /* sum of a_ij x_j and of |a_ij x_j| over j; nrows */
    double allowed;     /* error */
} cmp_truth;

int cmp_truth_make(cmp *m, cmp_truth *t, const gsolve_csr *rows, const double *x);
void cmp_truth_free(cmp *m, cmp_truth *t);

/* max |y_i - sum_i| / size_i, of y in type on the host. */
double cmp_error(const cmp_truth *t, gsolve_dense y);

/* --- figures (figures.c) ------------------------------------------------------------------------
 */

int32_t cmp_columns(const cmp *m); /* of a product */

double cmp_median(const cmp_series *s); /* NAN of none */
double cmp_least(const cmp_series *s);
double cmp_most(const cmp_series *s);

/* "0.98 to 1.05": the times of an iteration (or a product) with csr over their median, which tells
 * how quiet the machine was. */
cli_words cmp_scatter(const cmp *m, const cmp_matrix *a);

bool cmp_is_measured(const cmp_row *r);

double cmp_gflops(const cmp_row *r);
double cmp_speed(const cmp_row *r);   /* bytes a second */
double cmp_padding(const cmp_row *r); /* stored and no entry, for each entry */

/* The seconds of an iteration; where there are no solves, of a product. */
double cmp_step(const cmp_matrix *a, const cmp_row *r);
double cmp_cost(const cmp_matrix *a, const cmp_row *r, double iterations); /* build + n t */
double cmp_total(const cmp_matrix *a, const cmp_row *r);                   /* with all set-up */

/* From how many iterations on r costs less than csr; INFINITY: never. */
double cmp_overtakes(const cmp *m, const cmp_matrix *a, const cmp_row *r);
cli_words cmp_overtakes_words(const cmp *m, const cmp_matrix *a, const cmp_row *r);

/* The row that costs least at so many iterations, or NULL. */
const cmp_row *cmp_winner(const cmp *m, const cmp_matrix *a, double iterations);

/* Whether r is faster than csr by less than the times of csr vary. */
bool cmp_is_like_csr(const cmp *m, const cmp_matrix *a, const cmp_row *r, double iterations);

cli_words cmp_tolerance(const cmp_matrix *a); /* "1e-08 |b|" or "max(1e-08 |b|, 1e-12)" */
const char *cmp_outcome(const cmp_matrix *a, const cmp_row *r);
bool cmp_converged(const cmp_matrix *a, const cmp_row *r);

/* Geometric means over the matrices that format f and csr were both measured on: of csr's time over
 * the format's. */
typedef struct cmp_mean {
    int matrices, solved;                        /* solved: on which both converged, for total */
    double product, step, total, build_products; /* the last: of its build over its product */
    double at[CMP_COUNTS];                       /* of the cost at cmp_counts */
} cmp_mean;

cmp_mean cmp_mean_of(const cmp *m, int f);

/* --- telling (table.c, export.c, page.c, style.c, charts.c, curves.c)
 * -------------------------------------
 */

void cmp_say_matrix(const cmp *m, const cmp_matrix *a);
void cmp_say_means(const cmp *m);

cJSON *cmp_json(const cmp *m);
void cmp_csv(FILE *file, const cmp *m);
void cmp_page(FILE *file, const cmp *m);

/* Parts of the page. */
extern const char *const cmp_style[];           /* its parts, and NULL */
void cmp_escaped(FILE *file, const char *text); /* & < > " as entities; may break after a comma */
cli_words cmp_short(double value);              /* a figure of three digits or so */
void cmp_bars_product(FILE *file, const cmp *m, const cmp_matrix *a);
void cmp_bars_solve(FILE *file, const cmp *m, const cmp_matrix *a);
void cmp_histogram(FILE *file, const cmp_matrix *a);
void cmp_curves(FILE *file, const cmp *m, const cmp_matrix *a);

enum { CMP_COLOURS = 12 }; /* of formats: the classes c0, c1, ... of the style */

#endif
