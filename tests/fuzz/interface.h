/* interface.h: the shared declarations of fuzz_interface: the state of a sequence of calls, the
 * caller's arrays, the handles, and the checks. A sequence is a function of its seed alone. */
#ifndef FUZZ_INTERFACE_H
#define FUZZ_INTERFACE_H

#include <stdarg.h>

#include "gsolve_io.h"

enum { INPUTS = 4, HANDLES = 4, MOST_SKIPPED = 32 };

/* A matrix in the caller's arrays, which are not longer than necessary. */
typedef struct input {
    gsolve_csr csr;  /* in arrays from malloc on the host, even if csr.location is the device */
    bool malformed;  /* every function must refuse it */
    bool duplicates; /* some entries share a place */
} input;

typedef struct vectors { /* right-hand sides and solutions */
    gsolve_dense d;      /* the argument of a call, on the host or in a block on the device */
    void *host;          /* d's values */
    void *before;        /* a copy of host as it was before the call */
    size_t bytes;
} vectors;

typedef struct matrix_handle {
    gsolve_matrix *A;
    input given;    /* its current values */
    bool undefined; /* an update failed: A's values are undefined */
} matrix_handle;

typedef struct precond_handle {
    gsolve_precond *M;
    input given;
    bool undefined;
    bool is_none; /* z = r */
} precond_handle;

typedef struct solver_handle {
    gsolve_solver *S;
    int a, m;  /* its matrix and preconditioner; m may be -1 */
    bool dead; /* one of them is destroyed */
    double rtol, atol;
    int maxit;
    int32_t columns; /* of the last run */
} solver_handle;

typedef struct product_handle {
    gsolve_product *P;
    gsolve_galerkin *G;
    input left, middle, right; /* P: left times right */
    bool left_given;           /* G: with an R of its own */
    bool undefined;
} product_handle;

typedef struct settings {
    uint64_t seed;
    long count;
    double seconds;
    const char *device;
    const char *skipped[MOST_SKIPPED];
    int skips;
    bool verbose, keep_going;
} settings;

typedef struct fuzz {
    const settings *set;
    gsolve_context *ctx;
    bool has_gpu;   /* ctx computes in memory of its own */
    uint64_t seed;  /* of the sequence */
    uint64_t state; /* of the random numbers */
    uint64_t hash;  /* of everything that must be the same when the sequence is repeated */
    bool denies;    /* the sequence denies allocations */
    bool denied;    /* the current call may run out of memory */
    bool untimed;   /* no spec so far makes bits depend on time */
    bool failed;
    input given[INPUTS];
    matrix_handle matrix[HANDLES];
    precond_handle precond[HANDLES];
    solver_handle solver[HANDLES];
    product_handle product[HANDLES];
} fuzz;

/* --- random numbers: interface_draw.c --------------------------------------------------------- */

uint64_t draw(fuzz *f);
int64_t below(fuzz *f, int64_t n); /* 0 to n - 1; 0 if n < 1 */
bool chance(fuzz *f, int percent);
double uniform(fuzz *f);                /* -1 to 1 */
double draw_value(fuzz *f, int nature); /* see value_nature */
int draw_nature(fuzz *f);
gsolve_type draw_type(fuzz *f);

void begin_trace(fuzz *f);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void trace(fuzz *f, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void complain(fuzz *f, const char *format, ...);
void print_trace(int file);
bool skips(const fuzz *f, const char *name);

/* Add to f->hash, which must be the same when the sequence is repeated. */
void add_to_hash(fuzz *f, const void *bytes, size_t count);
void add_number(fuzz *f, int64_t number);

/* In sequences that deny allocations: sometimes limits the allocations of the next call. */
void deny_some(fuzz *f);
/* After every call: lifts the limit; a failure must have a reason. True: GSOLVE_OK. */
bool passed(fuzz *f, const char *call, gsolve_status status);
/* passed() for a call whose output is a handle, which must be untouched unless the call succeeded.
 */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a50)
bool passed_handle(fuzz *f, const char *call, gsolve_status status, void **handle);
void *must_alloc(size_t bytes);

/* --- matrices: interface_input.c -------------------------------------------------------------- */

void draw_input(fuzz *f, input *in);
void drop_input(input *in);
input copy_input(const input *in);
input transpose_input(const input *in);
input convert_input(const input *in, gsolve_type type);
void draw_new_values(fuzz *f, input *in);
int64_t offset_at(const gsolve_csr *csr, int64_t row);
double value_at(const gsolve_csr *csr, int64_t entry);
/* The argument of a call: the arrays themselves, or copies on the device. */
gsolve_csr lend(fuzz *f, const input *in);
void take_back(fuzz *f, const input *in, gsolve_csr *lent);
/* *out = a copy on the host of csr, which the library returned. False: csr is malformed, which is
 * reported as an error. */
typedef enum order { ASCENDING, WITH_DUPLICATES, ANY_ORDER } order;
bool fetch_csr(fuzz *f, const char *call, const gsolve_csr *csr, order how, input *out);
int pick_input(fuzz *f);

/* --- specs: interface_spec.c ------------------------------------------------------------------ */

typedef enum spec_kind { FORMAT, PRECOND, METHOD, MULTIPLIER } spec_kind;

typedef struct random_spec {
    char text[512];
    bool invalid; /* must be refused */
    double rtol, atol;
    int maxit;
} random_spec;

void draw_spec(fuzz *f, spec_kind kind, random_spec *s);

/* --- vectors: interface_vectors.c ------------------------------------------------------------- */

typedef enum filling { ZEROS, ONES, RANDOM, EXTREME, NOT_FINITE } filling;

filling draw_filling(fuzz *f);
vectors make_vectors(fuzz *f, int32_t nrows, int32_t ncols, gsolve_type type, gsolve_layout layout,
                     filling how);
void keep_copy(vectors *v);
/* Copies the values back from the device. */
void fetch_vectors(fuzz *f, vectors *v);
void drop_vectors(fuzz *f, vectors *v);
double number_at(const vectors *v, int64_t row, int64_t column);
double number_before(const vectors *v, int64_t row, int64_t column);
bool all_finite(const vectors *v);
bool unchanged(const vectors *v);
/* Checks that the elements between the columns have not changed. */
void check_gaps(fuzz *f, const char *call, const vectors *v);
void hash_vectors(fuzz *f, const vectors *v);

/* --- the independent results: interface_reference.c ------------------------------------------- */

/* |b - A x| of one column, |b|, and the largest error that a residual in double may have. */
typedef struct reference {
    long double residual, norm, slack;
} reference;

reference true_residual(const input *A, const vectors *b, const vectors *x, int32_t column);
void check_product(fuzz *f, const char *call, const input *A, bool transposed, double alpha,
                   const vectors *x, double beta, const vectors *y);
/* Checks C = left right, or C = left middle right, within rounding. exact: C must have exactly the
 * entries that follow from the patterns. */
void check_multiplied(fuzz *f, const char *call, const input *left, const input *middle,
                      const input *right, const gsolve_csr *C, bool exact);
void check_same_matrix(fuzz *f, const char *call, const input *A, const gsolve_csr *C);

/* --- calls: one file for each kind of handle -------------------------------------------------- */

typedef struct api_call {
    const char *name;
    int weight;
    void (*run)(fuzz *f);
} api_call;

extern const api_call matrix_calls[], precond_calls[], solver_calls[], product_calls[],
    other_calls[];

void draw_matrix(fuzz *f);
void drop_matrix(fuzz *f, int slot);
void drop_precond(fuzz *f, int slot);
void drop_solver(fuzz *f, int slot);
void drop_product(fuzz *f, int slot);
int pick_matrix(fuzz *f); /* -1: there is none */
int pick_precond(fuzz *f);
void register_plugins(fuzz *f); /* plug-ins of the test, which fail after a given number of calls */
void begin_without_faults(void);
double unit_roundoff(gsolve_type type);

#endif
