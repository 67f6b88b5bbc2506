/* plugin_notes.c: requirements, sources and examples of the plug-ins. The test list_examples runs
 * each example. */
#include "cli/plugin_notes.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const cli_note notes[] = {
    {"solvers", "cg", "A and the preconditioner symmetric positive definite", "M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952", NULL},
    {"solvers", "pipecg", "A and the preconditioner symmetric positive definite", "P. Ghysels and W. Vanroose, Hiding global synchronization latency in the preconditioned conjugate gradient algorithm, 2014", NULL},
    {"solvers", "bicg", "A square; a preconditioner that can be transposed", "R. Fletcher, Conjugate gradient methods for indefinite systems, 1976", "gsolve -A gen:convdiff3d,n=16 --solver bicg --precond ilu"},
    {"solvers", "bicgstab", "A square", "H. A. van der Vorst, Bi-CGSTAB, 1992", "gsolve -A gen:convdiff3d,n=16 --solver bicgstab --precond ilu"},
    {"solvers", "cgs", "A square", "P. Sonneveld, CGS, a fast Lanczos-type solver for nonsymmetric linear systems, 1989", "gsolve -A gen:convdiff3d,n=16 --solver cgs --precond ilu"},
    {"solvers", "tfqmr", "A square", "R. W. Freund, A transpose-free quasi-minimal residual algorithm for non-Hermitian linear systems, 1993", "gsolve -A gen:convdiff3d,n=16 --solver tfqmr --precond ilu"},
    {"solvers", "idr", "A square", "M. B. van Gijzen and P. Sonneveld, Algorithm 913: an elegant IDR(s) variant that efficiently exploits biorthogonality properties, 2011", "gsolve -A gen:convdiff3d,n=16 --solver idr,s=4 --precond ilu"},
    {"solvers", "gmres", "A square; a preconditioner that does not change between iterations", "Y. Saad and M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, 1986", "gsolve -A gen:convdiff3d,n=16 --solver gmres,restart=50 --precond ilu"},
    {"solvers", "fgmres", "A square", "Y. Saad, A flexible inner-outer preconditioned GMRES algorithm, 1993", "gsolve -A gen:poisson2d,n=50 --solver fgmres --precond amg,cycle=k"},
    {"solvers", "minres", "A symmetric; the preconditioner symmetric positive definite", "C. C. Paige and M. A. Saunders, Solution of sparse indefinite systems of linear equations, 1975", "gsolve -A gen:poisson2d,n=50 --solver minres --precond jacobi,abs=1"},
    {"solvers", "block_cg", "A and the preconditioner symmetric positive definite; of use with several right-hand sides", "D. P. O'Leary, The block conjugate gradient algorithm and related methods, 1980; A. A. Dubrulle, Retooling the method of block conjugate gradients, 2001", "gsolve -A gen:poisson2d,n=50 -b random,k=8 --solver block_cg --precond jacobi"},
    {"solvers", "block_gmres", "A square; a preconditioner that does not change between iterations; of use with several right-hand sides", "Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, 2003, section 6.12", "gsolve -A gen:convdiff3d,n=16 -b random,k=8 --solver block_gmres --precond ilu"},
    {"solvers", "lsqr", "any A; the preconditioner jacobi,normal=1 or none", "C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse linear equations and sparse least squares, 1982", "gsolve -A gen:lp,n=200,cols=1200 --solver lsqr --precond jacobi,normal=1"},
    {"solvers", "lsmr", "any A; the preconditioner jacobi,normal=1 or none", "D. C.-L. Fong and M. A. Saunders, LSMR: an iterative algorithm for sparse least-squares problems, 2011", "gsolve -A gen:lp,n=200,cols=1200 --solver lsmr --precond jacobi,normal=1"},
    {"solvers", "refine", "what its inner method needs", "J. H. Wilkinson, Rounding Errors in Algebraic Processes, 1963; C. B. Moler, Iterative refinement in floating point, 1967", "gsolve -A gen:poisson2d,n=50 --solver refine,inner=cg --precond jacobi"},
    {"solvers", "direct", "any A, if the factors fit into memory; cholesky: A symmetric positive definite; lu: A square; ignores the preconditioner", "T. A. Davis, Direct Methods for Sparse Linear Systems, 2006", "gsolve -A gen:poisson2d,n=50 --solver direct,factor=cholesky"},

    {"preconds", "none", "nothing", "no preconditioner", NULL},
    {"preconds", "jacobi", "no zero on the diagonal; for cg and minres a positive diagonal, or abs=1", "C. G. J. Jacobi, 1845", NULL},
    {"preconds", "block_jacobi", "regular blocks on the diagonal", "Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, 2003, section 12.2", "gsolve -A gen:elasticity3d,n=6 --solver cg --precond block_jacobi,size=3"},
    {"preconds", "ilu", "A square", "J. A. Meijerink and H. A. van der Vorst, An iterative solution method for linear systems of which the coefficient matrix is a symmetric M-matrix, 1977", "gsolve -A gen:convdiff3d,n=16 --solver bicgstab --precond ilu"},
    {"preconds", "ic", "A symmetric with a positive diagonal", "J. A. Meijerink and H. A. van der Vorst, 1977; T. A. Manteuffel, An incomplete factorization technique for positive definite linear systems, 1980, for the shift", NULL},
    {"preconds", "isai", "as ilu, or with factors=ic as ic", "H. Anzt, T. K. Huckle, J. Braeckle and J. Dongarra, Incomplete sparse approximate inverses for parallel preconditioning, 2018", "gsolve -A gen:poisson2d,n=50 --solver cg --precond isai,factors=ic"},
    {"preconds", "chebyshev", "A symmetric positive definite", "Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, 2003, section 12.3", "gsolve -A gen:poisson2d,n=50 --solver cg --precond chebyshev,degree=4"},
    {"preconds", "amg", "A square, similar to a discretised elliptic operator; cycle=k needs a flexible method such as fgmres", "sa: P. Vanek, J. Mandel and M. Brezina, 1996; ua: Y. Notay, 2010; classical: J. W. Ruge and K. Stueben, 1987, and H. De Sterck, R. D. Falgout, J. W. Nolting and U. M. Yang, 2008", "gsolve -A gen:poisson3d,n=30 --solver cg --precond amg"},

    {"formats", "csr", "nothing", "own", NULL},
    {"formats", "sell", "rows that are not too different, or padding is refused", "A. Monakov, A. Lokhmotov and A. Avetisyan, 2010 (slices); M. Kreutzer, G. Hager, G. Wellein, H. Fehske and A. R. Bishop, 2014 (SELL-C-sigma)", "gsolve -A gen:poisson2d,n=50 --format sell,sigma=256"},
    {"formats", "ell", "rows of similar length, or padding is refused", "N. Bell and M. Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors, 2009", NULL},
    {"formats", "ellr", "rows that are not too different, or padding is refused", "G. Ortega, F. Vazquez, I. Garcia and E. M. Garzon, FastSpMM, 2014", NULL},
    {"formats", "bce", "nothing", "W. Yang, K. Li and K. Li (BCE); the optimal partition is of this project", NULL},
    {"formats", "bsr", "a pattern of dense blocks of 2 to 8 rows", "N. Bell and M. Garland, 2009", "gsolve -A gen:elasticity3d,n=6 --format bsr,block=3"},
    {"formats", "coo", "nothing", "N. Bell and M. Garland, 2009", NULL},
    {"formats", "hyb", "nothing", "N. Bell and M. Garland, 2009", NULL},
    {"formats", "segmented", "nothing", "He, Tan, Tlelo-Cuautle, Wang and Tang (segSpMV, segSpMV-r)", NULL},
    {"formats", "ps", "nothing", "Deng et al., as described by He et al.", NULL},
    {"formats", "csr_scalar", "nothing", "N. Bell and M. Garland, 2009", NULL},
    {"formats", "csr_vector", "nothing", "N. Bell and M. Garland, 2009", NULL},
    {"formats", "speculative", "nothing", "W. Liu and B. Vinter, Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors, 2015", NULL},
    {"formats", "cusparse", "a GPU", "CUDA", NULL},
    {"formats", "auto", "nothing", "own", NULL},

    {"products", "gustavson", "matrices on the CPU", "F. G. Gustavson, Two fast algorithms for sparse matrices, 1978", NULL},
    {"products", "esc", "nothing", "L. Polok, V. Ila and P. Smrz, Fast sparse matrix multiplication on GPU, 2015", NULL},
    {"products", "hash", "a GPU", "own", NULL},
    {"products", "cusparse", "a GPU", "CUDA", NULL},
    {"products", "auto", "nothing", "own", NULL},

    {"generators", "poisson2d", "nothing", "finite differences", NULL},
    {"generators", "poisson3d", "nothing", "finite differences", NULL},
    {"generators", "poisson3d27", "nothing", "the matrix of the benchmark HPCG", NULL},
    {"generators", "anisotropic3d", "nothing", "finite differences", NULL},
    {"generators", "jump3d", "nothing", "finite differences", NULL},
    {"generators", "convdiff3d", "nothing", "finite differences, first-order upwind", NULL},
    {"generators", "elasticity3d", "nothing", "finite elements", NULL},
    {"generators", "tridiagonal", "nothing", "own", NULL},
    {"generators", "band", "nothing", "own", NULL},
    {"generators", "rmat", "scale or n", "D. Chakrabarti, Y. Zhan and C. Faloutsos, R-MAT: a recursive model for graph mining, 2004", "gsolve info gen:rmat,scale=10"},
    {"generators", "web", "nothing", "own", NULL},
    {"generators", "circuit", "nothing", "own", NULL},
    {"generators", "random", "nothing", "own", NULL},
    {"generators", "lp", "nothing", "own", NULL},
    {"generators", "emptyrows", "nothing", "own", NULL},
    {"generators", "neumann2d", "nothing", "finite differences", "gsolve -A gen:neumann2d,n=50 --null-space constants"},
    {"generators", "shuffled3d", "nothing", "finite differences", NULL},
    {"generators", "lengths", "nothing", "own", NULL},

    {"devices", "cpu", "nothing", "OpenMP", "gsolve -A gen:poisson2d,n=50 --device cpu,threads=2"},
    {"devices", "cuda", "an NVIDIA GPU, and a build with CUDA", "CUDA", "gsolve -A gen:poisson2d,n=50 --device cuda,index=0"},
    {0},
};
/* clang-format on */

const cli_note *cli_find_note(const char *list, const char *name)
{
    for (const cli_note *n = notes; n->name; n++) {
        if (strcmp(n->list, list) == 0 && strcmp(n->name, name) == 0) return n;
    }
    return NULL;
}

void cli_example_of(const char *list, const char *name, char *text, size_t size)
{
    static const char *const made[][3] = {
        {"solvers", "gsolve -A gen:poisson2d,n=50 --solver ", " --precond jacobi"},
        {"preconds", "gsolve -A gen:poisson2d,n=50 --solver cg --precond ", ""},
        {"formats", "gsolve -A gen:poisson2d,n=50 --format ", ""},
        {"generators", "gsolve info gen:", ""},
        {"devices", "gsolve -A gen:poisson2d,n=50 --device ", ""},
    };
    const cli_note *note = cli_find_note(list, name);

    snprintf(text, size, "%s", note && note->example ? note->example : "");
    for (size_t k = 0; !text[0] && k < sizeof made / sizeof *made; k++) {
        if (strcmp(made[k][0], list) != 0) continue;
        snprintf(text, size, "%s%s%s", made[k][1], name, made[k][2]);
    }
}
