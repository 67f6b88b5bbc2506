// resident_steps.cu: the steps of cg.c and bicgstab.c in one kernel each, see resident.h. Names are
// those of the methods' files.
#include "solver/resident/resident.cuh"

namespace
{

#define SMALL __device__
#include "vector/convergence_body.h"

// --- what happens to the column ---------------------------------------------------------------

// The progress of the column, kept by every block alike; the first block tells of it.
struct course {
    gs_progress *progress; // in shared memory
    int flag;              // what was found, in every thread
};

__device__ course begin_course(const gs_convergence_test &judge)
{
    __shared__ gs_progress progress;

    if (threadIdx.x == 0) progress = judge.progress[judge.c];
    __syncthreads();
    return {&progress, judge.flag[judge.c]};
}

// Whether the column goes on.
__device__ bool goes_on(const course &now, const gs_convergence_test &judge, double rr)
{
    if (threadIdx.x == 0) {
        test_progress(now.progress, rr, now.flag, 1);
        if (blockIdx.x == 0) record_residual(&judge, now.progress);
    }
    __syncthreads();
    return now.progress->outcome < 0;
}

__device__ void end_course(const course &now, const gs_convergence_test &judge)
{
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    judge.progress[judge.c] = *now.progress;
    judge.flag[judge.c] = now.flag;
    judge.ended[judge.c] = now.progress->outcome >= 0 ? GS_ENDED : GS_GOES_ON;
}

// value, or 0 and a flag where it is not a number.
__device__ double checked(double value, bool right, gsolve_outcome flaw, course &now)
{
    if (right && isfinite(value)) return value;
    if (!now.flag) now.flag = flaw;
    return 0;
}

__device__ double quotient(double num, double den, course &now)
{
    return checked(num / den, true, GSOLVE_BREAKDOWN, now);
}

__device__ double definite(double num, double den, course &now)
{
    return checked(num / den, !(num < 0 || den < 0), GSOLVE_INDEFINITE, now);
}

template <class T, int R>
__device__ void read_diagonal(const gs_part<T, R> &A, const void *d, T (&mine)[R])
{
    if (d) gs_part_read(A, d, mine);
#pragma unroll
    for (int i = 0; i < R && !d; i++) mine[i] = 1;
}

// --- the steps --------------------------------------------------------------------------------

struct cg_vectors {
    void *x, *r, *p;
};

template <class T, int R>
__global__ void __launch_bounds__(gs_resident_threads, 1)
    cg_steps(gs_resident plan, gs_resident_run run, cg_vectors v)
{
    gs_meeting all = {plan.slot, plan.blocks, 0};
    T x[R], r[R], p[R], q[R], d[R];

    if (run.judge.ended[run.judge.c]) return;
    course now = begin_course(run.judge);
    const gs_part<T, R> A = gs_part_load<T, R>(plan);
    double rho = *run.rho[0], rr = 0;
    int j = 0;
    gs_part_read(A, v.x, x);
    gs_part_read(A, v.r, r);
    gs_part_read(A, v.p, p);
    read_diagonal(A, run.d, d);
    while (j < run.steps) {
        double pq[1] = {0}, sums[2] = {0, 0}, none[1] = {0};
        gs_part_multiply(A, (const T *)v.p, q); // q = A p
#pragma unroll
        for (int i = 0; i < R; i++) pq[0] += (double)p[i] * (double)q[i];
        gs_meet(pq, all);
        const T alpha = (T)definite(rho, pq[0], now);
#pragma unroll
        for (int i = 0; i < R; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            sums[0] += (double)r[i] * (double)r[i];
            sums[1] += (double)r[i] * (double)r[i] * (double)d[i];
        }
        gs_meet(sums, all);
        rr = sums[0], j++;
        const bool on = goes_on(now, run.judge, rr);
        const T beta = (T)definite(sums[1], rho, now);
        rho = sums[1];
#pragma unroll
        for (int i = 0; i < R; i++) p[i] = d[i] * r[i] + beta * p[i];
        gs_part_write(A, p, v.p);
        if (!on) break;
        if (j < run.steps) gs_meet(none, all);
    }
    gs_part_write(A, x, v.x);
    gs_part_write(A, r, v.r);
    if (blockIdx.x == 0 && threadIdx.x == 0) *run.rho[j % 2] = rho, *run.rr = rr;
    end_course(now, run.judge);
}

struct bicgstab_vectors {
    void *x, *r, *p, *ph, *sh;
    const void *shadow;
};

template <class T, int R>
__global__ void __launch_bounds__(gs_resident_threads, 1)
    bicgstab_steps(gs_resident plan, gs_resident_run run, bicgstab_vectors o)
{
    gs_meeting all = {plan.slot, plan.blocks, 0};
    T x[R], r[R], shadow[R], p[R], v[R], t[R], d[R];

    if (run.judge.ended[run.judge.c]) return;
    course now = begin_course(run.judge);
    const gs_part<T, R> A = gs_part_load<T, R>(plan);
    double rho = *run.rho[0], rr = 0;
    int j = 0;
    gs_part_read(A, o.x, x);
    gs_part_read(A, o.r, r);
    gs_part_read(A, o.shadow, shadow);
    gs_part_read(A, o.p, p);
    read_diagonal(A, run.d, d);
    while (j < run.steps) {
        double rv[1] = {0}, sums[2] = {0, 0}, none[1] = {0};
        gs_part_multiply(A, (const T *)o.ph, v); // v = A p^
#pragma unroll
        for (int i = 0; i < R; i++) rv[0] += (double)shadow[i] * (double)v[i];
        gs_meet(rv, all);
        const T alpha = (T)quotient(rho, rv[0], now);
#pragma unroll
        for (int i = 0; i < R; i++) { // s = r - alpha v, s^ = M^-1 s, x += alpha p^
            r[i] -= alpha * v[i];
            t[i] = d[i] * r[i];
            x[i] += alpha * (d[i] * p[i]);
        }
        gs_part_write(A, t, o.sh);
        gs_meet(none, all);
        gs_part_multiply(A, (const T *)o.sh, t); // t = A s^
#pragma unroll
        for (int i = 0; i < R; i++) {
            sums[0] += (double)t[i] * (double)r[i];
            sums[1] += (double)t[i] * (double)t[i];
        }
        gs_meet(sums, all);
        const double turn = sums[1] / sums[0];
        const T omega = (T)quotient(sums[0], sums[1], now);
        sums[0] = sums[1] = 0;
#pragma unroll
        for (int i = 0; i < R; i++) {
            x[i] += omega * (d[i] * r[i]);
            r[i] -= omega * t[i];
            sums[0] += (double)r[i] * (double)r[i];
            sums[1] += (double)r[i] * (double)shadow[i];
        }
        gs_meet(sums, all);
        rr = sums[0], j++;
        const bool on = goes_on(now, run.judge, rr);
        const T back = (T)quotient(sums[1], rv[0], now); // beta omega
        // (next / rho) (alpha / omega)
        const T beta = (T)checked(sums[1] / rv[0] * turn, true, GSOLVE_BREAKDOWN, now);
        rho = sums[1];
        if (!on) break;
#pragma unroll
        for (int i = 0; i < R; i++) {
            p[i] = r[i] + beta * p[i] - back * v[i];
            t[i] = d[i] * p[i];
        }
        gs_part_write(A, t, o.ph);
        if (j < run.steps) gs_meet(none, all);
    }
    gs_part_write(A, x, o.x);
    gs_part_write(A, r, o.r);
    gs_part_write(A, p, o.p);
    if (blockIdx.x == 0 && threadIdx.x == 0) *run.rho[j % 2] = rho, *run.rr = rr;
    end_course(now, run.judge);
}

// --- launches ---------------------------------------------------------------------------------

// All blocks at once, with empty places to meet at.
template <class V>
gsolve_status launch(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                     void (*kernel)(gs_resident, gs_resident_run, V), V vectors)
{
    gs_resident p = *plan;
    gs_resident_run r = *run;
    void *arguments[] = {&p, &r, &vectors};
    const size_t shared = gs_resident_bytes(plan),
                 places = sizeof(double) * 3 * 2 * (size_t)p.blocks;
    cudaError_t code =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (code == cudaSuccess) code = cudaMemsetAsync(p.slot, 0xff, places, q->stream);
    if (code == cudaSuccess) {
        code = cudaLaunchCooperativeKernel((const void *)kernel, dim3((unsigned)p.blocks),
                                           dim3(gs_resident_threads), arguments, shared, q->stream);
    }
    return gs_cuda(q, code, "the steps of a resident system");
}

// The instance of a kernel for the plan.
#define PICK(kernel, T, passes) \
    ((passes) == 1 ? kernel<T, 1> : (passes) == 2 ? kernel<T, 2> : kernel<T, 4>)
#define PICK_TYPE(kernel, plan)                                       \
    ((plan)->type == GSOLVE_F32 ? PICK(kernel, float, (plan)->passes) \
                                : PICK(kernel, double, (plan)->passes))

} // namespace

gsolve_status gs_resident_cg(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                             void *x, void *r, void *p)
{
    return launch(q, plan, run, PICK_TYPE(cg_steps, plan), cg_vectors{x, r, p});
}

gsolve_status gs_resident_bicgstab(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                                   void *x, void *r, const void *shadow, void *p, void *ph,
                                   void *sh)
{
    return launch(q, plan, run, PICK_TYPE(bicgstab_steps, plan),
                  bicgstab_vectors{x, r, p, ph, sh, shadow});
}
