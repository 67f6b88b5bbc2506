// cusparse_forms_cuda.cu: the stored forms of the format cusparse: their cuSPARSE descriptors and
// their memory.
#include "spmv/cusparse/vendor.cuh"

gsolve_status gs_vendor_describe(const gs_vendor_matrix *v, gsolve_context *ctx,
                                 cusparseSpMatDescr_t *A)
{
    const gsolve_csr *csr = &v->csr;
    const cudaDataType type = gs_vendor_type_of(csr->type);
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    const bool wide = v->chosen.alg == GS_SELL ? v->wide : csr->offset == GSOLVE_O64;
    const cusparseIndexType_t offset = wide ? CUSPARSE_INDEX_64I : index;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    void *start = gs_owned_block(ctx, csr->start), *value = gs_owned_block(ctx, csr->value);
    int32_t *col = (int32_t *)gs_owned_block(ctx, csr->col);
    cusparseStatus_t code;

    switch (v->chosen.alg) {
    case GS_COO:
        code = cusparseCreateCoo(A, csr->nrows, csr->ncols, v->entries, v->row, col, value, index,
                                 base, type);
        break;
    case GS_SELL:
        code = cusparseCreateSlicedEll(A, csr->nrows, csr->ncols, v->entries, v->stored,
                                       v->chosen.slice, v->start, v->col, v->value, offset, index,
                                       base, type);
        break;
    case GS_BSR:
        code = cusparseCreateBsr(A, v->rows, v->cols, v->blocks, v->chosen.block, v->chosen.block,
                                 v->start, v->col, v->value, index, index, base, type,
                                 CUSPARSE_ORDER_ROW);
        break;
    default:
        code = cusparseCreateCsr(A, csr->nrows, csr->ncols, v->entries, start, col, value, offset,
                                 index, base, type);
    }
    return gs_vendor(ctx, code, "describing the matrix");
}

// --- sizes ------------------------------------------------------------------------------------

namespace
{

// The sum of the longest row over all groups of `size` rows.
int64_t longest_in_groups(const gsolve_csr *csr, int size)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < csr->nrows; i += size) {
        int64_t longest = 0;
        for (int32_t r = i; r < csr->nrows && r - i < size; r++) {
            const int64_t length = gs_start(csr, r + 1) - gs_start(csr, r);
            if (length > longest) longest = length;
        }
        sum += longest;
    }
    return sum;
}

} // namespace

// Blocks are estimated as if the rows of a block row had the same columns, beginning at a block
// boundary.
size_t gs_vendor_memory(const gsolve_csr *csr, const void *chosen)
{
    const gs_vendor_options *o = (const gs_vendor_options *)chosen;
    const size_t size = gs_type_size(csr->type), block = (size_t)(o->block > 0 ? o->block : 2);

    switch (o->alg) {
    case GS_COO: return (size_t)gs_start(csr, csr->nrows) * sizeof(int32_t);
    case GS_SELL:
        return (size_t)longest_in_groups(csr, o->slice) * (size_t)o->slice *
                   (size + sizeof(int32_t)) +
               ((size_t)csr->nrows / (size_t)o->slice + 2) * sizeof(int64_t);
    case GS_BSR:
        return ((size_t)longest_in_groups(csr, (int)block) / block + 1) *
                   (block * block * size + sizeof(int32_t)) +
               ((size_t)csr->nrows / block + 2) * sizeof(int32_t);
    default: return 0;
    }
}

void gs_vendor_info(const void *self, gsolve_matrix_info *info)
{
    const gs_vendor_matrix *v = (const gs_vendor_matrix *)self;
    const size_t size = gs_type_size(v->csr.type), index = sizeof(int32_t);
    const size_t vectors = ((size_t)v->csr.nrows + (size_t)v->csr.ncols) * size;

    if (!v->A) return;
    info->stored = v->stored;
    if (v->chosen.alg == GS_COO) {
        info->bytes = (size_t)v->stored * (size + 2 * index) + vectors;
    } else if (v->chosen.alg == GS_SELL) {
        info->bytes = (size_t)v->stored * (size + index) +
                      ((size_t)v->rows + 1) * (v->wide ? sizeof(int64_t) : index) + vectors;
    } else if (v->chosen.alg == GS_BSR) {
        info->bytes = (size_t)v->stored * size + (size_t)v->blocks * index +
                      ((size_t)v->rows + 1) * index + vectors;
        if (v->x) info->bytes += 2 * (size_t)v->csr.ncols * size; // for its copy
        if (v->y) info->bytes += 2 * (size_t)v->csr.nrows * size;
    }
}
