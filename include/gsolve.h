/* gsolve.h: iterative solvers for sparse linear systems, over exchangeable sparse
 * matrix formats.
 *
 *     gsolve_context *ctx = NULL;
 *     gsolve_matrix *A = NULL;
 *     gsolve_precond *M = NULL;
 *     gsolve_solver *S = NULL;
 *     gsolve_result result;
 *     gsolve_csr csr = gsolve_csr_view(n, start, col, value);
 *
 *     gsolve_context_create(&ctx, "auto");
 *     gsolve_matrix_create(&A, ctx, "auto", &csr);
 *     gsolve_precond_create(&M, ctx, "ic", &csr);            or "auto"
 *     gsolve_solver_create(&S, ctx, "cg,rtol=1e-10", A, M);  or "auto,rtol=1e-10"
 *     gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result);
 *
 * or the whole of it: gsolve_solve(ctx, &csr, gsolve_vector(b, n), gsolve_vector(x, n), &result).
 *
 * Rules that hold for every function
 *   specs      A device, format, preconditioner or method is named by a string,
 *              "name" or "name,key=value,...". gsolve list shows them all.
 *   errors     What can fail returns a gsolve_status; its outputs are then left
 *              untouched and gsolve_error(ctx) tells the cause in one sentence.
 *              Not to converge is an outcome, not an error.
 *   ownership  What _create returned, _destroy frees: it takes the address of the
 *              handle, sets it to NULL and accepts NULL. Arrays passed in stay the
 *              caller's; none is kept after the call (gsolve_matrix_create_owned apart).
 *   lifetime   S uses A and M: after they are destroyed it may only be destroyed. A context
 *              that is destroyed destroys all that is left in it; handles to that are void.
 *   threads    A context and all that is in it belong to one thread at a time.
 *              Two contexts share nothing. The library's only global variable tells a child of
 *              fork from its parent.
 *   fork       OpenMP's threads do not survive fork. In a child of a process that has created a
 *              context, every call runs on one thread, in contexts of the parent as in new ones;
 *              results have the same bits. Contexts of a GPU do not work in a child.
 *   bits       The same input gives the same bits, for any number of threads. ("auto" for a matrix
 *              remembers: the same calls from its creation on give the same bits.) Excepted are
 *              what cuSPARSE computes, by the format or the product method "cusparse", and options
 *              that choose by measured times; gsolve list says so of each.
 *   counting   Rows and columns count from 0 and are below 2^31; entries may be more.
 */
#ifndef GSOLVE_H
#define GSOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GSOLVE_VERSION_MAJOR 0
#define GSOLVE_VERSION_MINOR 1
#define GSOLVE_VERSION_PATCH 0
#define GSOLVE_VERSION       "0.1.0"

/* The version of the library that is linked, such as "0.1.0". */
const char *gsolve_version(void);

/* --- status ---------------------------------------------------------------- */

#define GSOLVE_STATUS_LIST(X)                                  \
    X(GSOLVE_OK, "success")                                    \
    X(GSOLVE_BAD_ARGUMENT, "argument missing or out of range") \
    X(GSOLVE_BAD_SPEC, "unknown name, key or value in a spec") \
    X(GSOLVE_BAD_MATRIX, "malformed matrix")                   \
    X(GSOLVE_BAD_FILE, "unreadable file")                      \
    X(GSOLVE_NO_MEMORY, "out of memory")                       \
    X(GSOLVE_NO_DEVICE, "device absent from build or machine") \
    X(GSOLVE_UNSUPPORTED, "not supported by this plug-in")     \
    X(GSOLVE_ZERO_PIVOT, "zero pivot")                         \
    X(GSOLVE_DEVICE_FAILED, "device failure")

#define GSOLVE_ENUM(name, text) name,
typedef enum gsolve_status { GSOLVE_STATUS_LIST(GSOLVE_ENUM) GSOLVE_STATUS_COUNT } gsolve_status;

const char *gsolve_status_text(gsolve_status status);

/* --- context: a device, its memory ------------------------------------------ */

typedef struct gsolve_context gsolve_context;

/* spec: "auto", "cpu", "cpu,threads=8" (0, the default: as many as OpenMP offers), "cuda",
 * "cuda,index=1". "auto" is a GPU if the build and the machine have one that can be used, else the
 * CPU, and the context's description says why. GSOLVE_NO_DEVICE: there is no such device;
 * GSOLVE_NO_MEMORY, GSOLVE_DEVICE_FAILED: it is full, or cannot be used. */
gsolve_status gsolve_context_create(gsolve_context **ctx, const char *spec);
void gsolve_context_destroy(gsolve_context **ctx);

/* Another device for ctx, by a spec as for create; arrays on the host stay. For a program that
 * knows whether a GPU pays only when it has read the matrix. GSOLVE_BAD_ARGUMENT: there are
 * matrices, preconditioners or arrays on the device in ctx. After a failure ctx is as it was. */
gsolve_status gsolve_context_use_device(gsolve_context *ctx, const char *spec);

/* From here on ctx works on the caller's stream, a cudaStream_t of ctx's device; NULL is CUDA's
 * default stream, as everywhere in CUDA, on which solvers run without recorded graphs. What was
 * given to the stream before is waited for, so that all that was made in ctx stays in use. The
 * stream stays the caller's, and must last until ctx is destroyed or has been given another; while
 * a call in ctx runs, no other thread may give it work, which could end in a recorded graph.
 * GSOLVE_UNSUPPORTED: the CPU knows no streams. GSOLVE_BAD_ARGUMENT: the stream is of another
 * device or is being captured. */
gsolve_status gsolve_context_use_stream(gsolve_context *ctx, void *stream);

/* What the last failed call in ctx said, "" before any; valid until the next call.
 * NULL asks about a failed gsolve_context_create of this thread. */
const char *gsolve_error(const gsolve_context *ctx);

typedef struct gsolve_context_info {
    const char *device;          /* "cpu" or "cuda" */
    char description[256];       /* "AMD EPYC, 2 threads"; after "auto" with why it is no GPU */
    int threads;                 /* of the CPU */
    size_t bytes, peak;          /* held now and at most so far, by gsolve_alloc, in all places */
    int64_t blocks, allocations; /* held now; granted so far */
} gsolve_context_info;

void gsolve_context_describe(const gsolve_context *ctx, gsolve_context_info *info);

/* Bytes of the device's memory that are free, and all. GSOLVE_UNSUPPORTED: ctx computes in the
 * host's memory. */
gsolve_status gsolve_context_memory(gsolve_context *ctx, size_t *unused, size_t *total);

/* Bytes a second, read and written, of a copy of a large array within ctx's memory by ctx's
 * threads: the best of several. What the counted bytes of a profile compare with. Takes 512 MiB for
 * a while, less where there is less. */
gsolve_status gsolve_context_copy_speed(gsolve_context *ctx, double *bytes_per_second);

/* For tests: the next count allocations are granted and all later ones denied; a negative
 * count lifts the limit. */
void gsolve_context_limit_allocations(gsolve_context *ctx, int64_t count);

/* --- arrays: views, which own nothing --------------------------------------- */

typedef enum gsolve_type { GSOLVE_F32, GSOLVE_F64, GSOLVE_TYPE_COUNT } gsolve_type;
typedef enum gsolve_offset { GSOLVE_O32, GSOLVE_O64 } gsolve_offset;
typedef enum gsolve_location { GSOLVE_HOST, GSOLVE_DEVICE } gsolve_location;
typedef enum gsolve_layout { GSOLVE_COLUMN_MAJOR, GSOLVE_ROW_MAJOR } gsolve_layout;

typedef struct gsolve_csr { /* compressed rows */
    int32_t nrows, ncols;
    const void *start;  /* nrows + 1 offsets, of type offset; the first is 0 */
    const int32_t *col; /* one per entry */
    const void *value;  /* one per entry, of type type */
    gsolve_offset offset;
    gsolve_type type;
    gsolve_location location;
} gsolve_csr;

typedef struct gsolve_dense { /* one column per right-hand side */
    int32_t nrows, ncols;
    int64_t stride; /* elements from one column to the next; by rows: from one row to the next */
    void *value;
    gsolve_type type;
    gsolve_location location;
    gsolve_layout layout; /* by columns but for products with a matrix, which take either */
} gsolve_dense;

/* The common case: square, double, 32-bit offsets, on the host. */
static inline gsolve_csr gsolve_csr_view(int32_t n, const int32_t *start, const int32_t *col,
                                         const double *value)
{
    gsolve_csr csr = {n, n, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    return csr;
}

/* n doubles on the host as one column. */
static inline gsolve_dense gsolve_vector(double *value, int32_t n)
{
    gsolve_dense v = {n, 1, n, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return v;
}

/* Number of entries of csr, which lies on the host: start[nrows]. */
static inline int64_t gsolve_csr_entries(const gsolve_csr *csr)
{
    return csr->offset == GSOLVE_O64 ? ((const int64_t *)csr->start)[csr->nrows]
                                     : (int64_t)((const int32_t *)csr->start)[csr->nrows];
}

/* --- matrices in arrays that the library owns --------------------------------- */

/* C = A' (columns ascending), and B = A with values of another type. Both in arrays that the
 * library owns until gsolve_csr_free, as are the results of gsolve_io.h. GSOLVE_BAD_MATRIX: as for
 * gsolve_matrix_create, or the other type cannot hold an entry: it would become infinite, or 0
 * though it is not. */
gsolve_status gsolve_csr_transpose(gsolve_csr *C, gsolve_context *ctx, const gsolve_csr *A);
gsolve_status gsolve_csr_convert(gsolve_csr *B, gsolve_context *ctx, gsolve_type type,
                                 const gsolve_csr *A);
void gsolve_csr_free(gsolve_csr *C, gsolve_context *ctx);

/* --- products of matrices ------------------------------------------------------ */

/* C = A B, m x k times k x n, of one type. spec: a method, see gsolve list; "auto" chooses by the
 * row lengths. A and B of any order within their rows, duplicates summed, both on the host or both
 * on the device; C lies where they do, columns ascending, in arrays that the library owns until
 * gsolve_csr_free. An entry of C is there if the patterns make it, whatever its value. The same
 * bits every time, but for "cusparse", whose bits may change from call to call. GSOLVE_BAD_MATRIX:
 * as for gsolve_matrix_create, or the shapes do not fit. GSOLVE_UNSUPPORTED: the method does not
 * run on ctx's device. GSOLVE_NO_MEMORY: the result itself does not fit. */
gsolve_status gsolve_csr_multiply(gsolve_csr *C, gsolve_context *ctx, const char *spec,
                                  const gsolve_csr *A, const gsolve_csr *B);

/* C = A B, kept to be made again from other values: the plan holds the patterns of A and B. */
typedef struct gsolve_product gsolve_product;

typedef struct gsolve_product_info {
    const char *method; /* that multiplies: "auto" names its choice */
    int32_t nrows, ncols;
    int64_t products, entries; /* of single numbers; of C */
    double compression;        /* products / entries; 0 where there are none */
    int bands;                 /* in which C was made */
    size_t bytes, peak;        /* held by the handle; at most beside A, B and C while it was made */
    double seconds;            /* that making it took, checks included */
    double update_seconds;     /* that the last update took; 0 before any */
} gsolve_product_info;

/* As gsolve_csr_multiply, which says what is refused. */
gsolve_status gsolve_product_create(gsolve_product **P, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *A, const gsolve_csr *B);
void gsolve_product_destroy(gsolve_product **P);

/* New values in the same patterns, in any order and with any duplicates; the bits are those of
 * a new product, but for "cusparse". GSOLVE_BAD_MATRIX: a pattern or type differs; C is as it was.
 * Where memory or the device fails, C's values are undefined until an update succeeds. */
gsolve_status gsolve_product_update(gsolve_product *P, const gsolve_csr *A, const gsolve_csr *B);

/* A view of C, where A and B were, valid until the next update or the end of P. */
gsolve_status gsolve_product_csr(gsolve_product *P, gsolve_csr *C);
void gsolve_product_describe(const gsolve_product *P, gsolve_product_info *info);

/* C = R A P (m x n, n x n, n x m), the coarse matrix of a Galerkin method; kept likewise. */
typedef struct gsolve_galerkin gsolve_galerkin;

/* R NULL: P', whose values then follow those of P. A is square, all are of one type and in one
 * place. */
gsolve_status gsolve_galerkin_create(gsolve_galerkin **G, gsolve_context *ctx, const char *spec,
                                     const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P);
void gsolve_galerkin_destroy(gsolve_galerkin **G);

/* New values, as for a product. R or P NULL: has those that it had, and must not be other than NULL
 * where R was NULL at first. */
gsolve_status gsolve_galerkin_update(gsolve_galerkin *G, const gsolve_csr *R, const gsolve_csr *A,
                                     const gsolve_csr *P);
gsolve_status gsolve_galerkin_csr(gsolve_galerkin *G, gsolve_csr *C);
/* products, bytes, peak: of both products, peak of the larger one, or of all where the method is
 * "at once", which auto takes where it can; entries: of C. */
void gsolve_galerkin_describe(const gsolve_galerkin *G, gsolve_product_info *info);

/* A matrix of dense blocks, stored as compressed rows of blocks. It is a type of its own, with no
 * gsolve_csr in it: a function that reads single numbers does not take it. */
typedef struct gsolve_blocked {
    int32_t nrows, ncols; /* in blocks */
    const void *start;    /* nrows + 1 offsets, of type offset, counted in blocks; the first is 0 */
    const int32_t *col;   /* the block column of each block */
    const void *value;    /* height x width numbers of type type for each block, row by row */
    gsolve_offset offset;
    gsolve_type type;
    gsolve_location location;
    int32_t height, width; /* of a block: 1 to 8 each */
} gsolve_blocked;

/* B = A in blocks of height x width: those in which A has an entry, other numbers of them being 0.
 * A of any order within its rows, duplicates summed; B lies where A does, columns ascending, in
 * arrays that the library owns until gsolve_blocked_free. GSOLVE_BAD_MATRIX: as for
 * gsolve_matrix_create, or A's rows or columns do not make whole blocks. */
gsolve_status gsolve_blocked_from_csr(gsolve_blocked *B, gsolve_context *ctx, int32_t height,
                                      int32_t width, const gsolve_csr *A);
/* A = B in ordinary rows: each number of a block is an entry, zeros too. */
gsolve_status gsolve_blocked_to_csr(gsolve_csr *A, gsolve_context *ctx, const gsolve_blocked *B);

/* C = A B as gsolve_csr_multiply, block by block: blocks r x s times s x t make r x t. The columns
 * of A and B must ascend strictly in every row. GSOLVE_UNSUPPORTED: spec's method knows no blocks;
 * esc and auto do. GSOLVE_BAD_MATRIX: malformed, or the shapes do not fit. */
gsolve_status gsolve_blocked_multiply(gsolve_blocked *C, gsolve_context *ctx, const char *spec,
                                      const gsolve_blocked *A, const gsolve_blocked *B);
void gsolve_blocked_free(gsolve_blocked *B, gsolve_context *ctx);

/* --- what a matrix looks like: serves info, the automatic choices and explain -- */

typedef struct gsolve_statistics {
    int32_t nrows, ncols;
    int64_t entries;
    bool symmetric_pattern, symmetric, skew; /* of the values to rounding; false if not square */
    int32_t empty_rows, first_empty_row;     /* row number, or -1 */
    int32_t empty_cols;
    int32_t zero_diagonals, first_zero_diagonal; /* stored zero or absent; row number, or -1 */
    int32_t negative_diagonals;
    int32_t shortest_row, longest_row, bandwidth; /* bandwidth: max |i - j| */
    int32_t block;         /* unknowns a node, found in the pattern; 1: none */
    int32_t dominant_rows; /* rows with |a_ii| >= sum |a_ij|, j != i */
    int32_t zero_sum_rows; /* rows whose entries sum to 0 to rounding: constants are near-null */
    int64_t positive_off;  /* off-diagonal entries above 0, and above what rounding leaves of a sum
                              that is 0: 1e-12 of the row's largest (1e-6 in GSOLVE_F32) */
    double mean_row, deviation_row; /* of the row lengths */
    double dominance, spread;       /* least |a_ii| / sum |a_ij|; largest / least nonzero |a_ii| */
    double mean_dominance;          /* mean over the rows of min(1, |a_ii| / sum |a_ij|) */
    double scaling;                 /* largest / least nonzero row maximum */
    double least, largest;          /* of the nonzero |a_ij| */
    int64_t length[32];             /* [0]: empty rows; [k]: rows of 2^(k-1) to 2^k - 1 entries */
} gsolve_statistics;

/* csr on the host (GSOLVE_UNSUPPORTED: on the device). About as costly as five products. */
gsolve_status gsolve_csr_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                    gsolve_statistics *traits);

/* --- matrix: built from CSR into a format ----------------------------------- */

typedef struct gsolve_matrix gsolve_matrix;

typedef struct gsolve_matrix_info {
    const char *format; /* its name */
    char form[64];      /* what multiplies now: of "auto" the format it has chosen so far, a spec */
    int32_t nrows, ncols;
    gsolve_type type;
    int64_t entries, stored; /* stored: with the padding */
    size_t bytes;            /* that one product reads and writes, x and y included */
    double build_seconds;
    double convert_seconds; /* spent since then on another form; not in build_seconds */
    uint64_t version;       /* 1, and one more with each update */
    int changes;            /* of the form, since the build */
    char note[200];         /* what the format chose ("5 blocks, 3 to 210 entries wide; ..."), or
                               what "auto" did and what that cost, or "" */
} gsolve_matrix_info;

/* spec: a format; "auto" begins as csr and changes its form when that pays, see
 * gsolve_matrix_adapt. csr of any order within its rows; duplicates are summed. Refused with
 * GSOLVE_BAD_MATRIX: decreasing offsets, a column out of range, a value that is nan or inf. The
 * matrix holds a copy of csr. GSOLVE_NO_MEMORY, before anything is moved: the copy and what the
 * format makes of it do not fit into the device's memory.
 * A csr on the device is checked and copied there. It comes to the host only if its columns do not
 * ascend strictly in every row, or when something asks for the rows that works there: "auto" of a
 * method, "direct", "refine" with type=f32, gsolve_solver_explain, A' where the format has no
 * product with it, gsolve_matrix_csr. */
gsolve_status gsolve_matrix_create(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                   const gsolve_csr *csr);

/* The same without a copy: csr's arrays, which the library must own in ctx (on the host or on the
 * device), become A's, and *csr is cleared. On failure the arrays remain the caller's. */
gsolve_status gsolve_matrix_create_owned(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                         gsolve_csr *csr);
void gsolve_matrix_destroy(gsolve_matrix **A);

/* New values in the same pattern; GSOLVE_BAD_MATRIX if the pattern differs from that given to
 * create (of which order and duplicates may be as they were there). Where memory or the device
 * fails, A's values are undefined until an update succeeds. */
gsolve_status gsolve_matrix_update(gsolve_matrix *A, const gsolve_csr *csr);

/* y = alpha A x + beta y, and with A'; y is not read where beta is 0. Vectors of A's type, on A's
 * device, where the call may return before the product is there, or on the host; x and y by columns
 * or by rows, each as it is. The products of many columns by rows are the fastest, see
 * docs/formats.md. */
gsolve_status gsolve_matrix_apply(const gsolve_matrix *A, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y);
gsolve_status gsolve_matrix_apply_transpose(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                            double beta, gsolve_dense y);

/* y = A x, and for each column c wy[c] = w_c'y_c and, unless yy is NULL, yy[c] = y_c'y_c, which lie
 * where x does. w has y's shape; for x'Ax it may be x. */
gsolve_status gsolve_matrix_apply_dot(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                                      gsolve_dense w, double *wy, double *yy);

/* --- products with operands that stay on the host ------------------------------- */

/* How a product with operands on the host is cut up; all zeros: as it is best. */
typedef struct gsolve_stream_options {
    size_t memory;   /* of the device, for what travels, in bytes; 0: what is free */
    int32_t columns; /* of a chunk; 0: as the memory allows, but eight chunks or more */
    bool in_turn;    /* copies and products one after the other, to compare with */
} gsolve_stream_options;

typedef struct gsolve_stream_info {
    int32_t columns, chunks; /* of a chunk; how many there were */
    int32_t bands;           /* of A in each; 1: A stayed */
    size_t bytes;            /* of the device's memory that held what travelled */
    double seconds;
} gsolve_stream_info;

/* y = alpha A x + beta y, of A's type, where x and y lie on the host and need not fit into the
 * memory of A's device: chunks of columns go there, are multiplied and come back at the same time.
 * Copies run at full speed where x's and y's pages are locked (cudaHostAlloc, cudaHostRegister),
 * else by way of pages that are. On the CPU, and where x or y is on the device, the plain product.
 * options and info may be NULL. GSOLVE_NO_MEMORY: not even a column fits. */
gsolve_status gsolve_matrix_stream(const gsolve_matrix *A, double alpha, gsolve_dense x,
                                   double beta, gsolve_dense y,
                                   const gsolve_stream_options *options, gsolve_stream_info *info);

/* The same with a matrix on the host that does not fit either: bands of its rows are brought and
 * made into that format one after the other, for each chunk of columns. */
gsolve_status gsolve_csr_stream(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                double alpha, gsolve_dense x, double beta, gsolve_dense y,
                                const gsolve_stream_options *options, gsolve_stream_info *info);

/* --- what a loop tells a matrix ------------------------------------------------- */

/* What is known of the products that a run (a solve, or any loop) makes with A. */
typedef struct gsolve_run_estimate {
    int64_t made;     /* by this run so far; 0 begins it */
    double remaining; /* that it is expected to make still; negative: nobody knows */
    double most;      /* that it can make still */
    int32_t columns;  /* of each */
    bool ended;       /* the run is over and took what it made */
} gsolve_run_estimate;

typedef struct gsolve_adaptation {
    bool changed; /* products are of another form from here on, with other bits */
    bool settled; /* it will not change again in this run */
} gsolve_adaptation;

/* Between two products: a format that can change its form ("auto") does so here, and only here, if
 * that pays for what is to come; it may take as long as many products. Solvers call it; so may a
 * loop of the caller's own. turn may be NULL. Too little memory for another form is no failure. */
gsolve_status gsolve_matrix_adapt(const gsolve_matrix *A, const gsolve_run_estimate *outlook,
                                  gsolve_adaptation *turn);

/* relative[c] = |b_c - A x_c| / |b_c| (the absolute norm where b_c = 0), on the host. Computed
 * in double precision from A's rows, not from its format; b and x of any type. */
gsolve_status gsolve_matrix_residual(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                     double *relative);

/* Bytes that a matrix made from csr, which lies on the host, would hold on ctx's device (on the
 * CPU: in all); nothing is built. GSOLVE_UNSUPPORTED: the format does not foretell it. */
gsolve_status gsolve_matrix_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   size_t *bytes);

/* A's rows: columns ascending, duplicates summed, offsets in 32 bits where they fit. A view on the
 * host, whatever the device, valid until A is destroyed. Where A was made from rows on the device,
 * they are fetched by the first such call; GSOLVE_NO_MEMORY: there is no room for them. */
gsolve_status gsolve_matrix_csr(const gsolve_matrix *A, gsolve_csr *csr);
/* The same where kernels of A's device read them. */
void gsolve_matrix_device_csr(const gsolve_matrix *A, gsolve_csr *csr);
void gsolve_matrix_describe(const gsolve_matrix *A, gsolve_matrix_info *info);

/* --- preconditioner --------------------------------------------------------- */

typedef struct gsolve_precond gsolve_precond;

typedef struct gsolve_precond_info {
    const char *kind; /* the one in use: "auto" names its choice */
    const char *spec; /* that names it with its options; valid until M is destroyed */
    int32_t n;
    size_t bytes; /* held */
    size_t moved; /* that one application reads and writes, r and z included */
    double setup_seconds;
    uint64_t version; /* 1, and one more with each update */
    char note[160];   /* what the set-up decided ("shift 0.004"), or "" */
} gsolve_precond_info;

/* spec: a kind, or "auto"; csr square, as for gsolve_matrix_create. The set-up is on the host,
 * where a csr on the device is fetched for the time of the call; that of amg is on the device. */
gsolve_status gsolve_precond_create(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                    const gsolve_csr *csr);
/* The same from the rows of A, which lie where the set-up works already. */
gsolve_status gsolve_precond_create_from(gsolve_precond **M, gsolve_context *ctx, const char *spec,
                                         const gsolve_matrix *A);
void gsolve_precond_destroy(gsolve_precond **M);

/* New values in the same pattern: keeps all structure. GSOLVE_BAD_MATRIX, GSOLVE_ZERO_PIVOT: M is
 * as it was. Where memory or the device fails, M is undefined until an update succeeds. */
gsolve_status gsolve_precond_update(gsolve_precond *M, const gsolve_csr *csr);
/* The same with the present values of A, after gsolve_matrix_update. */
gsolve_status gsolve_precond_update_from(gsolve_precond *M, const gsolve_matrix *A);

/* z = M^-1 r and z = M^-T r, for one or many columns of M's type; r and z do not overlap.
 * GSOLVE_UNSUPPORTED: this kind has no transpose. */
gsolve_status gsolve_precond_apply(const gsolve_precond *M, gsolve_dense r, gsolve_dense z);
gsolve_status gsolve_precond_apply_transpose(const gsolve_precond *M, gsolve_dense r,
                                             gsolve_dense z);

/* z = M^-1 r and rz[c] = r_c'z_c for each column c; rz in the memory of M's device. */
gsolve_status gsolve_precond_apply_dot(const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                                       double *rz);

/* The n reciprocals by which M multiplies if M is a diagonal, in M's type and on its device;
 * else NULL. */
const void *gsolve_precond_diagonal(const gsolve_precond *M);

/* For kinds that coarsen (amg): what smoothing hardly changes, so that coarse levels must represent
 * it, as the k columns of B (n x k, of any type and place). The constants of each unknown of a node
 * unless given. Sets M up anew, or at last if it waited for this (near_null=given).
 * GSOLVE_UNSUPPORTED: this kind knows no such vectors. On failure M is as it was. */
gsolve_status gsolve_precond_set_near_null(gsolve_precond *M, gsolve_dense B);

/* The same of an elastic body: its rigid motions, from the places of the nodes: one row each of 2
 * or 3 coordinates, with as many unknowns a node, one after the other. */
gsolve_status gsolve_precond_set_coordinates(gsolve_precond *M, gsolve_dense xyz);

/* A level of a preconditioner that has several; the finest is level 0. */
typedef struct gsolve_level_info {
    int32_t rows;
    int64_t entries;
    double mean_row;  /* entries a row */
    char format[64];  /* of its matrix, a spec */
    gsolve_type type; /* of its values */
    size_t bytes;     /* that a product with it moves */
} gsolve_level_info;

/* False, and *info untouched: M has no such level. */
bool gsolve_precond_level(const gsolve_precond *M, int index, gsolve_level_info *info);

/* Whether apply is not one fixed linear map, so that a flexible method is needed. */
bool gsolve_precond_is_variable(const gsolve_precond *M);

/* Tells M that a solve of so many columns with it begins, as solvers do and methods of a caller's
 * own may: amg's reuse=auto compares the applications of one solve with those of another. */
void gsolve_precond_begin_solve(const gsolve_precond *M, int32_t columns);
void gsolve_precond_describe(const gsolve_precond *M, gsolve_precond_info *info);

/* --- solver ----------------------------------------------------------------- */

typedef struct gsolve_solver gsolve_solver;

#define GSOLVE_OUTCOME_LIST(X)                                         \
    X(GSOLVE_CONVERGED, "converged")                                   \
    X(GSOLVE_ITERATION_LIMIT, "iteration limit")                       \
    X(GSOLVE_STAGNATED, "stagnated")                                   \
    X(GSOLVE_DIVERGED, "diverged")                                     \
    X(GSOLVE_BREAKDOWN, "breakdown")   /* an inner product vanished */ \
    X(GSOLVE_INDEFINITE, "indefinite") /* CG met a p with p'Ap <= 0 */ \
    X(GSOLVE_STOPPED, "stopped")       /* by the monitor */

typedef enum gsolve_outcome {
    GSOLVE_OUTCOME_LIST(GSOLVE_ENUM) GSOLVE_OUTCOME_COUNT
} gsolve_outcome;

/* "converged", "iteration limit", ... */
const char *gsolve_outcome_text(gsolve_outcome outcome);

typedef struct gsolve_result {
    gsolve_outcome outcome;   /* of the worst column */
    int iterations, products; /* products: times A or A' was applied */
    double residual; /* |b - Ax| / |b| of the x returned, from A's rows; of the worst column */
    double seconds, product_seconds, precond_seconds;
} gsolve_result;

/* Sees every residual (of the worst column), from iteration 0 on; returns false to stop. On a GPU
 * the iterations that are under way by then are still made, without being shown. */
typedef bool gsolve_monitor(int iteration, double residual, void *user);

/* spec: a method, or "auto". A must be square but for "direct", which solves in the least-squares
 * sense otherwise. GSOLVE_NO_MEMORY, before anything is set up: the work space does not fit into
 * the device's memory.
 *
 * M is NULL: a method that is named solves without a preconditioner. "auto" chooses the method and
 * the preconditioner, as gsolve_auto_choose does, and takes the next choice where one cannot be set
 * up. The solver owns that preconditioner. When A has new values (gsolve_matrix_update), the next
 * run updates it first, and fails as gsolve_precond_update does where that fails. The choice stays.
 * M is not NULL: the caller owns M and updates it. M outlives S. "auto" chooses a method that uses
 * M, and none but "direct" where A is not square. With an M of the kind "none", "auto" chooses a
 * method and solves without a preconditioner.
 * gsolve_solver_note says what "auto" chose and why. */
gsolve_status gsolve_solver_create(gsolve_solver **S, gsolve_context *ctx, const char *spec,
                                   const gsolve_matrix *A, const gsolve_precond *M);
void gsolve_solver_destroy(gsolve_solver **S);
void gsolve_solver_set_monitor(gsolve_solver *S, gsolve_monitor *monitor, void *user);

/* x is the first guess on entry and the solution on return. Where the outcome is not
 * GSOLVE_CONVERGED, it is the best x that is known: the first guess, an iterate that the run kept,
 * or the last one, whichever has the smallest residual. b and x of any type, as many columns as
 * wished; they must not share memory (GSOLVE_BAD_ARGUMENT). Converged means: |b - Ax| <=
 * max(rtol |b|, atol) in every column, computed in double precision from the caller's A, b and x
 * (docs/outcomes.md). Allocates nothing unless it has more columns than any run before, A's format
 * ("auto") takes up a form, a preconditioner that the method "auto" made is updated, b or x is not
 * of A's type, or numbers are so large or small that they have to be scaled. Where it fails
 * on the way, *result is untouched; x is as it was, or an iterate. */
gsolve_status gsolve_solver_run(gsolve_solver *S, gsolve_dense b, gsolve_dense x,
                                gsolve_result *result);

/* The result of one column of the last run. */
gsolve_status gsolve_solver_column(const gsolve_solver *S, int32_t column, gsolve_result *result);

/* Why the last run ended as it did, and what to try next, in a sentence or two. Valid until
 * the next run. Looks at the matrix, so it may take as long as gsolve_csr_statistics. */
const char *gsolve_solver_explain(gsolve_solver *S);

/* What the method has to say of the last run ("42 inner iterations of cg in single precision."),
 * and what "auto" chose ("auto chose cg + ic: symmetric with a positive diagonal."), which it says
 * before the first run too; or "". Valid until the next run; gsolve_solver_explain ends with it. */
const char *gsolve_solver_note(const gsolve_solver *S);

/* The method in use: "auto" names its choice. */
const char *gsolve_solver_name(const gsolve_solver *S);

/* Bytes of work space that a solver of this spec would hold on ctx's device (on the CPU: in all)
 * for so many right-hand sides and a matrix of csr's shape and type; nothing is allocated. (For
 * bicg the matrix comes to hold A' as well, and on a GPU cg and bicgstab a copy of a matrix that
 * fits on the chip, of up to 30 MB. For "auto" the preconditioner that it makes is not counted.)
 * Fails as gsolve_solver_create does. GSOLVE_UNSUPPORTED: it depends on more than that (refine,
 * direct). */
gsolve_status gsolve_solver_memory(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                                   int32_t columns, size_t *bytes);

/* --- where the time of a run goes ---------------------------------------------- */

/* All calls of one class of operations, such as "product + dot", in the iterations of a run. bytes:
 * what they have to move, each array read once and each written once; 0 where it is but numbers. */
typedef struct gsolve_profile_class {
    const char *name;
    int64_t calls;
    double bytes, seconds; /* seconds: from begin to end, on the device */
} gsolve_profile_class;

/* The iterations of the last run, without its start and its final check. One is timed over the
 * later ones, if there are enough: a GPU's first are still being recorded. */
typedef struct gsolve_profile {
    int iterations;
    double seconds, iteration_seconds; /* of all; of one */
    int64_t copies;                    /* from the device to the host, made during all of them */
    double iteration_bytes;            /* of one; 0 but for a run with a profile */
    double class_seconds;              /* of all classes; likewise */
} gsolve_profile;

/* Whether later runs keep a profile (at first: no). On a GPU its steps are then not recorded as
 * graphs, so that each operation can be timed, and a run takes longer; its bits are the same. A run
 * that keeps a profile may allocate. */
gsolve_status gsolve_solver_profile(gsolve_solver *S, bool on);
void gsolve_solver_get_profile(const gsolve_solver *S, gsolve_profile *profile);

/* The index-th class of which there were calls in the last run with a profile. False: there is no
 * such class. */
bool gsolve_solver_profile_at(const gsolve_solver *S, int index, gsolve_profile_class *line);

/* --- the automatic choice ----------------------------------------------------- */

typedef struct gsolve_choice {
    char solver[64], precond[64]; /* specs */
    char why[200];                /* one sentence */
} gsolve_choice;

/* What "auto" does with a matrix of these traits on ctx's device, which decides whether times are
 * forecast for a CPU or for a GPU: attempt 0 is the first choice, the later ones what to fall back
 * on when it fails. traits: of gsolve_csr_statistics. False, and *choice untouched: there is no
 * such attempt, or ctx is NULL. */
bool gsolve_auto_choose(const gsolve_context *ctx, const gsolve_statistics *traits, int attempt,
                        gsolve_choice *choice);

/* Whether a failure of a set-up with this status depends on the matrix, so that the next choice may
 * succeed: GSOLVE_ZERO_PIVOT, GSOLVE_UNSUPPORTED or GSOLVE_NO_MEMORY. */
bool gsolve_auto_may_fall_back(gsolve_status status);

typedef struct gsolve_attempt { /* what a gsolve_attempt_function reports */
    gsolve_status status;
    gsolve_result result; /* if status is GSOLVE_OK */
    bool last;            /* no other attempt is to follow */
} gsolve_attempt;

/* Solves with choice `index`, from the first guess in x, and sets *attempt. False: there is no such
 * choice. */
typedef bool gsolve_attempt_function(int index, gsolve_dense x, gsolve_attempt *attempt,
                                     void *user);

/* The fall-back loop of gsolve_solve: calls `function` with index 0, 1, 2, ..., each time with the
 * same first guess, until an attempt converges, is the last, or fails with a status that allows no
 * other. Then x and *result are those of the best attempt: one that converged, or else the one of
 * the smallest residual; *best is its index. Where no attempt has a result x is the first guess,
 * *best is -1, and the status is that of the last failure. */
gsolve_status gsolve_auto_attempts(gsolve_context *ctx, gsolve_dense x,
                                   gsolve_attempt_function *function, void *user,
                                   gsolve_result *result, int *best);

/* The whole in one call: examine, choose, set up, solve, fall back, release. To rtol 1e-8.
 * log, if not NULL, receives one line for each attempt. */
typedef void gsolve_log(const char *line, void *user);
gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                           gsolve_dense x, gsolve_result *result);
gsolve_status gsolve_solve_logged(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                                  gsolve_dense x, gsolve_result *result, gsolve_log *log,
                                  void *user);

#ifdef __cplusplus
}
#endif
#endif
