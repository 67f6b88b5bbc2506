// triangular_solve_cuda.cu: triangular solves on a GPU: of one column by cuSPARSE, with one
// analysis per pattern, and of several columns by a kernel without launches or barriers between
// levels.
#include "core/cusparse.cuh"
#include "core/pdl.cuh"
#include "vector/each.cuh"

extern "C" {
#include "core/try.h"
#include "precond/incomplete/triangular_solve.h"
}

struct gs_vendor_triangle {
    gsolve_csr rows; // the rows of the strict triangle, on the device
    void *scaled,
        *solved; // n each: right-hand side and solution; cuSPARSE works on the vectors of its
                 // analysis only
    void *buffer;
    cusparseSpMatDescr_t T;
    cusparseSpSVDescr_t solve;
    gs_vendor_vectors vectors;
    int32_t *order;   // the rows sorted by levels; NULL until several columns are solved
    unsigned *ticket; // a counter on the device; NULL until several columns are solved
};

namespace
{

constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseSpSVAlg_t algorithm = CUSPARSE_SPSV_ALG_DEFAULT;

void destroy_vendor(gs_triangle *t, gsolve_context *ctx)
{
    gs_vendor_triangle *v = t->vendor;

    if (!v) return;
    if (v->solve) cusparseSpSV_destroyDescr(v->solve);
    if (v->T) cusparseDestroySpMat(v->T);
    gsolve_csr_free(&v->rows, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, v->scaled);
    gsolve_free(ctx, GSOLVE_DEVICE, v->solved);
    v->vectors.drop();
    gsolve_free(ctx, GSOLVE_DEVICE, v->buffer);
    gsolve_free(ctx, GSOLVE_DEVICE, v->order);
    gsolve_free(ctx, GSOLVE_DEVICE, v->ticket);
    gsolve_free(ctx, GSOLVE_HOST, v);
    t->vendor = nullptr;
}

// Copies S's rows to the device in the type of the solves; later calls copy the values only.
gsolve_status upload_rows(gs_vendor_triangle *v, gsolve_context *ctx, const gs_strict_triangle *S,
                          gsolve_type type)
{
    const gsolve_csr rows = {S->n,     S->n,       S->start,   S->col,
                             S->value, GSOLVE_O64, GSOLVE_F64, GSOLVE_HOST};
    gsolve_csr on_host = {};
    gsolve_status status;

    TRY(gs_csr_copy(&on_host, ctx, type, &rows)); // its offsets have 32 bits
    if (v->rows.start) {
        TRY(gsolve_copy(ctx, (void *)v->rows.value, GSOLVE_DEVICE, on_host.value, GSOLVE_HOST,
                        (size_t)S->start[S->n] * gs_type_size(type)));
    } else {
        TRY(gs_csr_move(&v->rows, ctx, GSOLVE_DEVICE, &on_host));
    }
done:
    gsolve_csr_free(&on_host, ctx);
    return status;
}

template <class T>
gsolve_status analyse_triangle(gs_vendor_triangle *v, gsolve_context *ctx, bool upper,
                               int64_t entries)
{
    const T one = 1;
    const cudaDataType type = gs_vendor_type<T>;
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t unit = CUSPARSE_DIAG_TYPE_UNIT;
    cusparseHandle_t handle;
    gs_vendor_vectors &o = v->vectors;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_vendor_handle(ctx, &handle));
    TRY(gs_vendor(ctx,
                  cusparseCreateCsr(&v->T, v->rows.nrows, v->rows.ncols, entries,
                                    (void *)v->rows.start, (void *)v->rows.col,
                                    (void *)v->rows.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, type),
                  "a triangle"));
    TRY(gs_vendor(ctx,
                  cusparseSpMatSetAttribute(v->T, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
                  "a triangle"));
    TRY(gs_vendor(ctx,
                  cusparseSpMatSetAttribute(v->T, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit),
                  "a triangle"));
    TRY(gs_vendor(ctx, cusparseSpSV_createDescr(&v->solve), "a triangle"));
    TRY(o.make(ctx, v->rows.nrows, v->scaled, v->rows.nrows, v->solved, type));
    TRY(gs_vendor(ctx,
                  cusparseSpSV_bufferSize(handle, plain, &one, v->T, o.x, o.y, type, algorithm,
                                          v->solve, &bytes),
                  "the buffer of a triangle"));
    v->buffer = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_vendor(ctx,
                  cusparseSpSV_analysis(handle, plain, &one, v->T, o.x, o.y, type, algorithm,
                                        v->solve, v->buffer),
                  "the analysis of a triangle"));
    TRY(gs_cuda(ctx->queue, cudaStreamSynchronize(ctx->queue->stream),
                "the analysis of a triangle"));
done:
    return status;
}

template <class T>
gsolve_status upload_triangle(gs_triangle *t, gsolve_context *ctx, const gs_strict_triangle *S)
{
    const int64_t entries = S->start[S->n];
    gs_vendor_triangle *v = t->vendor;
    const bool is_update = v; // the pattern and its analysis exist
    cusparseHandle_t handle;
    gsolve_status status;

    if (entries >= INT32_MAX) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "a triangular factor has 2^31 entries or more, which cuSPARSE cannot solve with");
    }
    if (is_update) {
        TRY(upload_rows(v, ctx, S, t->rows.type));
        if (!v->solve) return GSOLVE_OK;
        TRY(gs_vendor_handle(ctx, &handle));
        return gs_vendor(ctx,
                         cusparseSpSV_updateMatrix(handle, v->solve, (void *)v->rows.value,
                                                   CUSPARSE_SPSV_UPDATE_GENERAL),
                         "new values of a triangle");
    }
    v = (gs_vendor_triangle *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *v);
    if (!v) return GSOLVE_NO_MEMORY;
    *v = gs_vendor_triangle();
    t->vendor = v;
    TRY(upload_rows(v, ctx, S, t->rows.type));
    v->scaled = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)S->n, sizeof(T));
    v->solved = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)S->n, sizeof(T));
    TRY(v->scaled && v->solved ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    if (entries > 0) TRY(analyse_triangle<T>(v, ctx, t->upper, entries));
done:
    if (status != GSOLVE_OK && !is_update) destroy_vendor(t, ctx);
    return status;
}

// z = d * r if D, else z = r. A thread owns W neighbouring elements.
template <class T, bool D>
struct scale : gs_plain {
    const T *d, *r;
    T *z;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto R = gs_load<W>(r, i);
        if constexpr (D) {
            const auto M = gs_load<W>(d, i);
            for (int w = 0; w < W; w++) R.v[w] *= M.v[w];
        }
        gs_store<W>(z, i, R);
    }
};

// z = d * r, or z = r if d is NULL.
template <class T>
gsolve_status multiply(gs_queue *q, int64_t n, const void *d, const void *r, void *z)
{
    const bool aligned = gs_all_aligned(d, r, z);

    if (d) {
        return gs_each<T>(q, n, aligned, scale<T, true>{{}, (const T *)d, (const T *)r, (T *)z},
                          "a scaling");
    }
    return gs_each<T>(q, n, aligned, scale<T, false>{{}, nullptr, (const T *)r, (T *)z},
                      "a scaling");
}

template <class T>
gsolve_status solve_one(gs_queue *q, const gs_triangle *t, const void *d, const void *r, void *z)
{
    const gs_vendor_triangle *v = t->vendor;
    const int32_t n = v->rows.nrows;
    const T one = 1;
    gsolve_status status;

    if (!v->solve) return multiply<T>(q, n, d, r, z);
    TRY(multiply<T>(q, n, d, r, v->scaled));
    TRY(gs_vendor(q->ctx,
                  cusparseSpSV_solve(q->sparse, plain, &one, v->T, v->vectors.x, v->vectors.y,
                                     gs_vendor_type<T>, algorithm, v->solve),
                  "a triangular solve"));
    TRY(multiply<T>(q, n, nullptr, v->solved, z));
done:
    return status;
}

// --- several columns ----------------------------------------------------------------------------
//
// A warp owns a row for all columns, which are row-major. A subwarp has as many lanes as there are
// columns; each subwarp has a share of the row's entries. z is filled with a sentinel first. A lane
// that needs an element of z loads it again until it is not the sentinel. The rows are sorted by
// levels, and a thread block takes its rows by the order in which it begins (ticket): so all rows
// that it waits for belong to blocks that run or have ended, and there is no deadlock. Each sum has
// one order, so that the bits are the same every time. A solve reads the triangle, r and d once,
// and z once per entry through the L2 cache.

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int threads = 128;     // of a block
constexpr int loads_at_once = 4; // entries whose elements of z a lane loads at the same time

// The sentinel has all bits set; it is a NaN. A result that is this NaN gets other bits.
__device__ double load_relaxed(const double *p)
{
    double v;

    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(v) : "l"(p) : "memory");
    return v;
}
__device__ float load_relaxed(const float *p)
{
    float v;

    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}
__device__ bool is_unsolved(double v)
{
    return __double_as_longlong(v) == -1;
}
__device__ bool is_unsolved(float v)
{
    return __float_as_int(v) == -1;
}
__device__ void store_relaxed(double *p, double v)
{
    if (is_unsolved(v)) v = __longlong_as_double(0x7ff8000000000000);
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" : : "l"(p), "d"(v) : "memory");
}
__device__ void store_relaxed(float *p, float v)
{
    if (is_unsolved(v)) v = __int_as_float(0x7fc00000);
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(p), "f"(v) : "memory");
}

template <class T>
struct triangle {
    int32_t n;
    const int32_t *order, *start, *col;
    const T *value, *d; // d: NULL, or a factor of each row of r
};

// One lane's share of the sum of row i for a column: every shares-th entry, from `share` on. z: the
// column, with `subwarp` numbers from row to row.
template <class T>
__device__ T sum_share(const triangle<T> &t, int32_t i, int share, int shares, const T *z,
                       int subwarp)
{
    const int32_t to = t.start[i + 1];
    T sum = 0;

    for (int32_t k = t.start[i] + share; k < to; k += loads_at_once * shares) {
        const T *from[loads_at_once];
        T v[loads_at_once], solved[loads_at_once];
        bool waits = true;
#pragma unroll
        for (int u = 0; u < loads_at_once; u++) {
            const bool in = k + u * shares < to;
            from[u] = in ? z + (int64_t)__ldg(&t.col[k + u * shares]) * subwarp : nullptr;
            v[u] = in ? __ldg(&t.value[k + u * shares]) : T(0);
            solved[u] = 0;
        }
        while (waits) {
            waits = false;
#pragma unroll
            for (int u = 0; u < loads_at_once; u++) {
                if (from[u]) solved[u] = load_relaxed(from[u]);
            }
#pragma unroll
            for (int u = 0; u < loads_at_once; u++) waits = waits || is_unsolved(solved[u]);
        }
#pragma unroll
        for (int u = 0; u < loads_at_once; u++) sum += v[u] * solved[u];
    }
    return sum;
}

// z = (I + T)^-1 (d * r), both row-major with `subwarp` numbers per row. *ticket: the number of
// blocks that have begun, 0 before the launch.
template <class T>
__global__ void __launch_bounds__(threads)
    solve_columns(triangle<T> t, int subwarp, int columns, const T *r, T *z, unsigned *ticket,
                  gs_guard guard)
{
    __shared__ unsigned block;
    const int lane = (int)threadIdx.x % 32, share = lane / subwarp, column = lane % subwarp;

    if (guard.has_ended()) return;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
    __syncthreads();
    const int64_t at = (int64_t)block * (threads / 32) + threadIdx.x / 32;
    if (at >= t.n) return;
    const int32_t i = t.order[at];
    T own = 0, sum = 0;
    if (column < columns) {
        if (share == 0) own = r[(int64_t)i * subwarp + column];
        if (share == 0 && t.d) own *= t.d[i];
        sum = sum_share(t, i, share, 32 / subwarp, z + column, subwarp);
    }
    for (int d = 16; d >= subwarp; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
    if (share == 0 && column < columns) store_relaxed(&z[(int64_t)i * subwarp + column], own - sum);
}

gsolve_status make_order(const gs_triangle *t, gsolve_context *ctx)
{
    const size_t bytes = (size_t)t->rows.nrows * sizeof(int32_t);
    gs_vendor_triangle *v = t->vendor;
    int32_t *order = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (v->ticket) return GSOLVE_OK;
    order = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, bytes, 1);
    TRY(order ? gs_triangle_level_order(t, ctx, order) : GSOLVE_NO_MEMORY);
    if (!v->order) v->order = (int32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->order ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, v->order, GSOLVE_DEVICE, order, GSOLVE_HOST, bytes));
    ALLOC_DEVICE(ctx, v->ticket, 1);
done:
    gsolve_free(ctx, GSOLVE_HOST, order);
    return status;
}

template <class T>
gsolve_status solve_several(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                            int32_t stride, const void *r, void *z)
{
    const gs_vendor_triangle *v = t->vendor;
    const int32_t n = v->rows.nrows;
    const int blocks = (int)(((int64_t)n * 32 + threads - 1) / threads);
    gsolve_status status;

    if (n == 0) return GSOLVE_OK;
    TRY(make_order(t, q->ctx));
    TRY(gs_cuda(q, cudaMemsetAsync(z, 0xff, (size_t)n * stride * sizeof(T), q->stream), "marks"));
    TRY(gs_cuda(q, cudaMemsetAsync(v->ticket, 0, sizeof *v->ticket, q->stream), "marks"));
    TRY(gs_launch_pdl(q, "a triangular solve of columns", solve_columns<T>, blocks, threads,
                      triangle<T>{n, v->order, (const int32_t *)v->rows.start, v->rows.col,
                                  (const T *)v->rows.value, (const T *)d},
                      stride, columns, (const T *)r, (T *)z, v->ticket));
done:
    return status;
}

template <class T>
gsolve_status solve(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                    int32_t stride, const void *r, void *z)
{
    return stride == 1 ? solve_one<T>(q, t, d, r, z)
                       : solve_several<T>(q, t, d, columns, stride, r, z);
}

} // namespace

extern "C" const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT] = {
    {upload_triangle<float>, destroy_vendor, solve<float>, true},
    {upload_triangle<double>, destroy_vendor, solve<double>, true}};
