// numbers_cuda.cu: the numbers that ranks add, from where kernels of a GPU wrote them to an array
// that the host reads, and the totals back. One block; a warp copies a part. It moves some 10 to
// 4000 bytes.
#include "core/pdl.cuh"

extern "C" {
#include "dist/comm.h"
}

namespace
{

struct parts_of {
    double *at[GS_COMM_PARTS];
    const int *guard[GS_COMM_PARTS]; // see gs_numbers
    int first[GS_COMM_PARTS + 1];    // of each part in the array of all
    int count;

    parts_of(const gs_numbers *part, int parts) : count(parts)
    {
        first[0] = 0;
        for (int p = 0; p < parts; p++) {
            at[p] = part[p].at;
            guard[p] = part[p].guard;
            first[p + 1] = first[p] + part[p].count;
        }
    }
};

constexpr int warps = gs_block_size / 32;

__global__ void collect_kernel(const __grid_constant__ parts_of parts, double *all)
{
    gs_wait();
    for (int p = (int)threadIdx.x / 32; p < parts.count; p += warps) {
        const int first = parts.first[p], count = parts.first[p + 1] - first;
        for (int i = (int)threadIdx.x % 32; i < count; i += 32) all[first + i] = parts.at[p][i];
    }
}

// `all` is memory of the host, which the host wrote before the launch.
__global__ void deliver_kernel(const __grid_constant__ parts_of parts, const double *all,
                               gs_guard guard)
{
    if (guard.has_ended()) return;
    for (int p = (int)threadIdx.x / 32; p < parts.count; p += warps) {
        const int first = parts.first[p], count = parts.first[p + 1] - first;
        if (parts.guard[p] && *parts.guard[p] >= GS_ENDS) continue;
        for (int i = (int)threadIdx.x % 32; i < count; i += 32) parts.at[p][i] = all[first + i];
    }
}

gsolve_status collect(gs_queue *q, const gs_numbers *part, int parts, double *all)
{
    return gs_launch_pdl_with(q, "collecting the sums of a rank", collect_kernel, dim3(1),
                              gs_block_size, 0, parts_of(part, parts), all);
}

gsolve_status deliver(gs_queue *q, const gs_numbers *part, int parts, const double *all)
{
    return gs_launch_pdl(q, "storing the sums of all ranks", deliver_kernel, 1, gs_block_size,
                         parts_of(part, parts), all);
}

} // namespace

extern "C" const gs_numbers_kernels gs_numbers_cuda = {collect, deliver};
