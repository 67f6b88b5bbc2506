// vector_ops.cuh: the table of the vector kernels on a GPU for one value type.
#include "vector/basis_ops.cuh"
#include "vector/blas_ops.cuh"
#include "vector/step_ops.cuh"

namespace
{

template <class T>
constexpr gs_vector_kernels table = {
    zero<T>,           copy<T>,     scale<T>,     dot<T>,           dot2<T>,
    axpby<T>,          axpbypcz<T>, axpy_norm<T>, residual_step<T>, solution_step<T>,
    direction_step<T>, dots<T>,     combine<T>,   pipe_step<T>};

} // namespace
