// vendor.cuh: what the files of the format cusparse share: the matrix in the form that cuSPARSE
// reads. The prefix gs_vendor_ marks what belongs to cuSPARSE.
#ifndef GS_SPMV_CUSPARSE_VENDOR_CUH
#define GS_SPMV_CUSPARSE_VENDOR_CUH

#include "core/cusparse.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/csr.h"
}

enum gs_vendor_alg { GS_CSR1, GS_CSR2, GS_COO, GS_SELL, GS_BSR };

struct gs_vendor_options {
    int alg, slice, block;
};

constexpr int gs_vendor_most_plans = 16;

// The analysis for one number of columns and their strides.
struct gs_vendor_plan {
    int32_t columns;
    int64_t xstride, ystride;
    cusparseSpMatDescr_t A;
    void *buffer;
};

struct gs_vendor_matrix {
    gs_vendor_options chosen;
    gsolve_csr csr; // the handle's rows
    int64_t entries;
    cusparseSpMatDescr_t A; // NULL: the matrix has no entries
    void *buffer;
    // the stored form, on the device; arrays that the form does not need are NULL
    int32_t *row; // COO: row of each entry
    void *start;  // SELL: slices + 1 offsets; BSR: block rows + 1 offsets
    int32_t *col; // SELL: stored; BSR: blocks
    void *value;  // stored elements
    bool wide;    // start has 64 bits
    int64_t stored, blocks;
    int32_t rows, cols; // slices; block rows, block columns
    void *x, *y;        // BSR: padded vectors, if the matrix ends with a part of a block; else NULL
    gs_vendor_plan plan[gs_vendor_most_plans];
    int plans;
};

// alpha and beta in the type of the values.
struct gs_vendor_factors {
    double wide[2];
    float narrow[2];
    bool single;
    gs_vendor_factors(gsolve_type type, double alpha, double beta)
        : wide{alpha, beta}, narrow{(float)alpha, (float)beta}, single(type == GSOLVE_F32)
    {
    }
    const void *at(int k) const
    {
        return single ? (const void *)&narrow[k] : (const void *)&wide[k];
    }
};

inline cudaDataType gs_vendor_type_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? CUDA_R_32F : CUDA_R_64F;
}

// The size of the matrix for cuSPARSE: complete blocks for BSR.
inline int32_t gs_vendor_nrows(const gs_vendor_matrix *v)
{
    return v->chosen.alg == GS_BSR ? v->rows * v->chosen.block : v->csr.nrows;
}

inline int32_t gs_vendor_ncols(const gs_vendor_matrix *v)
{
    return v->chosen.alg == GS_BSR ? v->cols * v->chosen.block : v->csr.ncols;
}

inline cusparseSpMVAlg_t gs_vendor_spmv(const gs_vendor_matrix *v)
{
    constexpr cusparseSpMVAlg_t of[] = {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2,
                                        CUSPARSE_SPMV_COO_ALG2, CUSPARSE_SPMV_SELL_ALG1,
                                        CUSPARSE_SPMV_BSR_ALG1};
    return of[v->chosen.alg];
}

// *A = a descriptor of the stored form; release it with cusparseDestroySpMat.
gsolve_status gs_vendor_describe(const gs_vendor_matrix *v, gsolve_context *ctx,
                                 cusparseSpMatDescr_t *A);

// Make the stored forms that are not the handle's own rows. v owns what they allocate, also on
// failure.
gsolve_status gs_vendor_slice(gs_vendor_matrix *v, gsolve_context *ctx);
gsolve_status gs_vendor_gather(gs_vendor_matrix *v, gsolve_context *ctx);

// Store the values again after those of the rows have changed.
gsolve_status gs_vendor_refill_slices(gs_vendor_matrix *v, gsolve_context *ctx);
gsolve_status gs_vendor_refill_blocks(gs_vendor_matrix *v, gsolve_context *ctx);

// Members of gsolve_format.
gsolve_status gs_vendor_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y);
gsolve_status gs_vendor_apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y);

#endif
