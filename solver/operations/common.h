/* common.h: what all operations of operations.h have in common: they skip columns that have
 * ended, batch the kernels of several columns, and are spans of the profile. */
#ifndef GS_SOLVER_OPERATIONS_COMMON_H
#define GS_SOLVER_OPERATIONS_COMMON_H

#include "solver/operations/operations.h"
#include "solver/run/run.h"

/* Whether operations act on the first k->wide columns, also on those that have ended, as products
 * do: k->skip is the array of zeros of run/null_space.c. */
static inline bool gs_op_takes_all(const gs_krylov *k)
{
    return k->skip && k->skip == k->run->projection.none;
}

/* For the profile: the next operation moves `bytes` bytes in each active column. */
void gs_op_expect(gs_krylov *k, gs_class class, double bytes);
/* Bytes of a column of v. */
static inline double gs_op_bytes(gsolve_dense v)
{
    return (double)v.nrows * (double)gs_type_size(v.type);
}
/* Vectors that y = a x + ... reads for a x: 0 or 1. */
static inline int gs_op_reads(gs_coefficient a)
{
    return a.num || a.den || a.sign != 0;
}

/* An operation on all columns at once, until gs_end_block: does nothing once all columns have
 * ended. Returns the time. */
double gs_op_begin_all(gs_krylov *k);
/* From here on kernels run whether columns have ended or not. */
void gs_op_unguard(gs_krylov *k);

/* An operation on each column. The queue that is returned runs each kernel at once, or, if it
 * batches them, all of them in gs_op_end_each. */
gs_queue *gs_op_begin_each(gs_krylov *k);
gsolve_status gs_op_end_each(gs_krylov *k, gs_queue *q, gsolve_status status);

/* The sums that an operation computes: in each column `count` numbers, those of column c at
 * first + c * stride. first NULL: none. */
typedef struct gs_op_sum {
    double *first;
    int64_t stride;
    int count;
} gs_op_sum;

enum { GS_OP_SUMS = 3 };
typedef struct gs_op_sums {
    gs_op_sum sum[GS_OP_SUMS];
} gs_op_sums;

/* gs_op_end_each of an operation that computes sums. Over several ranks it adds them. */
gsolve_status gs_op_end_sums(gs_krylov *k, gs_queue *q, gsolve_status status,
                             const gs_op_sums *sums);
/* Over several ranks: the convergence test of a step by k->rr, which a kernel could not make since
 * it knew the sum of this rank only. On one rank it does nothing. */
gsolve_status gs_op_test_ranks(gs_krylov *k);
/* Whether a kernel for column c must be launched on q; sets the guard of that kernel. If the column
 * has ended and the host has not read that yet, the kernel itself does nothing. */
bool gs_op_takes_column(gs_krylov *k, gs_queue *q, int32_t c);
/* The vector kernels of this type that q runs. */
const gs_vector_kernels *gs_op_kernels(const gs_krylov *k, const gs_queue *q, gsolve_type type);
/* The coefficient a in column c. */
gs_ratio gs_op_ratio(gs_krylov *k, gs_coefficient a, int32_t c);

/* products.c: z = M^-1 r, rz = r'z; always: even if the column has ended. */
gsolve_status gs_op_precondition_dot(gs_krylov *k, gsolve_dense r, gsolve_dense z, gs_scalar rz,
                                     bool always);

/* projection.c: v = v - N N'v, as products do also in columns that have ended. */
gsolve_status gs_op_project(gs_krylov *k, const gs_null_space *N, gsolve_dense v);
/* norm.c: with norm=preconditioned, the convergence test of a step with rz = r'M^-1 r. */
gsolve_status gs_op_test_norm(gs_krylov *k, gs_scalar rz);

/* The body of an operation: runs the kernel `call` of `vector`, on `queue`, for each active column
 * c. gs_op_expect comes before it. */
#define GS_EACH_COLUMN(type, call)                                   \
    gsolve_status status = GSOLVE_OK;                                \
    gs_queue *queue = gs_op_begin_each(k);                           \
    const gs_vector_kernels *vector = gs_op_kernels(k, queue, type); \
    for (int32_t c = 0; c < k->ncols && status == GSOLVE_OK; c++) {  \
        if (gs_op_takes_column(k, queue, c)) status = (call);        \
    }                                                                \
    return gs_op_end_each(k, queue, status)

/* GS_EACH_COLUMN for kernels that compute sums; ...: the members of gs_op_sums. */
#define GS_EACH_COLUMN_AND_SUM(type, call, ...)                      \
    gsolve_status status = GSOLVE_OK;                                \
    gs_queue *queue = gs_op_begin_each(k);                           \
    const gs_vector_kernels *vector = gs_op_kernels(k, queue, type); \
    for (int32_t c = 0; c < k->ncols && status == GSOLVE_OK; c++) {  \
        if (gs_op_takes_column(k, queue, c)) status = (call);        \
    }                                                                \
    return gs_op_end_sums(k, queue, status, &(gs_op_sums){{__VA_ARGS__}})

#define GS_AT(v)    (gs_operand_column(k, v, c).value) /* column c of v */
#define GS_RATIO(a) gs_op_ratio(k, a, c)

#endif
