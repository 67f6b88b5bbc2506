// segmented_finish_cuda.cu: the cut rows on a GPU, from the sums of their segments.
//
// finish=host: the sums of segments are copied to the host, one thread adds them as in the paper,
// and the sums of rows are copied back. The stream calls a host function for this, so that all of
// it can be recorded in a CUDA graph.
#include "core/pdl.cuh"
#include "spmv/segmented/segmented_product.cuh"

using namespace gs_segments;

struct gs_segmented_host_sums { // on the host, page-locked; begin is a copy of gs_segmented.begin
    void *partial, *sum;
    int32_t *begin, many;
    void *row_sum; // many, on the device
    bool locked[2];
};

namespace
{

// A group of `lanes` threads adds the segments of one cut row: thread l adds segments l, l + lanes,
// ..., and shuffles add the threads' sums.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    add_rows(product<T> a, int32_t many, const int32_t *row, const int32_t *begin, int lanes,
             gs_guard guard)
{
    const int64_t m = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / lanes;
    const int lane = (int)threadIdx.x % lanes;
    T sum = 0;

    if (guard.has_ended()) return;
    const int32_t end = m < many ? begin[m + 1] : 0;
    const int32_t i = m < many ? row[m] : 0;
#pragma unroll 8
    for (int32_t k = m < many ? begin[m] + lane : 0; k < end; k += lanes) sum += a.partial[k];
    sum = lanes_sum(sum, lanes);
    if (m < many && lane == 0) finish(a, i, sum);
}

// Writes the cut rows of y from their sums, which the host has computed. A thread writes one row.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    put_rows(product<T> a, int32_t many, const int32_t *row, const T *sum, gs_guard guard)
{
    const int64_t m = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (guard.has_ended()) return;
    if (m < many) finish(a, row[m], sum[m]);
}

// The host function: sum[m] = the sum of the segments of cut row m, in their order.
template <class T>
void CUDART_CB add_on_host(void *given)
{
    const gs_segmented_host_sums *sums = (const gs_segmented_host_sums *)given;

    for (int32_t m = 0; m < sums->many; m++) {
        T sum = 0;
        for (int32_t k = sums->begin[m]; k < sums->begin[m + 1]; k++)
            sum += ((T *)sums->partial)[k];
        ((T *)sums->sum)[m] = sum;
    }
}

template <class T>
gsolve_status finish_on_host(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    gs_segmented_host_sums *sums = s->host_sums;
    const char *what = "adding sums on the host";
    gsolve_status status;

    TRY(gs_cuda(q,
                cudaMemcpyAsync(sums->partial, s->partial, (size_t)s->partials * sizeof(T),
                                cudaMemcpyDeviceToHost, q->stream),
                what));
    TRY(gs_cuda(q, cudaLaunchHostFunc(q->stream, add_on_host<T>, sums), what));
    TRY(gs_cuda(q,
                cudaMemcpyAsync(sums->row_sum, sums->sum, (size_t)s->many * sizeof(T),
                                cudaMemcpyHostToDevice, q->stream),
                what));
    TRY(gs_launch_pdl(q, what, put_rows<T>, blocks_for(s->many), gs_block_size, a, s->many, s->row,
                      (const T *)sums->row_sum));
done:
    return status;
}

// Allocates `count` values on the host, page-locked.
template <class T>
gsolve_status lock_pages(gsolve_context *ctx, int64_t count, void **block, bool *locked)
{
    const size_t bytes = (size_t)count * sizeof(T);

    *block = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count, sizeof(T));
    if (!*block) return GSOLVE_NO_MEMORY;
    const cudaError_t code = cudaHostRegister(*block, bytes, cudaHostRegisterDefault);
    *locked = code == cudaSuccess;
    return gs_cuda(ctx->queue, code, "page-locking memory for sums");
}

} // namespace

template <class T>
gsolve_status gs_segments::finish_rows(gs_queue *q, const gs_segmented *s, const product<T> &a)
{
    const int lanes = s->partials / 24 >= s->many ? 32 : 8;

    if (s->many == 0) return GSOLVE_OK;
    if (s->host_sums) return finish_on_host(q, s, a);
    return gs_launch_pdl(q, "the sums of cut rows", add_rows<T>,
                         blocks_for((int64_t)s->many * lanes), gs_block_size, a, s->many, s->row,
                         s->begin, lanes);
}

// --- memory for finish=host -------------------------------------------------------------------

void gs_segments::drop(gs_segmented *s, gsolve_context *ctx)
{
    gs_segmented_host_sums *sums = s->host_sums;

    if (!sums) return;
    cudaStreamSynchronize(ctx->queue->stream); // the host function may still be running
    if (sums->locked[0]) cudaHostUnregister(sums->partial);
    if (sums->locked[1]) cudaHostUnregister(sums->sum);
    gsolve_free(ctx, GSOLVE_HOST, sums->partial);
    gsolve_free(ctx, GSOLVE_HOST, sums->sum);
    gsolve_free(ctx, GSOLVE_HOST, sums->begin);
    gsolve_free(ctx, GSOLVE_DEVICE, sums->row_sum);
    gsolve_free(ctx, GSOLVE_HOST, sums);
}

template <class T>
gsolve_status gs_segments::prepare(gs_segmented *s, gsolve_context *ctx)
{
    gs_segmented_host_sums *sums = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (s->chosen.finish != GS_FINISH_HOST || s->many == 0) return status;
    sums = (gs_segmented_host_sums *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *sums);
    if (!sums) return GSOLVE_NO_MEMORY;
    *sums = gs_segmented_host_sums();
    s->host_sums = sums; // destroy releases it
    sums->many = s->many;
    TRY(lock_pages<T>(ctx, s->partials, &sums->partial, &sums->locked[0]));
    TRY(lock_pages<T>(ctx, s->many, &sums->sum, &sums->locked[1]));
    sums->begin = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)s->many + 1, sizeof(int32_t));
    TRY(sums->begin ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    sums->row_sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->many, sizeof(T));
    TRY(sums->row_sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, sums->begin, GSOLVE_HOST, s->begin, GSOLVE_DEVICE,
                    ((size_t)s->many + 1) * sizeof(int32_t)));
done:
    return status;
}

template gsolve_status gs_segments::finish_rows(gs_queue *, const gs_segmented *,
                                                const product<float> &);
template gsolve_status gs_segments::finish_rows(gs_queue *, const gs_segmented *,
                                                const product<double> &);
template gsolve_status gs_segments::prepare<float>(gs_segmented *, gsolve_context *);
template gsolve_status gs_segments::prepare<double>(gs_segmented *, gsolve_context *);
