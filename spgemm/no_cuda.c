/* no_cuda.c: empty kernel tables, linked instead of the .cu files of spgemm/ in a build without
 * CUDA. */
#include "spgemm/blocked/blocked.h"
#include "spgemm/galerkin/triple.h"

const gs_count_kernels gs_work_cuda;
const gs_product_kernels gs_esc_cuda[GSOLVE_TYPE_COUNT];
const gs_product_kernels gs_hash_cuda[GSOLVE_TYPE_COUNT];
const gs_triple_kernels gs_triple_cuda[GSOLVE_TYPE_COUNT];
const gs_multiplier gs_cusparse_multiplier;
const gs_blocked_kernels gs_blocked_cuda[GSOLVE_TYPE_COUNT];
