// steps_cuda.cu: the steps of steps.h on a GPU: one launch for each.
#include <utility>

#include "core/cuda.cuh"

#define SMALL static inline __device__
extern "C" {
#include "precond/amg/coarsening/steps.h"
}
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/classical/classical_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"

namespace
{

__device__ void do_step(gs_root_step step, const gs_root_search *s, int32_t I)
{
    gs_do_root_step(step, s, I);
}

__device__ void do_step(gs_pairing_step step, const gs_pairing *p, int32_t g)
{
    gs_do_pairing_step(step, p, g);
}

__device__ void do_step(gs_point_step step, const gs_point_arrays *p, int32_t i)
{
    gs_do_point_step(step, p, i);
}

// A thread owns every step-th item. No thread reads an element that another one writes in the same
// launch, or all decisions compare integers: the result does not depend on the order of the
// threads.
template <auto STEP, class Arrays>
__global__ void __launch_bounds__(gs_block_size) each_item(int64_t n, Arrays a)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        do_step(STEP, &a, (int32_t)i);
    }
}

// Launches the kernel of this step, one of those of STEPS.
template <class Step, class Arrays, int... STEPS>
gsolve_status launch(gs_queue *q, Step step, int64_t n, const Arrays *a,
                     std::integer_sequence<int, STEPS...>)
{
    static void (*const kernels[])(int64_t, Arrays) = {each_item<(Step)STEPS, Arrays>...};

    return gs_launch(q, "a step of coarsening", kernels[step], gs_grid(q, n), gs_block_size, n, *a);
}

gsolve_status root(gs_queue *q, gs_root_step step, int64_t n, const gs_root_search *s)
{
    return launch(q, step, n, s, std::make_integer_sequence<int, GS_ROOT_STEPS>());
}

gsolve_status pair(gs_queue *q, gs_pairing_step step, int64_t n, const gs_pairing *p)
{
    return launch(q, step, n, p, std::make_integer_sequence<int, GS_PAIRING_STEPS>());
}

gsolve_status point(gs_queue *q, gs_point_step step, int64_t n, const gs_point_arrays *p)
{
    return launch(q, step, n, p, std::make_integer_sequence<int, GS_POINT_STEPS>());
}

} // namespace

extern "C" const gs_step_kernels gs_step_cuda[GSOLVE_TYPE_COUNT] = {{root, pair, point},
                                                                    {root, pair, point}};
