// resident_steps.cu: the steps of cg.c and bicgstab.c in one kernel each, see resident.h.
// Names are those of the methods' files.
#include "solver/resident/resident.cuh"

namespace
{

#define SMALL __device__
#include "vector/convergence_body.h"

// --- the convergence test ---------------------------------------------------------------------

// The progress of the column. Every block keeps a copy; the first block writes the history.
struct course {
    gs_progress *progress; // in shared memory
    int flag;              // a flaw that was found, in every thread
};

__device__ course begin_course(const gs_convergence_test &test)
{
    __shared__ gs_progress progress;

    if (threadIdx.x == 0) progress = test.progress[test.c];
    __syncthreads();
    return {&progress, test.flag[test.c]};
}

// Tests convergence with |r|^2 = rr; returns whether the column is still active.
__device__ bool goes_on(const course &now, const gs_convergence_test &test, double rr)
{
    if (threadIdx.x == 0) {
        test_progress(now.progress, rr, now.flag, 1);
        if (blockIdx.x == 0) record_residual(&test, now.progress);
    }
    __syncthreads();
    return now.progress->outcome < 0;
}

// The kernel ends after j steps: the first thread of the grid writes the scalars and the progress.
__device__ void end_course(const course &now, const gs_resident_run &run, int j, double rho,
                           double rr)
{
    const gs_convergence_test &test = run.convergence;

    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    *run.rho[j % 2] = rho;
    *run.rr = rr;
    test.progress[test.c] = *now.progress;
    test.flag[test.c] = now.flag;
    test.ended[test.c] = now.progress->outcome >= 0 ? GS_ENDED : GS_GOES_ON;
}

// --- scalars and vectors ----------------------------------------------------------------------

// value; 0 and a flag if it is not finite or `right` is false.
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

// mine = M^-1 in the rows of this thread; 1 without M.
template <class T, int R>
__device__ void read_diagonal(const gs_part<T, R> &A, const void *d, T (&mine)[R])
{
    if (d) gs_part_read(A, d, mine);
#pragma unroll
    for (int i = 0; i < R && !d; i++) mine[i] = 1;
}

// sum += u'v in the rows of this thread.
template <class T, int R>
__device__ void add_dot(const T (&u)[R], const T (&v)[R], double &sum)
{
#pragma unroll
    for (int i = 0; i < R; i++) sum += (double)u[i] * (double)v[i];
}

// First half of a BiCGStab step: r = s = r - alpha v, t = s^ = M^-1 s, x += alpha p^.
template <class T, int R>
__device__ void first_half(T alpha, const T (&d)[R], const T (&p)[R], const T (&v)[R], T (&x)[R],
                           T (&r)[R], T (&t)[R])
{
#pragma unroll
    for (int i = 0; i < R; i++) {
        r[i] -= alpha * v[i];
        t[i] = d[i] * r[i];
        x[i] += alpha * (d[i] * p[i]);
    }
}

// Second half: x += omega s^, r = s - omega t.
template <class T, int R>
__device__ void second_half(T omega, const T (&d)[R], const T (&t)[R], T (&x)[R], T (&r)[R])
{
#pragma unroll
    for (int i = 0; i < R; i++) {
        x[i] += omega * (d[i] * r[i]);
        r[i] -= omega * t[i];
    }
}

// --- the steps --------------------------------------------------------------------------------

// Both kernels: the grid is one cooperative launch of plan.blocks blocks. A block owns the rows
// first[b] to first[b + 1] and their part of A, in shared memory. A warp sums its rows with
// `lanes` threads each. A thread keeps the elements of all vectors in up to R rows in registers.
// Only the vector that A multiplies passes through global memory; the next meeting makes it visible
// to all blocks. Invariant: every block computes the same scalars from the same sums, so that all
// blocks leave the loop after the same step.
template <class T, int R>
__global__ void __launch_bounds__(gs_resident_threads, 1)
    cg_steps(gs_resident plan, gs_resident_run run, gs_resident_vectors v)
{
    gs_meeting all = {plan.slot, plan.blocks, 0};
    T x[R], r[R], p[R], q[R], d[R];

    if (run.convergence.ended[run.convergence.c]) return;
    course now = begin_course(run.convergence);
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
        add_dot(p, q, pq[0]);
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
        const bool on = goes_on(now, run.convergence, rr);
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
    end_course(now, run, j, rho, rr);
}

template <class T, int R>
__global__ void __launch_bounds__(gs_resident_threads, 1)
    bicgstab_steps(gs_resident plan, gs_resident_run run, gs_resident_vectors o)
{
    gs_meeting all = {plan.slot, plan.blocks, 0};
    T x[R], r[R], shadow[R], p[R], v[R], t[R], d[R];

    if (run.convergence.ended[run.convergence.c]) return;
    course now = begin_course(run.convergence);
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
        add_dot(shadow, v, rv[0]);
        gs_meet(rv, all);
        const T alpha = (T)quotient(rho, rv[0], now);
        first_half(alpha, d, p, v, x, r, t);
        gs_part_write(A, t, o.sh);
        gs_meet(none, all);
        gs_part_multiply(A, (const T *)o.sh, t); // t = A s^
        add_dot(t, r, sums[0]);
        add_dot(t, t, sums[1]);
        gs_meet(sums, all);
        const double inverse = sums[1] / sums[0]; // 1 / omega
        const T omega = (T)quotient(sums[0], sums[1], now);
        sums[0] = sums[1] = 0;
        second_half(omega, d, t, x, r);
        add_dot(r, r, sums[0]);
        add_dot(r, shadow, sums[1]);
        gs_meet(sums, all);
        rr = sums[0], j++;
        const bool on = goes_on(now, run.convergence, rr);
        const T back = (T)quotient(sums[1], rv[0], now); // beta omega
        // (next / rho) (alpha / omega)
        const T beta = (T)checked(sums[1] / rv[0] * inverse, true, GSOLVE_BREAKDOWN, now);
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
    end_course(now, run, j, rho, rr);
}

// --- launches ---------------------------------------------------------------------------------

// Launches all blocks at once, with empty slots for the first meeting.
gsolve_status launch(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                     void (*kernel)(gs_resident, gs_resident_run, gs_resident_vectors),
                     gs_resident_vectors vectors)
{
    gs_resident p = *plan;
    gs_resident_run r = *run;
    void *arguments[] = {&p, &r, &vectors};
    const size_t shared = gs_resident_bytes(plan),
                 slots = sizeof(double) * 3 * 2 * (size_t)p.blocks;
    cudaError_t code =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (code == cudaSuccess) code = cudaMemsetAsync(p.slot, 0xff, slots, q->stream);
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
                             const gs_resident_vectors *v)
{
    return launch(q, plan, run, PICK_TYPE(cg_steps, plan), *v);
}

gsolve_status gs_resident_bicgstab(gs_queue *q, const gs_resident *plan, const gs_resident_run *run,
                                   const gs_resident_vectors *v)
{
    return launch(q, plan, run, PICK_TYPE(bicgstab_steps, plan), *v);
}
