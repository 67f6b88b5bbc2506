// sliced_similar_cuda.cu: whether neighbouring rows read neighbouring elements of x, on a GPU, from
// a sample of rows. A thread compares one pair of rows.
#include "spmv/sliced/sliced.cuh"

namespace
{

constexpr int sample = 4096, deepest = 64; // sampled rows; compared entries of each row
constexpr unsigned few = 32;               // entries of a short row

// The counts for rows i - 1 and i.
template <class O>
__device__ gs_row_similarity compare_rows(const O *start, const int32_t *col, int64_t i)
{
    const O before = start[i - 1], at = start[i];
    const int one = (int)min(at - before, (O)deepest),
              other = (int)min(start[i + 1] - at, (O)deepest);
    gs_row_similarity found = {0, 0, 1, (unsigned)one, 0};
    int q = 0;

    for (int k = 0; k < one; k++) {
        const int32_t next = col[before + k] + 1;
        while (q < other && col[at + q] < next) q++;
        found.similar += q < other && col[at + q] == next;
        if (k >= other) continue;
        found.both++;
        found.next += col[at + k] == next;
    }
    return found;
}

// *count += the counts of the sample. Thread t compares rows t step and t step + 1. A block adds
// its counts, and thread 0 adds them to *count with atomics on integers.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    count_similar(const O *start, const int32_t *col, int32_t step, int32_t n,
                  gs_row_similarity *count)
{
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) * step + 1;
    gs_row_similarity mine = {0, 0, 0, 0, 0};

    if (i < n) mine = compare_rows(start, col, i);
    mine.both = gs_block_sum(mine.both);
    mine.next = gs_block_sum(mine.next);
    mine.rows = gs_block_sum(mine.rows);
    mine.entries = gs_block_sum(mine.entries);
    mine.similar = gs_block_sum(mine.similar);
    if (threadIdx.x > 0) return;
    atomicAdd(&count->both, mine.both);
    atomicAdd(&count->next, mine.next);
    atomicAdd(&count->rows, mine.rows);
    atomicAdd(&count->entries, mine.entries);
    atomicAdd(&count->similar, mine.similar);
}

template <class O>
gsolve_status launch(gs_queue *q, const gsolve_csr *csr, gs_row_similarity *count)
{
    return gs_launch(q, "comparing neighbouring rows", count_similar<O>, sample / gs_block_size,
                     gs_block_size, (const O *)csr->start, csr->col, csr->nrows / sample + 1,
                     csr->nrows, count);
}

} // namespace

gsolve_status gs_sliced_count_similar_cuda(gs_queue *q, const gsolve_csr *csr,
                                           gs_row_similarity *count)
{
    return csr->offset == GSOLVE_O64 ? launch<int64_t>(q, csr, count)
                                     : launch<int32_t>(q, csr, count);
}

bool gs_sliced_is_aligned(const gs_row_similarity *count)
{
    return count->next > count->both / 2 ||
           (count->similar > count->entries / 2 && count->entries < few * count->rows);
}
