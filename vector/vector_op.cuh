// vector_op.cuh: what the vector operations on a GPU share.
//
// An operation is a struct with a function at<W>(i, sum) that processes the W elements from i on
// and adds to the thread's sums. each<T>(q, n, aligned, op, name) applies it to all n elements. The
// .cu file that includes the operations defines each(): vector_cuda.cu launches a kernel;
// batch_cuda.cu stores the operation and launches it together with those of other columns.
#ifndef GS_VECTOR_VECTOR_OP_CUH
#define GS_VECTOR_VECTOR_OP_CUH

#include "vector/each.cuh"

extern "C" {
#include "vector/vector.h"
}

namespace
{

template <class T, class Op>
gsolve_status each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name);

#define SMALL __device__
#include "vector/convergence_body.h"
#include "vector/norm_body.h"

// Returns the value of r. If it is not finite, or has the wrong sign, it returns 0 and one thread
// sets r's flag.
__device__ double value_of(const gs_ratio &r)
{
    const double num = r.num ? *r.num : 1, den = r.den ? *r.den : 1;
    const double num2 = r.num2 ? *r.num2 : 1, den2 = r.den2 ? *r.den2 : 1;
    const double value = r.sign * (num / den) * (num2 / den2);

    if (isfinite(value) && !(r.positive && (den < 0 || num < 0))) return value;
    if (r.flag && blockIdx.x == 0 && threadIdx.x == 0 && !*r.flag) *r.flag = r.flaw;
    return 0;
}

} // namespace

#endif
