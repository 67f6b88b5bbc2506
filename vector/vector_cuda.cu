// vector_cuda.cu: the vector kernels on a GPU, one launch per column.
#include "vector/vector_ops.cuh"

namespace
{

template <class T, class Op>
gsolve_status each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name)
{
    return gs_each<T>(q, n, aligned, op, name);
}

} // namespace

extern "C" const gs_vector_kernels gs_vector_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                        table<double>};
