// esc_expand_cuda.cu: expands a band in equal shares of products, and sorts it.
#include "core/sort.cuh"
#include "spgemm/esc/esc_bands.cuh"

using namespace gs_esc_bands;

namespace
{

constexpr int share = 256; // products of a warp

int bits_of(int64_t most)
{
    int bits = 0;
    while (most >> bits) bits++;
    return bits;
}

// work[x] = products of entry x of the band, 0 for x = entries_A; row[x] = the number of its row in
// the band. A thread owns an entry of A.
__global__ void __launch_bounds__(gs_block_size)
    measure_entries(pattern m, band_view v, int32_t *work, int32_t *row)
{
    const int64_t x = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (x > v.b.entries_A) return;
    if (x == v.b.entries_A) {
        work[x] = 0;
        return;
    }
    const band_entry at = find_entry(m, v, x);
    const span s = span_of(m, at.entry, v.b.from, v.b.to);
    work[x] = (int32_t)(s.to - s.from);
    row[x] = at.l;
}

// The entry x that product p belongs to: work[x] <= p < work[x + 1]. low <= x < high. Every other
// step interpolates; the others bisect, which bounds the number of steps.
__device__ int64_t search_work(const int32_t *work, int64_t low, int64_t high, int32_t p)
{
    int64_t below = work[low], above = work[high];

    for (bool halve = false; high - low > 1; halve = !halve) {
        const int64_t guess =
            halve ? low + (high - low) / 2 : low + (p - below) * (high - low) / (above - below);
        const int64_t x = min(max(guess, low + 1), high - 1);
        const int32_t there = __ldg(work + x);
        if (there <= p) {
            low = x;
            below = there;
        } else {
            high = x;
            above = there;
        }
    }
    return low;
}

// Writes the terms of a band and their keys. A warp owns `share` products, a lane every 32nd of
// them. A term is the number of its entry of A and the position in its row of B; a key is the row
// and the column in the band. Reads the scan of the work several times per product, through the
// cache, and a column of B; writes 12 or 16 bytes per product.
template <class K>
__global__ void __launch_bounds__(gs_block_size)
    expand(pattern m, band_view v, const int32_t *work, const int32_t *row, int col_bits, K *key,
           uint64_t *term)
{
    const int64_t warp = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int64_t begin = warp * share, end = min(begin + share, v.b.products);

    if (begin >= end) return;
    const int64_t low = search_work(work, 0, v.b.entries_A, (int32_t)begin);
    const int64_t high = search_work(work, low, v.b.entries_A, (int32_t)end - 1) + 1;
    for (int64_t p = begin + threadIdx.x % 32; p < end; p += 32) {
        const int64_t x = search_work(work, low, high, (int32_t)p);
        const int64_t a = find_entry(m, v, x).entry, own = m.b[__ldg(m.acol + a)];
        const int64_t b = span_of(m, a, v.b.from, v.b.to).from + p - work[x];
        key[p] = (K)row[x] << col_bits | (K)(uint32_t)(__ldg(m.bcol + b) - v.b.from);
        term[p] = (uint64_t)x << 32 | (uint64_t)(b - own);
    }
}

// The first of n ascending numbers that is not below x.
__device__ int32_t search_head(const uint32_t *head, int64_t n, uint32_t x)
{
    return (int32_t)gs_rows::first_not((int64_t)0, n, [&](int64_t k) { return head[k] < x; });
}

// v.b.before[l] = the entries of C in the rows of the band before row l, also for l = rows. A
// thread owns a row and searches its first product in v.b.head. Unless count is NULL, adds the
// row's entries of C to count.
__global__ void __launch_bounds__(gs_block_size)
    count_heads(band_view v, const int32_t *work, int32_t *count)
{
    const int32_t l = (int32_t)(blockIdx.x * gs_block_size + threadIdx.x);
    const int32_t rows = v.b.last - v.b.first;

    if (l > rows) return;
    const int64_t own = v.before[v.b.first + l] - v.before[v.b.first];
    const int32_t at = search_head(v.b.head, v.b.entries, (uint32_t)work[own]);
    v.b.before[l] = at;
    if (!count || l == rows) return;
    const int64_t next = v.before[v.b.first + l + 1] - v.before[v.b.first];
    count[v.rows[v.b.first + l]] += search_head(v.b.head, v.b.entries, (uint32_t)work[next]) - at;
}

struct expansion {
    int32_t *work, *row;
    void *key[2];
    uint64_t *term[2];
    uint32_t *head;
    int64_t *heads;
};

// Writes the sorted terms to e->term[0] and the heads to e->head. Sets b->entries to the number of
// heads. A head is the position of the first term of an entry of C.
template <class K>
gsolve_status expand_and_sort(expansion *e, const gs_esc_plan *p, gsolve_context *ctx,
                              const pattern &m, band *b)
{
    gs_queue *q = ctx->queue;
    const int col_bits = bits_of(b->to - b->from - 1);
    const int bits = col_bits + bits_of(b->last - b->first - 1);
    gs_double_buffer<K> key = {{(K *)e->key[0], (K *)e->key[1]}, 0};
    gs_double_buffer<uint64_t> term = {{e->term[0], e->term[1]}, 0};
    const int64_t warps = (b->products + share - 1) / share;
    gsolve_status status;

    TRY(gs_launch(q, "expanding rows", expand<K>, blocks_for(32 * warps), gs_block_size, m,
                  band_view_of(p, *b), e->work, e->row, col_bits, (K *)e->key[0], e->term[0]));
    TRY(gs_with_space(ctx, "sorting products", [&](void *space, size_t &bytes) {
        return gs_sort_pairs(space, bytes, key, term, b->products, bits > 0 ? bits : 1, q->stream);
    }));
    e->term[0] = term.array[term.current];
    e->term[1] = term.array[1 - term.current];
    e->head = (uint32_t *)key.array[1 - key.current];
    TRY(gs_with_space(ctx, "compressing products", [&](void *space, size_t &bytes) {
        return gs_select_heads(space, bytes, (const K *)key.array[key.current], e->head, e->heads,
                               b->products, q->stream);
    }));
    TRY(gsolve_copy(ctx, &b->entries, GSOLVE_HOST, e->heads, GSOLVE_DEVICE, sizeof b->entries));
done:
    return status;
}

gsolve_status new_expansion(expansion *e, gsolve_context *ctx, const band &b, size_t key)
{
    gsolve_status status;

    ALLOC_DEVICE(ctx, e->work, b.entries_A + 1);
    ALLOC_DEVICE(ctx, e->row, b.entries_A + 1);
    for (int k = 0; k < 2; k++) {
        e->key[k] = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)b.products, key);
        TRY(e->key[k] ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        ALLOC_DEVICE(ctx, e->term[k], b.products);
    }
    ALLOC_DEVICE(ctx, e->heads, 1);
done:
    return status;
}

} // namespace

namespace gs_esc_bands
{

void drop_terms(band *b, gsolve_context *ctx)
{
    gs_rows::free_all(ctx, b->term, b->head, b->before);
    b->term = nullptr;
    b->head = nullptr;
    b->before = nullptr;
}

gsolve_status make_terms(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, band *b,
                         int32_t *count)
{
    gs_queue *q = ctx->queue;
    const int bits = bits_of(b->to - b->from - 1) + bits_of(b->last - b->first - 1);
    const int32_t rows = b->last - b->first;
    expansion e = {};
    gsolve_status status;

    TRY(new_expansion(&e, ctx, *b, bits <= 32 ? sizeof(uint32_t) : sizeof(uint64_t)));
    TRY(gs_launch(q, "measuring rows", measure_entries, blocks_for(b->entries_A + 1), gs_block_size,
                  m, band_view_of(p, *b), e.work, e.row));
    TRY(gs_scan(ctx, "measuring rows", e.work, e.work, b->entries_A + 1));
    TRY(bits <= 32 ? expand_and_sort<uint32_t>(&e, p, ctx, m, b)
                   : expand_and_sort<unsigned long long>(&e, p, ctx, m, b));
    ALLOC_DEVICE(ctx, b->head, b->entries);
    ALLOC_DEVICE(ctx, b->before, (size_t)rows + 1);
    TRY(gsolve_copy(ctx, b->head, GSOLVE_DEVICE, e.head, GSOLVE_DEVICE,
                    (size_t)b->entries * sizeof *b->head));
    TRY(gs_launch(q, "counting a band", count_heads, blocks_for((int64_t)rows + 1), gs_block_size,
                  band_view_of(p, *b), e.work, count));
    b->term = e.term[0];
    e.term[0] = nullptr;
done:
    gs_rows::free_all(ctx, e.work, e.row, e.key[0], e.key[1], e.term[0], e.term[1], e.heads);
    if (status != GSOLVE_OK) drop_terms(b, ctx);
    return status;
}

} // namespace gs_esc_bands
