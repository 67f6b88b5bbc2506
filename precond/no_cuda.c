/* no_cuda.c: empty kernel tables, linked instead of the .cu files of precond/ in a build without
 * CUDA. */
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/coarsening/classical/classical.h"
#include "precond/amg/coarsest/invert.h"
#include "precond/amg/kernels.h"
#include "precond/amg/smoothers/gauss_seidel.h"
#include "precond/amg/smoothers/ilu.h"
#include "precond/amg/smoothers/relax.h"
#include "precond/block_jacobi/block_jacobi.h"
#include "precond/chebyshev/polynomial.h"
#include "precond/diagonal_kernels.h"
#include "precond/incomplete/triangular_solve.h"
#include "precond/jacobi/jacobi.h"

const gs_diagonal_kernels gs_diagonal_cuda[GSOLVE_TYPE_COUNT];
const gs_jacobi_kernels gs_jacobi_cuda[GSOLVE_TYPE_COUNT];
const gs_block_jacobi_kernels gs_block_jacobi_cuda[GSOLVE_TYPE_COUNT];
const gs_polynomial_kernels gs_polynomial_cuda[GSOLVE_TYPE_COUNT];
const gs_triangle_kernels gs_triangle_cuda[GSOLVE_TYPE_COUNT];
const gs_amg_kernels gs_amg_cuda[GSOLVE_TYPE_COUNT];
const gs_invert_kernels gs_invert_cuda[GSOLVE_TYPE_COUNT];
const gs_strength_kernels gs_strength_cuda[GSOLVE_TYPE_COUNT];
const gs_aggregate_kernels gs_aggregate_cuda[GSOLVE_TYPE_COUNT];
const gs_step_kernels gs_step_cuda[GSOLVE_TYPE_COUNT];
const gs_tentative_kernels gs_tentative_cuda[GSOLVE_TYPE_COUNT];
const gs_prolongator_kernels gs_prolongator_cuda[GSOLVE_TYPE_COUNT];
const gs_smoothed_kernels gs_smoothed_cuda[GSOLVE_TYPE_COUNT];
const gs_relax_kernels gs_relax_cuda[GSOLVE_TYPE_COUNT];
const gs_gauss_seidel_kernels gs_gauss_seidel_cuda[GSOLVE_TYPE_COUNT];
const gs_ilu_kernels gs_ilu_cuda[GSOLVE_TYPE_COUNT];
const gs_classical_split_kernels gs_classical_split_cuda[GSOLVE_TYPE_COUNT];
const gs_classical_interpolate_kernels gs_classical_interpolate_cuda[GSOLVE_TYPE_COUNT];
