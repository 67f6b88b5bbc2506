/* explain.h: why a run failed and what to do, as data. explain_evidence.c finds facts, the table of
 * explain_causes.c finds the cause that they show, and the table of explain_remedies.c the first
 * remedy of this cause that applies. */
#ifndef GS_SOLVER_CHOOSE_EXPLAIN_H
#define GS_SOLVER_CHOOSE_EXPLAIN_H

#include "solver/run/run.h"

/* The remedies of explain_remedies.c. A cause lists some, in order of preference. */
typedef enum gs_remedy_id {
    GS_NO_REMEDY,  /* ends a list */
    GS_USE_CHOICE, /* the automatic choice, or the next choice of its list */
    GS_USE_NULL_SPACE,
    GS_USE_LSMR,
    GS_USE_ACCEPT,
    GS_USE_QR,
    GS_USE_SCALE,
    GS_USE_UNSCALED,
    GS_USE_ORDER,
    GS_USE_RESTART,
    GS_USE_MORE_ITERATIONS,
    GS_USE_DIRECT,
    GS_USE_DOUBLE,
    GS_USE_TOLERANCE,
    GS_MOST_REMEDIES
} gs_remedy_id;

typedef struct gs_cause gs_cause;

/* What remedies depend on. It has no pointer to a run, so that a remedy can be found later. */
typedef struct gs_facts {
    const gs_cause *cause;          /* NULL: not known yet */
    char text[768];                 /* its sentences */
    char method[256], precond[256]; /* specs */
    gsolve_status failed; /* of a set-up, with the sentence `error`; GSOLVE_OK: there was none */
    char error[400];
    bool ran; /* the members up to maxit are set */
    gsolve_outcome outcome;
    double residual, rtol, begin; /* |r| / |b| at the end; of the options; at the start */
    int iterations, maxit;
    bool projects, transformed, is_operator;
    bool over_ranks; /* A is distributed over ranks */
    bool has_statistics;
    gsolve_statistics t; /* of the matrix that the method iterated on */
    int32_t parts;       /* connected parts, where every row sums to 0 */
} gs_facts;

/* The evidence about one run, or about one choice before it. */
typedef struct gs_case {
    gs_facts *f;
    gsolve_context *ctx;
    gs_krylov *k;           /* NULL: there was no run */
    const gs_column *worst; /* the column that the facts are about */
    gsolve_dense r; /* the residual of all columns, on the host; without values if unknown */
    bool has_rows;  /* `rows` are those of the caller's matrix, on the host */
    gsolve_csr rows;
    double normal; /* |A'r| / (|A| |r|) of the worst column, or -1 */
    int32_t at[2]; /* rows or columns that the test of a cause found */
} gs_case;

/* A choice that has failed, for gs_find_remedy. */
typedef struct gs_tried {
    const char *method, *precond;
} gs_tried;

/* explain_causes.c: sets f->cause and f->text of c->f to the first cause that the evidence shows.
 */
void gs_find_cause(gs_case *c);
/* As gs_find_cause, but only with causes that are known before a run. Returns false if there is
 * none. */
bool gs_find_cause_before(gs_case *c);
const char *gs_cause_name(const gs_cause *cause);
const gs_remedy_id *gs_remedies_of(const gs_cause *cause);

/* explain_remedies.c: sets the remedy of *d to the first one of the cause that applies and has not
 * been tried. */
void gs_find_remedy(const gsolve_context *ctx, const gs_facts *f, int count, const gs_tried *tried,
                    gsolve_diagnosis *d);

/* explain_evidence.c. Rows and columns count from 0. */

/* |A - A'| / |A| in the Frobenius norm; at: the entry with the largest difference. */
double gs_asymmetry(const gsolve_csr *A, int32_t at[2]);
/* The number of connected parts of a square matrix with a symmetric pattern; 0: out of memory. */
int32_t gs_connected_parts(gsolve_context *ctx, const gsolve_csr *A);
/* more[0], more[1]: bounds of the iterations that a run still needs, half and twice the number that
 * its rate so far gives. Returns false if it gives none: |r| fell by less than a factor of 10. */
bool gs_estimate_iterations(const gs_facts *f, double more[2]);
/* Whether two rows have the same entries; at: the first two. */
bool gs_has_equal_rows(gsolve_context *ctx, const gsolve_csr *A, int32_t at[2]);
/* The first row with a negative diagonal entry. */
int32_t gs_first_negative_diagonal(const gsolve_csr *A, double *value);
int32_t gs_first_empty_column(gsolve_context *ctx, const gsolve_csr *A);
/* at: the rows with the largest and the smallest magnitude. */
void gs_find_extreme_rows(const gsolve_csr *A, int32_t at[2]);
/* Whether a permutation of the rows may give a diagonal without zeros; false if memory is short. */
bool gs_may_permute_rows(gsolve_context *ctx, const gsolve_csr *A);
/* |A'r| / (|A| |r|) of column c of r. */
double gs_least_squares_measure(gsolve_context *ctx, const gsolve_csr *A, gsolve_dense r);

/* explain.c */

/* The statistics of A, and its rows. Without memory for them, less evidence remains. */
void gs_read_matrix(gs_case *c, const gsolve_matrix *A, bool rows);
/* Fails if d is NULL or its size is not set. */
gsolve_status gs_check_diagnosis(gsolve_context *ctx, const gsolve_diagnosis *d);

/* Fills *f and *c from a run of S that failed, and finds the cause. */
void gs_diagnose_run(gsolve_solver *S, gs_facts *f);
/* Finds the cause from A and f->failed, f->error, f->method and f->precond. */
void gs_diagnose_setup(gsolve_context *ctx, const gsolve_matrix *A, gs_facts *f);
/* Sets all members of *d but those of the remedy. */
void gs_describe_facts(const gs_facts *f, gsolve_diagnosis *d);

/* Element i of a vector on the host. */
static inline double gs_report_element(gsolve_dense v, int32_t i)
{
    return v.type == GSOLVE_F32 ? (double)((const float *)v.value)[i]
                                : ((const double *)v.value)[i];
}

/* Appends a sentence to text[size], formatted as by printf. */
__attribute__((format(printf, 3, 4))) void gs_add_sentence(char *text, size_t size,
                                                           const char *format, ...);
#define GS_SAY(c, ...) gs_add_sentence((c)->f->text, sizeof(c)->f->text, __VA_ARGS__)

#endif
