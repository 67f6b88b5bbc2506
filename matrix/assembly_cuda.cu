// assembly_cuda.cu: assemblies on a GPU. A plan is made by a stable radix sort of the triplets and
// of their mirror images by the key (row, column). Its entries are the different keys.
#include "core/cuda.cuh"
#include "core/scan.cuh"
#include "core/sort.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/assembly.h"
}

#define SMALL static __device__ inline
#include "matrix/assembly_rule.h"

namespace
{

typedef unsigned long long sort_key;
constexpr sort_key none = ~(sort_key)0;

// A key is row << col_bits | col. Skipped triplets have the row nrows, so that they are the last.
struct key_form {
    int row_bits, col_bits;

    key_form(int64_t nrows, int64_t ncols) : row_bits(bits_of(nrows)), col_bits(bits_of(ncols)) {}
    static int bits_of(int64_t n) // of the numbers from 0 to n
    {
        int bits = 1;
        while (n >> bits) bits++;
        return bits;
    }
    __host__ __device__ sort_key of(int64_t i, int64_t j) const
    {
        return (sort_key)i << col_bits | (sort_key)j;
    }
    __device__ int32_t col_of(sort_key key) const
    {
        return (int32_t)(key & (((sort_key)1 << col_bits) - 1));
    }
};

struct findings {
    sort_key bad;     // the first triplet that is not accepted, or none
    sort_key skipped; // number of skipped triplets
    sort_key kept;    // number of keys that are not those of skipped triplets
};

// --- a plan -----------------------------------------------------------------------------------

struct given {
    const void *row, *col;
    bool wide; // indices of 64 bits

    __device__ int64_t row_at(int64_t k) const { return at(row, k); }
    __device__ int64_t col_at(int64_t k) const { return at(col, k); }
    __device__ int64_t at(const void *array, int64_t k) const
    {
        return wide ? ((const int64_t *)array)[k] : (int64_t)((const int32_t *)array)[k];
    }
};

// *to += the sum of mine over the threads of the block, which all call this.
__device__ void add_to(sort_key *to, sort_key mine)
{
    const sort_key total = gs_block_sum(mine);
    if (threadIdx.x == 0 && total > 0) atomicAdd(to, total);
}

// Writes the key and the number of each triplet to element k, and those of its mirror image, if
// `mirror` is set, to element count + k, where they are skipped on the diagonal. A thread strides
// over the triplets; all accesses are coalesced.
__global__ void __launch_bounds__(gs_block_size)
    make_keys(given t, int64_t count, int base, int64_t nrows, int64_t ncols, bool lower,
              bool upper, key_form form, sort_key *key, uint32_t *place, findings *f)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    const bool mirror = !lower || !upper;
    sort_key bad = none, skipped = 0, kept = 0;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < count; k += step) {
        const int64_t i = t.row_at(k), j = t.col_at(k);
        const gs_triplet_kind kind = gs_triplet_kind_of(i, j, base, nrows, ncols, lower, upper);
        const bool valid = kind == GS_TRIPLET_VALID;
        if (kind == GS_TRIPLET_BAD && bad == none) bad = (sort_key)k;
        skipped += kind == GS_TRIPLET_SKIPPED;
        kept += valid;
        key[k] = valid ? form.of(i - base, j - base) : form.of(nrows, 0);
        place[k] = (uint32_t)k;
        if (!mirror) continue;
        const bool image = valid && i != j;
        kept += image;
        key[count + k] = image ? form.of(j - base, i - base) : form.of(nrows, 0);
        place[count + k] = (uint32_t)k;
    }
    if (bad != none) atomicMin(&f->bad, bad);
    add_to(&f->skipped, skipped);
    add_to(&f->kept, kept);
}

// col[e] = the column of entry e, whose first triplet has the key key[first[e]]; first[entries] =
// the number of triplets. A thread strides over the entries.
__global__ void __launch_bounds__(gs_block_size)
    fill_columns(int64_t entries, int64_t triplets, const sort_key *key, key_form form,
                 const uint32_t *head, uint32_t *first, int32_t *col)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t e = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; e <= entries; e += step) {
        first[e] = e < entries ? head[e] : (uint32_t)triplets;
        if (e < entries) col[e] = form.col_of(key[head[e]]);
    }
}

// start[i] = the first entry whose row is at least i, for i <= nrows. A thread bisects for each of
// its rows.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    find_starts(int64_t nrows, int64_t entries, const sort_key *key, key_form form,
                const uint32_t *first, O *start)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i <= nrows; i += step) {
        int64_t from = 0, to = entries;
        while (from < to) {
            const int64_t middle = from + (to - from) / 2;
            if (key[first[middle]] < form.of(i, 0)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        start[i] = (O)from;
    }
}

// What the sort works on. key and place have `total` elements.
struct sorting {
    gs_double_buffer<sort_key> key;
    gs_double_buffer<uint32_t> place;
    int64_t total, kept;
};

void free_sorting(sorting *s, gsolve_context *ctx)
{
    for (int b = 0; b < 2; b++) {
        gsolve_free(ctx, GSOLVE_DEVICE, s->key.array[b]);
        gsolve_free(ctx, GSOLVE_DEVICE, s->place.array[b]);
    }
}

gsolve_status new_sorting(sorting *s, gsolve_context *ctx)
{
    gsolve_status status;

    for (int b = 0; b < 2; b++) {
        ALLOC_DEVICE(ctx, s->key.array[b], s->total);
        ALLOC_DEVICE(ctx, s->place.array[b], s->total);
    }
done:
    return status;
}

// Makes and checks the keys; sets plan->skipped and s->kept.
gsolve_status read_triplets(sorting *s, gsolve_assembly *plan, const gsolve_triplets *t,
                            key_form form, int64_t *bad)
{
    gsolve_context *ctx = plan->ctx;
    gs_queue *q = ctx->queue;
    findings *f = nullptr, found;
    gsolve_status status;

    ALLOC_DEVICE(ctx, f, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(f, 0, sizeof *f, q->stream), "reading triplets"));
    TRY(gs_cuda(q, cudaMemsetAsync(&f->bad, 0xff, sizeof f->bad, q->stream), "reading triplets"));
    TRY(gs_launch(q, "reading triplets", make_keys, gs_grid(q, t->count), gs_block_size,
                  given{t->row, t->col, t->index_type == GSOLVE_I64}, t->count, t->base, t->nrows,
                  t->ncols, t->part != GSOLVE_UPPER, t->part != GSOLVE_LOWER, form, s->key.array[0],
                  s->place.array[0], f));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof found));
    *bad = found.bad == none ? -1 : (int64_t)found.bad;
    plan->skipped = (int64_t)found.skipped;
    s->kept = (int64_t)found.kept;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

// head = the positions of the first triplets of all entries; sets plan->entries.
gsolve_status find_heads(gsolve_assembly *plan, const sort_key *key, int64_t kept, uint32_t *head)
{
    gsolve_context *ctx = plan->ctx;
    int64_t *count = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, count, 1);
    TRY(gs_with_space(ctx, "finding the entries of an assembly", [&](void *space, size_t &bytes) {
        return gs_select_heads(space, bytes, key, head, count, kept, ctx->queue->stream);
    }));
    TRY(gsolve_copy(ctx, &plan->entries, GSOLVE_HOST, count, GSOLVE_DEVICE, sizeof *count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    return status;
}

template <class O>
gsolve_status launch_starts(gsolve_assembly *plan, const sort_key *key, key_form form)
{
    gs_queue *q = plan->ctx->queue;
    const int64_t nrows = plan->csr.nrows;

    return gs_launch(q, "finding the rows of an assembly", find_starts<O>, gs_grid(q, nrows + 1),
                     gs_block_size, nrows, plan->entries, key, form, plan->first,
                     (O *)gs_owned_block(plan->ctx, plan->csr.start));
}

// Makes the matrix and plan->first from the sorted keys. head is NULL if there are none.
gsolve_status make_entries(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t,
                           const sort_key *key, int64_t kept, const uint32_t *head, key_form form)
{
    gsolve_context *ctx = plan->ctx;
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_csr_new_at(&plan->csr, ctx, GSOLVE_DEVICE, (int32_t)t->nrows, (int32_t)t->ncols,
                      plan->entries, type));
    ALLOC_DEVICE(ctx, plan->first, plan->entries + 1);
    TRY(gs_cuda(q,
                cudaMemsetAsync(gs_owned_block(ctx, plan->csr.value), 0,
                                (size_t)plan->entries * gs_type_size(type), q->stream),
                "clearing the values of an assembly"));
    TRY(gs_launch(q, "finding the columns of an assembly", fill_columns,
                  gs_grid(q, plan->entries + 1), gs_block_size, plan->entries, kept, key, form,
                  head, plan->first, (int32_t *)gs_owned_block(ctx, plan->csr.col)));
    TRY(plan->csr.offset == GSOLVE_O64 ? launch_starts<int64_t>(plan, key, form)
                                       : launch_starts<int32_t>(plan, key, form));
done:
    return status;
}

// Sorts the keys, and moves the numbers of the triplets to plan->place.
gsolve_status sort_triplets(gsolve_assembly *plan, sorting *s, key_form form)
{
    gsolve_context *ctx = plan->ctx;
    const int bits = form.row_bits + form.col_bits;
    void *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_cuda(ctx->queue,
                gs_sort_pairs(nullptr, bytes, s->key, s->place, s->total, bits, ctx->queue->stream),
                "sorting triplets"));
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(ctx->queue,
                gs_sort_pairs(space, bytes, s->key, s->place, s->total, bits, ctx->queue->stream),
                "sorting triplets"));
    ALLOC_DEVICE(ctx, plan->place, s->kept);
    TRY(gsolve_copy(ctx, plan->place, GSOLVE_DEVICE, s->place.array[s->place.current],
                    GSOLVE_DEVICE, (size_t)s->kept * sizeof *plan->place));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

gsolve_status make(gsolve_assembly *plan, gsolve_type type, const gsolve_triplets *t, int64_t *bad)
{
    gsolve_context *ctx = plan->ctx;
    const key_form form(t->nrows, t->ncols);
    sorting s = {};
    uint32_t *head = nullptr;
    gsolve_status status;

    s.total = t->part == GSOLVE_FULL ? t->count : 2 * t->count;
    ALLOC_DEVICE(ctx, plan->bad, 1);
    if (s.total > 0) {
        TRY(new_sorting(&s, ctx));
        TRY(read_triplets(&s, plan, t, form, bad));
        if (*bad >= 0) goto done;
        TRY(sort_triplets(plan, &s, form));
    }
    if (s.kept > 0) {
        ALLOC_DEVICE(ctx, head, s.kept);
        TRY(find_heads(plan, s.key.array[s.key.current], s.kept, head));
    }
    TRY(make_entries(plan, type, t, s.key.array[s.key.current], s.kept, head, form));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, head);
    free_sorting(&s, ctx);
    return status;
}

// --- sums -------------------------------------------------------------------------------------

constexpr int tile_bytes = 16384; // of shared memory

// value[e] = the sum of entry e, plus value[e] if `add` is set. *bad = the first result that is not
// finite, unless it is NULL.
//
// A block owns gs_block_size adjacent entries at a time, whose triplets are adjacent in place. Its
// threads copy the values of a tile of these triplets to shared memory: reads of `place` are
// coalesced, reads of v are gathers that do not wait for one another. Then each thread adds those
// of its own entry in their order, from tile to tile. So long segments do not slow down the copy,
// and the order of a sum is that of the CPU. Bytes moved: place and v once for each triplet, first
// and value once for each entry.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    sum_entries(int64_t entries, const uint32_t *first, const uint32_t *place, const T *v, T *value,
                bool add, sort_key *bad)
{
    constexpr int tile = tile_bytes / (int)sizeof(T);
    __shared__ T part[tile];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t begin = (int64_t)blockIdx.x * gs_block_size; begin < entries; begin += step) {
        const int64_t e = begin + threadIdx.x, last = min(begin + gs_block_size, entries);
        const int64_t end = first[last], own_end = e < entries ? (int64_t)first[e + 1] : 0;
        int64_t own = e < entries ? (int64_t)first[e] : 0;
        T sum = (T)-0.0; // -0 + x is x for each x, -0 too

        for (int64_t from = first[begin]; from < end; from += tile) {
            const int n = (int)min((int64_t)tile, end - from);
            const int64_t stop = min(own_end, from + n);
#pragma unroll 4
            for (int k = (int)threadIdx.x; k < n; k += gs_block_size) {
                part[k] = v[place[from + k]];
            }
            __syncthreads();
            for (; own < stop; own++) sum += part[own - from];
            __syncthreads(); // before part is overwritten
        }
        if (e >= entries) continue;
        if (add) sum = value[e] + sum;
        value[e] = sum;
        if (bad && !isfinite(sum)) atomicMin(bad, (sort_key)e);
    }
}

template <class T>
gsolve_status sum(const gsolve_assembly *plan, const void *v, void *value, bool add, int64_t *bad)
{
    gs_queue *q = plan->ctx->queue;
    sort_key found = none;
    gsolve_status status;

    if (bad) {
        TRY(gs_cuda(q, cudaMemsetAsync(plan->bad, 0xff, sizeof *plan->bad, q->stream),
                    "an assembly"));
    }
    TRY(gs_launch(q, "an assembly", sum_entries<T>, gs_grid(q, plan->entries), gs_block_size,
                  plan->entries, plan->first, plan->place, (const T *)v, (T *)value, add,
                  bad ? plan->bad : nullptr));
    if (!bad) return GSOLVE_OK;
    TRY(gsolve_copy(plan->ctx, &found, GSOLVE_HOST, plan->bad, GSOLVE_DEVICE, sizeof found));
    *bad = found == none ? -1 : (int64_t)found;
done:
    return status;
}

} // namespace

extern "C" const gs_assembly_kernels gs_assembly_cuda[GSOLVE_TYPE_COUNT] = {
    {make, sum<float>},
    {make, sum<double>},
};
