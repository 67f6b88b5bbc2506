// bsr_build_cuda.cu: sorts the block rows into slices, on a GPU, see bsr_slices.cuh.
#include "core/scan.cuh"
#include "core/sort.cuh"
#include "matrix/block_rows.cuh"
#include "matrix/rows.cuh"
#include "spmv/bsr/bsr_slices.cuh"

#define SMALL __device__ inline
#include "matrix/row_rule.h"

using namespace gs_bsr_parts;

namespace
{

constexpr int length_bits = 8; // of a key; they hold numbers up to `longest`

// Temporary arrays between the pattern and the slices.
struct work {
    pattern p;
    int64_t *number; // block rows + 1 elements: number of the first piece of each
    piece *piece_of;
    uint32_t *key, *key_sorted;
    int32_t *id, *id_sorted;
    int64_t *first, *index; // slices + 1 elements
    int64_t pieces;
};

void drop_work(work *w, gsolve_context *ctx)
{
    void *const all[] = {w->p.first,    w->p.col, w->number,    w->piece_of, w->key,
                         w->key_sorted, w->id,    w->id_sorted, w->first,    w->index};

    for (void *one : all) gsolve_free(ctx, GSOLVE_DEVICE, one);
}

// --- pieces -----------------------------------------------------------------------------------

__device__ int64_t pieces_of(int64_t blocks)
{
    return blocks <= longest ? 1 : (blocks + longest - 1) / longest;
}

// count[I] = pieces of block row I; 0 for I = rows. A thread counts one block row.
__global__ void count_pieces(int32_t rows, const int64_t *first, int64_t *count)
{
    const int64_t I = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    if (I <= rows) count[I] = I == rows ? 0 : pieces_of(first[I + 1] - first[I]);
}

// A thread describes the pieces of one block row. Their lengths differ by one block at most. The
// key sorts by window and, within it, by descending length.
__global__ void describe_pieces(int32_t rows, const int64_t *first, const int64_t *number,
                                piece *out, uint32_t *key, int32_t *id)
{
    const int64_t I = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (I >= rows) return;
    const int64_t blocks = first[I + 1] - first[I], count = pieces_of(blocks);
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = blocks * k / count, n = blocks * (k + 1) / count - from;
        const int64_t j = number[I] + k;
        out[j] = {first[I] + from, (int32_t)I, (uint16_t)n, (uint16_t)(count > 1 ? is_part : 0)};
        key[j] = (uint32_t)(I / window) << length_bits | (uint32_t)(longest - n);
        id[j] = (int32_t)j;
    }
}

// Bits of a key that are not 0 in all keys.
int bits_of_key(int64_t rows)
{
    int bits = length_bits;

    for (int64_t windows = (rows + window - 1) / window; windows > 1; windows = (windows + 1) / 2) {
        bits++;
    }
    return bits;
}

gsolve_status cut(work *w, const gs_bsr *m, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int64_t rows = m->rows;
    gsolve_status status;

    ALLOC_DEVICE(ctx, w->number, rows + 1);
    TRY(gs_launch(q, "cutting block rows", count_pieces, blocks_for(rows + 1), gs_block_size,
                  m->rows, w->p.first, w->number));
    TRY(gs_scan(ctx, "numbering pieces", w->number, w->number, rows + 1, &w->pieces));
    if (w->pieces > INT32_MAX - slots) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "bsr supports fewer than 2^31 block rows, where one of more than "
                             "%d blocks counts once per part, but there are %lld",
                             longest, (long long)w->pieces);
        goto done;
    }
    ALLOC_DEVICE(ctx, w->piece_of, w->pieces);
    ALLOC_DEVICE(ctx, w->key, w->pieces);
    ALLOC_DEVICE(ctx, w->key_sorted, w->pieces);
    ALLOC_DEVICE(ctx, w->id, w->pieces);
    ALLOC_DEVICE(ctx, w->id_sorted, w->pieces);
    if (rows == 0) goto done;
    TRY(gs_launch(q, "cutting block rows", describe_pieces, blocks_for(rows), gs_block_size,
                  m->rows, w->p.first, w->number, w->piece_of, w->key, w->id));
    TRY(gs_with_space(ctx, "sorting block rows", [&](void *space, size_t &bytes) {
        return gs_sort_pairs(space, bytes, {w->key, w->key_sorted}, {w->id, w->id_sorted},
                             (int)w->pieces, bits_of_key(m->rows), q->stream);
    }));
done:
    return status;
}

// --- slices -----------------------------------------------------------------------------------

struct sorted_pieces {
    const piece *piece_of;
    const int32_t *id; // sorted
    int64_t count;
};

// The piece in slot t of slice s; past the last piece, one without blocks in row -1.
__device__ piece piece_in(const sorted_pieces &pieces, int64_t s, int t)
{
    const int64_t at = s * slots + t;
    return at < pieces.count ? pieces.piece_of[pieces.id[at]] : piece{0, -1, 0, 0};
}

// A warp measures one slice: its width, and how its block columns are stored, in *words 32-bit
// words. index: the option. The widths and words of all slices are added up next.
__global__ void measure_slices(int64_t count, sorted_pieces pieces, const int32_t *col, int index,
                               slice *out, int64_t *width, int64_t *words)
{
    const int64_t s = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const unsigned all = 0xffffffffu;

    if (s > count) return;
    if (s == count) {
        if (threadIdx.x % 32 == 0) width[s] = words[s] = 0;
        return;
    }
    const piece mine = piece_in(pieces, s, (int)threadIdx.x % 32);
    const int most = __reduce_max_sync(all, (int)mine.blocks);
    int32_t least_col = INT32_MAX, most_col = 0;
    bool shared =
        index == GS_BSR_AUTO && __all_sync(all, mine.row >= 0 && mine.blocks == most && !mine.cut);
    for (int k = 0; k < most; k++) {
        const int32_t J = k < mine.blocks ? col[mine.from + k] : -1, apart = J - mine.row;
        if (J >= 0) least_col = min(least_col, J);
        most_col = max(most_col, J);
        shared = shared && __all_sync(all, apart == __shfl_sync(all, apart, 0));
    }
    least_col = __reduce_min_sync(all, least_col);
    most_col = __reduce_max_sync(all, most_col);
    if (threadIdx.x % 32) return;
    const bool near = index != GS_BSR_32 && (int64_t)most_col - least_col <= UINT16_MAX;
    const int kind = shared ? SHARED : near ? NEAR : FAR;
    out[s] = {0, 0, most, kind, kind == NEAR && most > 0 ? least_col : 0, 0};
    width[s] = most;
    words[s] = words_of(kind, most);
}

// A warp writes one slice: its begin, and the row, the number of blocks and the block columns of
// each slot. Lane t owns slot t, so the writes of a column are contiguous.
__global__ void fill_slices(int64_t count, sorted_pieces pieces, const int32_t *col,
                            const int64_t *first, const int64_t *index, gs_bsr_slices to)
{
    const int64_t s = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int t = (int)threadIdx.x % 32;

    if (s >= count) return;
    const piece mine = piece_in(pieces, s, t);
    const slice now = to.slice_of[s];
    uint32_t *words = to.index + index[s];
    uint16_t *halves = (uint16_t *)words;
    to.row[s * slots + t] = mine.cut ? pieces.id[s * slots + t] : mine.row;
    to.blocks[s * slots + t] = (uint16_t)(mine.blocks | mine.cut);
    for (int k = 0; k < now.width; k++) {
        const int32_t J = k < mine.blocks ? col[mine.from + k] : now.base;
        if (now.kind == FAR) words[k * slots + t] = (uint32_t)J;
        if (now.kind == NEAR) halves[k * slots + t] = (uint16_t)(J - now.base);
        if (now.kind == SHARED && t == 0) words[k] = (uint32_t)(J - mine.row);
    }
    __syncwarp(); // all lanes have read it
    if (t == 0) {
        to.slice_of[s].first = first[s];
        to.slice_of[s].index = index[s];
    }
}

// to[i] = from[i] for i < n.
__global__ void copy_narrow(int64_t n, const int64_t *from, int32_t *to)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    if (i < n) to[i] = (int32_t)from[i];
}

// Lists the block rows in parts, if there are any.
gsolve_status find_longs(work *w, gs_bsr *m, gsolve_context *ctx)
{
    gs_bsr_slices *to = m->slices;
    gs_queue *q = ctx->queue;
    const gs_long_rows<int64_t> longer = {w->p.first, longest, 0};
    int32_t *found = nullptr;
    gsolve_status status = GSOLVE_OK;

    to->numbers = (int32_t)w->pieces;
    if (w->pieces == m->rows) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, found, 1);
    ALLOC_DEVICE(ctx, to->long_row, w->pieces - m->rows); // at least as many as needed
    ALLOC_DEVICE(ctx, to->part_of, (size_t)m->rows + 1);
    to->sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)w->pieces * (size_t)m->b,
                           gs_type_size(m->csr.type));
    TRY(to->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_with_space(ctx, "finding long block rows", [&](void *space, size_t &bytes) {
        return gs_select_long(space, bytes, longer, to->long_row, found, (int)m->rows, q->stream);
    }));
    TRY(gsolve_copy(ctx, &to->longs, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof to->longs));
    TRY(gs_launch(q, "numbering parts", copy_narrow, blocks_for((int64_t)m->rows + 1),
                  gs_block_size, (int64_t)m->rows + 1, w->number, to->part_of));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

// Makes the slices except their values.
gsolve_status arrange(work *w, gs_bsr *m, gsolve_context *ctx)
{
    gs_bsr_slices *to = m->slices;
    gs_queue *q = ctx->queue;
    const sorted_pieces pieces = {w->piece_of, w->id_sorted, w->pieces};
    const int64_t count = (w->pieces + slots - 1) / slots;
    int64_t width = 0, words = 0;
    gsolve_status status;

    to->count = (int32_t)count;
    ALLOC_DEVICE(ctx, to->slice_of, count);
    ALLOC_DEVICE(ctx, to->row, count * slots);
    ALLOC_DEVICE(ctx, to->blocks, count * slots);
    ALLOC_DEVICE(ctx, w->first, count + 1);
    ALLOC_DEVICE(ctx, w->index, count + 1);
    TRY(gs_launch(q, "measuring slices", measure_slices, gs_warp_blocks(count + 1), gs_block_size,
                  count, pieces, w->p.col, m->index, to->slice_of, w->first, w->index));
    TRY(gs_scan(ctx, "numbering blocks", w->first, w->first, count + 1, &width));
    TRY(gs_scan(ctx, "numbering block columns", w->index, w->index, count + 1, &words));
    m->stored = width * slots * m->b * m->b;
    m->bytes = (size_t)m->stored * gs_type_size(m->csr.type) + (size_t)words * sizeof *to->index +
               (size_t)count * sizeof *to->slice_of +
               (size_t)count * slots * (sizeof *to->row + sizeof *to->blocks);
    TRY(gs_bsr_fits(m, ctx));
    ALLOC_DEVICE(ctx, to->index, words);
    if (count == 0) goto done;
    TRY(gs_launch(q, "filling slices", fill_slices, gs_warp_blocks(count), gs_block_size, count,
                  pieces, w->p.col, w->first, w->index, *to));
done:
    return status;
}

// --- values -----------------------------------------------------------------------------------

// Writes the values of all slices. A warp owns 32 rows of a slice and a thread one row. Entries and
// blocks of a row both ascend, so the thread visits each once. The warp loads `reach` entries of
// all its rows at a time into shared memory, so reads are coalesced; writes are contiguous.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_rows::threads)
    fill_values(gs_bsr_slices m, int32_t rows, int b, int32_t nrows, const O *start,
                const int32_t *col, const T *value, T *out)
{
    constexpr int reach = 16;
    __shared__ gs_block_rows::lookahead<int32_t, reach> cols[gs_block_rows::warps];
    __shared__ gs_block_rows::lookahead<T, reach> values[gs_block_rows::warps];
    const int warp_of_block = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int64_t warp = (int64_t)blockIdx.x * gs_block_rows::warps + warp_of_block, n = warp / b;
    const int p = (int)(warp % b), t = (p * 32 + lane) / b, r = (p * 32 + lane) % b;

    if (n >= m.count) return;
    const slice s = m.slice_of[n];
    const int count = m.blocks[n * slots + t] & (is_part - 1);
    const bool cut = m.blocks[n * slots + t] & is_part;
    const int32_t j = m.row[n * slots + t], I = cut ? gs_row_of(m.part_of, 0, rows - 1, j) : j;
    const int64_t i = (int64_t)I * b + r;
    gs_block_rows::span<O> row = gs_block_rows::row_span(start, i, I >= 0 && i < nrows);
    int used = 0; // number of loaded entries that the thread has written
    int32_t next = count > 0 ? column_of(s, m.index, 0, t, I) : 0;
    if (cut) row.at = (O)gs_row_first(col, row.at, row.end, next * b);
    out += (s.first * b + (int64_t)p * s.width) * (b * 32) + lane;
    for (int k = 0; k < s.width; k++) {
        const int32_t first = next * b;
        if (k + 1 < count) next = column_of(s, m.index, k + 1, t, I);
        if (__any_sync(0xffffffffu, k == 0 || (used + b > reach && row.end - row.at > reach))) {
            row.at += used;
            used = 0;
            __syncwarp(); // all lanes have finished with the loaded entries
            gs_block_rows::read_ahead<reach>(cols[warp_of_block], col, row, -1);
            gs_block_rows::read_ahead<reach>(values[warp_of_block], value, row, T(0));
            __syncwarp();
        }
        for (int c = 0; c < b; c++) {
            const bool found =
                k < count && used < reach && cols[warp_of_block][lane][used] - first == c;
            out[(int64_t)(k * b + c) * 32] = found ? values[warp_of_block][lane][used] : T(0);
            used += found;
        }
    }
}

template <class T, class O>
gsolve_status fill(const gs_bsr *m, gsolve_context *ctx)
{
    const gsolve_csr *A = &m->csr;
    const gs_bsr_slices *to = m->slices;
    const int64_t warps = (int64_t)to->count * m->b;

    if (warps == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "filling blocks", fill_values<T, O>,
                     (int)((warps + gs_block_rows::warps - 1) / gs_block_rows::warps),
                     gs_block_rows::threads, *to, m->rows, m->b, A->nrows, (const O *)A->start,
                     A->col, (const T *)A->value, (T *)to->value);
}

template <class T>
gsolve_status fill_typed(const gs_bsr *m, gsolve_context *ctx)
{
    return m->csr.offset == GSOLVE_O64 ? fill<T, int64_t>(m, ctx) : fill<T, int32_t>(m, ctx);
}

} // namespace

gsolve_status gs_bsr_refill_slices(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    if (given) {
        return m->csr.type == GSOLVE_F32 ? gs_bsr_put_blocks<float>(m, ctx, given)
                                         : gs_bsr_put_blocks<double>(m, ctx, given);
    }
    return m->csr.type == GSOLVE_F32 ? fill_typed<float>(m, ctx) : fill_typed<double>(m, ctx);
}

gsolve_status gs_bsr_store_slices(gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    work w = {};
    gsolve_status status;

    m->slices = (gs_bsr_slices *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *m->slices);
    if (!m->slices) return GSOLVE_NO_MEMORY;
    *m->slices = gs_bsr_slices();
    TRY(given ? gs_bsr_take_pattern(&w.p, m, ctx, given) : gs_bsr_find_pattern(&w.p, m, ctx));
    TRY(cut(&w, m, ctx));
    TRY(arrange(&w, m, ctx));
    TRY(find_longs(&w, m, ctx));
    drop_work(&w, ctx); // before the values are allocated
    w = {};
    m->slices->value =
        gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)m->stored, gs_type_size(m->csr.type));
    TRY(m->slices->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_bsr_refill_slices(m, ctx, given));
done:
    drop_work(&w, ctx);
    return status;
}

void gs_bsr_drop_slices(gs_bsr *m, gsolve_context *ctx)
{
    gs_bsr_slices *s = m->slices;

    if (!s) return;
    gsolve_free(ctx, GSOLVE_DEVICE, s->slice_of);
    gsolve_free(ctx, GSOLVE_DEVICE, s->row);
    gsolve_free(ctx, GSOLVE_DEVICE, s->blocks);
    gsolve_free(ctx, GSOLVE_DEVICE, s->index);
    gsolve_free(ctx, GSOLVE_DEVICE, s->value);
    gsolve_free(ctx, GSOLVE_DEVICE, s->long_row);
    gsolve_free(ctx, GSOLVE_DEVICE, s->part_of);
    gsolve_free(ctx, GSOLVE_DEVICE, s->sum);
    gsolve_free(ctx, GSOLVE_HOST, s);
}
