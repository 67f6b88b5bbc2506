/* matlab.c: MATLAB's .mat files of version 5 and 7.3, by libmatio.
 *
 * libmatio is loaded when the first such file is read: it needs HDF5, whose libraries take longer
 * to load than a small system takes to solve. */
#include "io/matlab.h"

#include <dlfcn.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/try.h"
#include "io/numpy.h"

#define CANDIDATES 16

#define FUNCTIONS(X)              \
    X(Mat_Open)                   \
    X(Mat_Close)                  \
    X(Mat_VarReadNextInfo)        \
    X(Mat_VarRead)                \
    X(Mat_VarFree)                \
    X(Mat_VarGetNumberOfFields)   \
    X(Mat_VarGetStructFieldnames) \
    X(Mat_VarGetStructFieldByName)

#define MEMBER(function) __typeof__(function) *function;
typedef struct matio {
    FUNCTIONS(MEMBER)
} matio;

/* HDF5 prints its errors, unless this function switches that off. Its first argument, 0, is the
 * default stack of errors. */
typedef int set_errors(int64_t stack, void *function, void *data);
typedef int get_errors(int64_t stack, void **function, void **data);

typedef struct candidate { /* a variable, or a field of a struct */
    char variable[64], field[64];
    bool sparse;
    int64_t elements;
} candidate;

typedef struct reader {
    gs_input *in;
    matio lib;
    mat_t *file;
    set_errors *set_errors;         /* or NULL: libmatio has no HDF5 */
    void *print_error, *print_data; /* the caller's */
    candidate found[CANDIDATES];
    int count;
    char structs[CANDIDATES][64]; /* variables that are structs */
    int struct_count;
} reader;

/* --- the library ------------------------------------------------------------------------------ */

/* The errors of HDF5 are not printed until close_file. */
static void silence(reader *r, void *library)
{
    get_errors *get;

    *(void **)(void *)&get = dlsym(library, "H5Eget_auto2");
    *(void **)(void *)&r->set_errors = dlsym(library, "H5Eset_auto2");
    if (!get || !r->set_errors || get(0, &r->print_error, &r->print_data) < 0) {
        r->set_errors = NULL;
    } else {
        r->set_errors(0, NULL, NULL);
    }
}

static gsolve_status load_library(reader *r)
{
    void *library = dlopen(GSOLVE_MATIO_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = library != NULL;

#define LOAD(function)                                                  \
    if (library) {                                                      \
        *(void **)(void *)&r->lib.function = dlsym(library, #function); \
        complete = complete && r->lib.function;                         \
    }
    FUNCTIONS(LOAD)
    if (library) {
        silence(r, library);
        dlclose(library); /* it stays in memory */
    }
    if (complete) return GSOLVE_OK;
    return gs_binary_fail(r->in, NULL,
                          "reading MATLAB files needs the library %s, which cannot be loaded: "
                          "install it (Debian package libmatio-dev), or in Python: "
                          "scipy.sparse.save_npz(\"A.npz\", scipy.io.loadmat(FILE)[\"A\"])",
                          GSOLVE_MATIO_LIBRARY);
}

static gsolve_status open_file(reader *r)
{
    const gs_input *in = r->in;
    struct stat s;
    gsolve_status status;

    if (in->begin != in->block[0] || stat(in->name, &s) != 0 || !S_ISREG(s.st_mode) ||
        s.st_size != in->end - in->begin) { /* libmatio reads files only */
        return gs_binary_fail(in, NULL,
                              "a MATLAB file can be read neither compressed nor from a pipe; give "
                              "the name of an unpacked file");
    }
    TRY(load_library(r));
    r->file = r->lib.Mat_Open(in->name, MAT_ACC_RDONLY);
    if (!r->file) status = gs_binary_fail(in, NULL, "libmatio cannot open the file");
done:
    return status;
}

static void close_file(reader *r)
{
    if (r && r->file) r->lib.Mat_Close(r->file);
    if (r && r->set_errors) r->set_errors(0, r->print_error, r->print_data);
}

/* --- the variables ---------------------------------------------------------------------------- */

static bool is_number(const matvar_t *v)
{
    return v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64;
}

/* Adds v as a candidate if it is a matrix. */
static void add_candidate(reader *r, const matvar_t *v, const char *variable, const char *field)
{
    candidate *c = &r->found[r->count];

    if (!v || r->count == CANDIDATES || v->rank != 2 || !v->dims) return;
    if (v->class_type != MAT_C_SPARSE && !is_number(v)) return;
    if (strlen(variable) >= sizeof c->variable || strlen(field) >= sizeof c->field) return;
    snprintf(c->variable, sizeof c->variable, "%s", variable);
    snprintf(c->field, sizeof c->field, "%s", field);
    c->sparse = v->class_type == MAT_C_SPARSE;
    if (__builtin_mul_overflow((int64_t)v->dims[0], (int64_t)v->dims[1], &c->elements)) return;
    r->count++;
}

static void add_fields(reader *r, const char *variable)
{
    matvar_t *v = r->lib.Mat_VarRead(r->file, variable);
    char *const *names;

    if (!v) return;
    names = r->lib.Mat_VarGetStructFieldnames(v);
    for (unsigned k = 0; names && k < r->lib.Mat_VarGetNumberOfFields(v); k++) {
        add_candidate(r, r->lib.Mat_VarGetStructFieldByName(v, names[k], 0), variable, names[k]);
    }
    r->lib.Mat_VarFree(v);
}

static void find_candidates(reader *r)
{
    matvar_t *v;

    while ((v = r->lib.Mat_VarReadNextInfo(r->file))) {
        if (v->name && v->class_type == MAT_C_STRUCT && r->struct_count < CANDIDATES &&
            strlen(v->name) < sizeof r->structs[0]) {
            snprintf(r->structs[r->struct_count++], sizeof r->structs[0], "%s", v->name);
        } else if (v->name) {
            add_candidate(r, v, v->name, "");
        }
        r->lib.Mat_VarFree(v);
    }
    for (int k = 0; k < r->struct_count; k++) add_fields(r, r->structs[k]);
}

/* The only candidate of that kind, or the one that is called `name`; NULL: there is none, or
 * *several. */
static const candidate *choose(const reader *r, bool sparse, const char *name, bool *several)
{
    const candidate *only = NULL;
    int count = 0;

    for (int k = 0; k < r->count; k++) {
        const candidate *c = &r->found[k];
        if (c->sparse != sparse || (!sparse && c->elements < 2)) continue;
        if (strcmp(c->field[0] ? c->field : c->variable, name) == 0) return c;
        only = c;
        count++;
    }
    *several |= count > 1;
    return count == 1 ? only : NULL;
}

static gsolve_status refuse(const reader *r, const char *wanted, const char *name, bool several)
{
    char list[200] = "";
    int length = 0;

    for (int k = 0; k < r->count && length < 150; k++) {
        const candidate *c = &r->found[k];
        length += snprintf(list + length, sizeof list - (size_t)length, "%s%.20s%s%.20s",
                           k ? ", " : "", c->variable, c->field[0] ? "." : "", c->field);
    }
    return gs_binary_fail(r->in, NULL, "%s %s; the file holds %s. In MATLAB: save -v7 %s.mat %s",
                          wanted, several ? "is not unique" : "is missing",
                          list[0] ? list : "no matrices", name, name);
}

/* --- values ----------------------------------------------------------------------------------- */

static gsolve_status array_of(gs_array *a, const matvar_t *v, const void *data, int64_t count,
                              const gs_input *in)
{
    static const struct {
        enum matio_types type;
        char kind;
        int size;
    } types[] = {{MAT_T_DOUBLE, 'f', 8}, {MAT_T_SINGLE, 'f', 4}, {MAT_T_INT8, 'i', 1},
                 {MAT_T_UINT8, 'u', 1},  {MAT_T_INT16, 'i', 2},  {MAT_T_UINT16, 'u', 2},
                 {MAT_T_INT32, 'i', 4},  {MAT_T_UINT32, 'u', 4}, {MAT_T_INT64, 'i', 8},
                 {MAT_T_UINT64, 'u', 8}};

    if (v->isComplex) {
        return gs_binary_fail(in, NULL,
                              "the matrix is complex; gsolve solves real systems: save real(A)");
    }
    for (size_t k = 0; k < sizeof types / sizeof *types && (data || count == 0); k++) {
        if (types[k].type != v->data_type) continue;
        *a = (gs_array){data, count, types[k].kind, types[k].size, false, "values"};
        if (v->isLogical && a->size == 1) a->kind = 'b';
        return GSOLVE_OK;
    }
    return gs_binary_fail(in, NULL,
                          "the values cannot be read: their type is unknown, or the file is "
                          "damaged or truncated");
}

static gsolve_status read_sparse(gsolve_csr *csr, const matvar_t *v, gs_input *in)
{
    const mat_sparse_t *s = v->data;
    gs_lines l = {.nrows = (int64_t)v->dims[0], .ncols = (int64_t)v->dims[1], .by_columns = true};
    gsolve_status status;

    if (!s || !s->ir || !s->jc) {
        return gs_binary_fail(in, NULL,
                              "the sparse matrix cannot be read; the file is damaged or "
                              "truncated");
    }
    TRY(gs_binary_sizes(in, NULL, l.nrows, l.ncols));
    TRY(array_of(&l.value, v, s->data, s->ndata, in));
    l.index = (gs_array){(const char *)s->ir, s->nir, 'u', sizeof *s->ir, false, "row indices"};
    l.start = (gs_array){(const char *)s->jc, s->njc, 'u', sizeof *s->jc, false, "column offsets"};
    gs_binary_source(in, "MATLAB", &l.value, 0);
    TRY(gs_lines_matrix(csr, &l, in));
done:
    return status;
}

static gsolve_status read_full(gsolve_dense *v, const matvar_t *m, gs_input *in)
{
    gs_npy a = {.dims = 2, .shape = {(int64_t)m->dims[0], (int64_t)m->dims[1]}, .fortran = true};
    int64_t count;
    gsolve_status status;

    TRY(gs_binary_sizes(in, NULL, a.shape[0], a.shape[1]));
    count = a.shape[0] * a.shape[1];
    if (m->data_size < 1 || (int64_t)(m->nbytes / (size_t)m->data_size) < count) {
        return gs_binary_fail(in, NULL,
                              "the matrix has fewer values than its size says; the file "
                              "is damaged or truncated");
    }
    TRY(array_of(&a.array, m, m->data, count, in));
    TRY(gs_npy_to_dense(v, &a, in));
    snprintf(in->source.kind, sizeof in->source.kind, "MATLAB");
done:
    return status;
}

/* *csr or *v = the candidate; the other one is NULL. */
static gsolve_status read_candidate(gsolve_csr *csr, gsolve_dense *v, reader *r, const candidate *c)
{
    matvar_t *variable = r->lib.Mat_VarRead(r->file, c->variable), *m = variable;
    gsolve_dense full;
    gsolve_status status;

    if (m && c->field[0]) m = r->lib.Mat_VarGetStructFieldByName(variable, c->field, 0);
    if (!m || m->rank != 2 || !m->dims) {
        status = gs_binary_fail(r->in, c->variable,
                                "the variable cannot be read; the file is "
                                "damaged or truncated");
    } else if (c->sparse != (m->class_type == MAT_C_SPARSE)) { /* the first one of this name */
        status = gs_binary_fail(r->in, c->variable,
                                "the file has several variables of this name, of different "
                                "classes; save it again with one of them");
    } else if (csr && c->sparse) {
        status = read_sparse(csr, m, r->in);
    } else {
        status = read_full(v ? v : &full, m, r->in);
        if (csr && status == GSOLVE_OK) {
            status = gs_dense_rows(csr, &full, r->in);
            gsolve_free(r->in->ctx, GSOLVE_HOST, full.value);
        }
    }
    if (variable) r->lib.Mat_VarFree(variable);
    return status;
}

/* *csr or *v = the variable of the file; the other one is NULL. */
static gsolve_status read_variable(gsolve_csr *csr, gsolve_dense *v, gs_input *in)
{
    const char *name = csr ? "A" : "b";
    const candidate *c;
    bool several = false;
    reader *r = NULL;
    gsolve_status status;

    ALLOC(in->ctx, GSOLVE_HOST, r, 1);
    *r = (reader){.in = in};
    TRY(open_file(r));
    find_candidates(r);
    c = choose(r, csr != NULL, name, &several);
    if (csr && !c && !several) c = choose(r, false, name, &several);
    status = c ? read_candidate(csr, v, r, c)
               : refuse(r, csr ? "a sparse matrix" : "a full matrix or vector", name, several);
done:
    close_file(r);
    gsolve_free(in->ctx, GSOLVE_HOST, r);
    return status;
}

gsolve_status gs_matlab_matrix(gsolve_csr *csr, gs_input *in)
{
    return read_variable(csr, NULL, in);
}

gsolve_status gs_matlab_dense(gsolve_dense *v, gs_input *in)
{
    return read_variable(NULL, v, in);
}
