/* esc.c: C = A B by expansion, sorting and compression (Polok, Ila, Smrz: Fast Sparse Matrix
 * Multiplication on GPU, HPC 2015, after Bell, Dalton and Olson). The paper's columns are rows
 * here. Each entry a_ik is multiplied with each entry of row k of B. These products, in the order
 * of A's entries, are the expansion. A stable sort by (row, column) makes the terms of each entry
 * of C adjacent. Their sums are the compressed form.
 *
 * As in the paper:
 *   - The work of an entry of A is the length of its row of B. The exclusive scan of the work is
 *     divided into equal shares of products. A search in the scan finds the first entry of a share.
 *   - The sort is segmented by the rows of C. Empty rows need no special case, because an entry
 *     without products has no part in the scan.
 *   - Blocks are multiplied in the compression; the expansion holds pointers to both blocks.
 *
 * Other than in the paper:
 *   - The sort is local. Rows whose products fit a warp, a thread block or a CPU cache are
 *     expanded, sorted and compressed there. Only longer rows store products between the steps.
 *   - There are two passes. The first sorts, counts C's entries and stores the order, for each
 *     product 2 bytes on a GPU (8 in bands) or 4 on the CPU. The second computes the products and
 *     sums them in that order. An update repeats the second pass.
 *   - What does not fit the memory is processed in bands: a band is a range of rows, or a range of
 *     columns of one row. So the expansion needs a limited share of the memory. The paper leaves
 *     that to future work.
 *   - The order of a sum does not depend on bands, tiles or threads, see esc.h. The paper's
 *     segmented reduction depends on where the segments begin.
 *   - The sort is stable, and its keys are columns relative to the smallest one, which are short.
 */
#include "spgemm/esc/esc.h"

#include "core/try.h"

static const gsolve_option option_table[] = {
    {"memory",
     "memory for the intermediate products in MiB; 0: chosen from the sizes of the matrices",
     GSOLVE_REAL, offsetof(gs_esc_options, memory), 0, 0, 1e9, NULL},
    {0},
};

/* The peak of memory should stay below 2.5 times inputs and result. C is not known at this point;
 * the estimate assumes one entry for 16 products. */
double gs_esc_memory(const gs_esc_options *options, const gs_blocked *A, int64_t entries_A,
                     const gs_blocked *B, int64_t entries_B, int64_t products)
{
    const double size = (double)gs_type_size(A->csr.type), index = sizeof *A->csr.col;
    const double a = (double)entries_A * (index + A->height * A->width * size);
    const double b = (double)entries_B * (index + B->height * B->width * size);
    const double c = (double)products / 16 * (index + A->height * B->width * size);

    const double mib = 1 << 20;

    return options->memory > 0 ? options->memory * mib : 1.5 * (a + b + c) + mib;
}

const gs_multiplier gs_esc_multiplier = {
    .plugin = {"esc",
               "C = A B: the intermediate products are computed, sorted and summed (ESC: expand, "
               "sort, compress); also for matrices of dense blocks",
               option_table, sizeof(gs_esc_options)},
    .most = GS_MAX_BLOCK,
    .host = GS_LEVEL_LIST(gs_esc_host),
    .cuda = gs_esc_cuda,
};
