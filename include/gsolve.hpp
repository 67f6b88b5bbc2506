/* gsolve.hpp: the C interface of gsolve in C++17. Objects free what they own, errors are
 * exceptions, and arrays are passed as spans. Each member function does what the C function with
 * its name does, whose description in the headers holds.
 *
 *     gsolve::context ctx("auto");
 *     gsolve::matrix A(ctx, "auto", gsolve::csr(n, n, start, col, value)); // std::vectors
 *     gsolve::precond M(ctx, "ic", A);
 *     gsolve::solver S(ctx, "cg,rtol=1e-10", A, M);
 *     gsolve_result result = S.run(b, x);
 *
 * The objects can be moved, not copied. An object keeps alive what it uses, so they may be
 * destroyed in any order. get() returns the handle, which the object still owns, for the C
 * interface. */
#ifndef GSOLVE_HPP
#define GSOLVE_HPP
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "gsolve_io.h"

namespace gsolve
{

/* --- errors and arrays ------------------------------------------------------------------------ */

/* A call that failed. what() is the sentence of gsolve_error. */
struct error : std::runtime_error {
    error(gsolve_status code, const char *sentence)
        : std::runtime_error(*sentence ? sentence : gsolve_status_text(code)), status(code)
    {
    }
    gsolve_status status;
};

inline void check(gsolve_status status, const gsolve_context *ctx)
{
    if (status != GSOLVE_OK) throw error(status, gsolve_error(ctx));
}

/* An array of the caller: a pointer and a number of elements. std::vector, std::array and every
 * other class with data() and size() convert to it. It does not own the array. */
template <class T>
class span
{
  public:
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    span(C &&c) : data_(c.data()), size_(c.size())
    {
    }
    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

  private:
    T *data_;
    std::size_t size_;
};
template <class C>
span(C &&c) -> span<std::remove_pointer_t<decltype(c.data())>>;

template <class T>
constexpr gsolve_type type_of() noexcept
{
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "float or double");
    return std::is_same_v<T, float> ? GSOLVE_F32 : GSOLVE_F64;
}

inline void require(bool fits, const char *sentence)
{
    if (!fits) throw error(GSOLVE_BAD_ARGUMENT, sentence);
}

/* A view of `columns` vectors, one after the other. */
template <class T>
gsolve_dense dense(span<T> v, std::int32_t columns = 1)
{
    using number = std::remove_const_t<T>;
    const std::size_t count = columns > 0 ? static_cast<std::size_t>(columns) : 1;
    require(v.size() % count == 0 && v.size() / count <= INT32_MAX,
            "the size of the array is not the number of columns times a number of rows");
    gsolve_dense d = gsolve_vector(nullptr, static_cast<std::int32_t>(v.size() / count));
    d.ncols = columns;
    d.value = const_cast<number *>(v.data());
    d.type = type_of<number>();
    return d;
}

/* The same for an array that the library writes to. */
template <class T>
gsolve_dense dense_result(span<T> v, std::int32_t columns)
{
    static_assert(!std::is_const_v<T>, "the library writes to this array, so it must not be const");
    return dense(v, columns);
}

/* A view of compressed rows on the host, with offsets of 32 or 64 bits. The arrays must outlive the
 * view. */
template <class S, class C, class V>
gsolve_csr csr(std::int32_t nrows, std::int32_t ncols, const S &start, const C &col, const V &value)
{
    using offset = std::remove_cv_t<std::remove_pointer_t<decltype(start.data())>>;
    static_assert(std::is_same_v<offset, std::int32_t> || std::is_same_v<offset, std::int64_t>);
    const span<const std::int32_t> columns(col);
    require(nrows >= 0 && start.size() == static_cast<std::size_t>(nrows) + 1,
            "gsolve::csr: start must have nrows + 1 elements");
    const auto entries = static_cast<std::size_t>(start.data()[nrows]);
    require(columns.size() >= entries && value.size() >= entries,
            "gsolve::csr: col or value has fewer elements than start[nrows]");
    gsolve_csr view = gsolve_csr_view(nrows, nullptr, columns.data(), nullptr);
    view.ncols = ncols;
    view.start = start.data();
    view.value = value.data();
    view.offset = std::is_same_v<offset, std::int64_t> ? GSOLVE_O64 : GSOLVE_O32;
    view.type = type_of<std::remove_cv_t<std::remove_pointer_t<decltype(value.data())>>>();
    return view;
}

/* --- handles ---------------------------------------------------------------------------------- */

/* What the four classes have in common. */
template <class H>
class handle
{
  public:
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    handle(handle &&) noexcept = default;
    handle &operator=(handle &&) noexcept = default;
    H *get() const noexcept { return shared_.get(); }
    const std::shared_ptr<H> &shared() const noexcept { return shared_; }

  protected:
    handle() = default;
    /* Owns `object`; `used` live as long as it does. */
    template <class... U>
    void own(H *object, void (*destroy)(H **), std::shared_ptr<gsolve_context> ctx, U... used)
    {
        ctx_ = ctx;
        shared_.reset(object, [=](H *h) {
            (void)ctx, ((void)used, ...);
            destroy(&h);
        });
    }
    void check(gsolve_status status) const
    {
        require(shared_ != nullptr, "the object is empty: it was moved from");
        gsolve::check(status, ctx_.get());
    }
    H *use() const { return check(GSOLVE_OK), get(); }
    template <class I>
    I described(void (*describe)(const H *, I *)) const
    {
        I info = GSOLVE_INIT(I);
        describe(use(), &info);
        return info;
    }

  private:
    std::shared_ptr<gsolve_context> ctx_;
    std::shared_ptr<H> shared_;
};

struct context : handle<gsolve_context> {
    explicit context(const std::string &spec = "auto")
    {
        gsolve_context *ctx = nullptr;
        gsolve::check(gsolve_context_create(&ctx, spec.c_str()), nullptr);
        own(ctx, gsolve_context_destroy, nullptr);
    }
    gsolve_context_info describe() const { return described(gsolve_context_describe); }
    /* A solve in one call; see gsolve_solve. */
    gsolve_result solve(const gsolve_csr &A, span<const double> b, span<double> x) const
    {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve::check(gsolve_solve(use(), &A, dense(b), dense(x), &result), get());
        return result;
    }
};

struct matrix : handle<gsolve_matrix> {
    matrix(const context &ctx, const std::string &spec, const gsolve_csr &csr)
    {
        gsolve_matrix *A = nullptr;
        gsolve::check(gsolve_matrix_create(&A, ctx.get(), spec.c_str(), &csr), ctx.get());
        own(A, gsolve_matrix_destroy, ctx.shared());
    }
    void update(const gsolve_csr &csr) { check(gsolve_matrix_update(get(), &csr)); }
    /* y = alpha A x + beta y */
    template <class X, class Y>
    void apply(double alpha, const X &x, double beta, Y &&y, std::int32_t columns = 1) const
    {
        check(gsolve_matrix_apply(get(), alpha, dense(span(x), columns), beta,
                                  dense_result(span(y), columns)));
    }
    gsolve_matrix_info describe() const { return described(gsolve_matrix_describe); }
};

struct precond : handle<gsolve_precond> {
    precond(const context &ctx, const std::string &spec, const matrix &A)
    {
        gsolve_precond *M = nullptr;
        gsolve::check(gsolve_precond_create_from(&M, ctx.get(), spec.c_str(), A.get()), ctx.get());
        own(M, gsolve_precond_destroy, ctx.shared());
    }
    void update(const matrix &A) { check(gsolve_precond_update_from(get(), A.get())); }
    gsolve_precond_info describe() const { return described(gsolve_precond_describe); }
};

class solver : public handle<gsolve_solver>
{
  public:
    solver(const context &ctx, const std::string &spec, const matrix &A)
    {
        create(ctx, spec, A, {});
    }
    solver(const context &ctx, const std::string &spec, const matrix &A, const precond &M)
    {
        require(M.get() != nullptr, "the preconditioner is empty: it was moved from");
        create(ctx, spec, A, M.shared());
    }
    /* b and x have `columns` columns, one after the other. */
    template <class B, class X>
    gsolve_result run(const B &b, X &&x, std::int32_t columns = 1)
    {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        check(gsolve_solver_run(get(), dense(span(b), columns), dense_result(span(x), columns),
                                &result));
        return result;
    }
    std::string explain() { return gsolve_solver_explain(use()); }
    std::string name() const { return gsolve_solver_name(use()); }

  private:
    void create(const context &ctx, const std::string &spec, const matrix &A,
                const std::shared_ptr<gsolve_precond> &M)
    {
        gsolve_solver *S = nullptr;
        gsolve::check(gsolve_solver_create(&S, ctx.get(), spec.c_str(), A.get(), M.get()),
                      ctx.get());
        own(S, gsolve_solver_destroy, ctx.shared(), A.shared(), M);
    }
};

} // namespace gsolve
#endif
