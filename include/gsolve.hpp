/* gsolve.hpp: the C interface of gsolve in C++17. Objects free what they own, errors are
 * exceptions, arrays are spans. A member function does what the C function with its name does.
 *
 *     gsolve::context ctx("auto");
 *     gsolve::matrix A(ctx, "auto", gsolve::csr(n, n, start, col, value)); // std::vectors
 *     gsolve::precond M(ctx, "ic", A);
 *     gsolve::solver S(ctx, "cg,rtol=1e-10", A, M); // or gsolve::auto_solver S(ctx, "", A);
 *     gsolve_result result = S.run(b, x);
 *
 * Objects can be moved, not copied; each keeps alive what it uses. get() returns the C handle. */
#ifndef GSOLVE_HPP
#define GSOLVE_HPP
#if __cplusplus < 201703L
#error "gsolve.hpp needs C++17: compile with -std=c++17 or later"
#else
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "gsolve_io.h"
#include "gsolve_plugin.h"
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

inline void require(bool fits, const char *sentence, gsolve_status status = GSOLVE_BAD_ARGUMENT)
{
    if (!fits) throw error(status, sentence);
}

/* An array of the caller. Classes with data() and size(), such as std::vector, convert to it. */
template <class T>
struct span {
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <class C>
    span(C &&c) : span(c.data(), c.size())
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
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "not float or double");
    return std::is_same_v<T, float> ? GSOLVE_F32 : GSOLVE_F64;
}

/* A view of `columns` vectors, one after the other. Written: the library writes to them. */
template <bool Written = false, class T>
gsolve_dense dense(span<T> v, std::int32_t columns = 1)
{
    static_assert(!Written || !std::is_const_v<T>, "the library writes to a const array");
    using number = std::remove_const_t<T>;
    const std::size_t count = columns > 0 ? static_cast<std::size_t>(columns) : 1;
    require(v.size() % count == 0 && v.size() / count <= INT32_MAX,
            "the size of the array is not the number of columns times a number of rows");
    const auto rows = static_cast<std::int32_t>(v.size() / count);
    return {rows, columns, rows, const_cast<number *>(v.data()), type_of<number>(), {}, {}};
}

/* A view of compressed rows, with offsets of 32 or 64 bits. The arrays must outlive it. */
template <class S, class C, class V>
gsolve_csr csr(std::int32_t nrows, std::int32_t ncols, const S &start, const C &col, const V &value)
{
    using offset = std::remove_cv_t<std::remove_pointer_t<decltype(start.data())>>;
    using number = std::remove_cv_t<std::remove_pointer_t<decltype(value.data())>>;
    static_assert(std::is_same_v<offset, std::int32_t> || std::is_same_v<offset, std::int64_t>,
                  "the elements of start must be std::int32_t or std::int64_t");
    constexpr gsolve_offset offsets = sizeof(offset) == 8 ? GSOLVE_O64 : GSOLVE_O32;
    require(nrows >= 0 && start.size() == static_cast<std::size_t>(nrows) + 1,
            "gsolve::csr: start must have nrows + 1 elements");
    const auto entries = static_cast<std::size_t>(start.data()[nrows]);
    require(col.size() >= entries && value.size() >= entries,
            "gsolve::csr: col or value has fewer elements than start[nrows]");
    return {nrows, ncols, start.data(), col.data(), value.data(), offsets, type_of<number>(), {}};
}

/* Computes y = A x for an operator, by the rules of gsolve_apply_function. Fails by exceptions. */
using product = std::function<void(const gsolve_dense &x, const gsolve_dense &y)>;

struct function : std::shared_ptr<product> {
    template <class F>
    function(F f) : shared_ptr(std::make_shared<product>(f))
    {
    }
    static gsolve_status call(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
    try {
        (*static_cast<const product *>(user))(x, y);
        return GSOLVE_OK;
    } catch (const std::exception &e) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "%s", e.what());
    } catch (...) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "the function threw no std::exception");
    }
};

/* --- handles ---------------------------------------------------------------------------------- */

template <class H, void (*Destroy)(H **)>
struct handle {
    H *get() const { return check(GSOLVE_OK), shared_.get(); }
    const std::shared_ptr<H> &keep() const noexcept { return shared_; } /* keeps it alive */

  protected:
    /* Owns what create(&object, argument...) makes. ctx and `used` live as long as that. */
    template <class... P, class... Q>
    handle(std::shared_ptr<gsolve_context> ctx, std::vector<std::shared_ptr<const void>> used,
           gsolve_status (*create)(H **, P...), Q... argument)
        : ctx_(ctx)
    {
        H *object = nullptr;
        const gsolve_status status = create(&object, argument...);
        require(status == GSOLVE_OK, gsolve_error(ctx.get()), status);
        used.push_back(ctx);
        shared_.reset(object, [used = std::move(used)](H *owned) { Destroy(&owned); });
    }
    handle(handle &&) noexcept = default;
    handle &operator=(handle &&) noexcept = default;
    void check(gsolve_status status) const
    {
        require(shared_ != nullptr, "the object is empty: it was moved from");
        require(status == GSOLVE_OK, gsolve_error(ctx_.get()), status);
    }
    template <class I>
    I described(void (*describe)(const H *, I *)) const
    {
        I info = GSOLVE_INIT(I);
        describe(get(), &info);
        return info;
    }

  private:
    std::shared_ptr<gsolve_context> ctx_;
    std::shared_ptr<H> shared_;
};

struct context : handle<gsolve_context, gsolve_context_destroy> {
    explicit context(const std::string &spec = "auto")
        : handle(nullptr, {}, gsolve_context_create, spec.c_str())
    {
    }
    gsolve_context_info describe() const { return described(gsolve_context_describe); }
};

struct matrix : handle<gsolve_matrix, gsolve_matrix_destroy> {
    matrix(const context &ctx, const std::string &spec, const gsolve_csr &csr)
        : handle(ctx.keep(), {}, gsolve_matrix_create, ctx.get(), spec.c_str(), &csr)
    {
    }
    /* An operator. flags: of gsolve_matrix_set_flags. */
    matrix(const context &ctx, std::int32_t nrows, std::int32_t ncols, function apply,
           unsigned flags = 0, gsolve_type type = GSOLVE_F64)
        : handle(ctx.keep(), {apply}, gsolve_matrix_create_operator, ctx.get(), nrows, ncols, type,
                 function::call, nullptr, apply.get()),
          user_(apply.get())
    {
        check(gsolve_matrix_set_flags(get(), flags));
    }
    void update(const gsolve_csr &csr) { check(gsolve_matrix_update(get(), &csr)); }
    /* The operator computes other products from now on. */
    void update() { check(gsolve_matrix_update_operator(get(), user_)); }
    void set_null_space(const gsolve_null_space &right, const gsolve_null_space *left = nullptr)
    {
        check(gsolve_matrix_set_null_space(get(), &right, left));
    }
    template <class X, class Y>
    void apply(double alpha, const X &x, double beta, Y &&y, std::int32_t columns = 1) const
    {
        check(gsolve_matrix_apply(get(), alpha, dense(span(x), columns), beta,
                                  dense<true>(span(y), columns)));
    }
    gsolve_matrix_info describe() const { return described(gsolve_matrix_describe); }

  private:
    void *user_ = nullptr;
};

struct precond : handle<gsolve_precond, gsolve_precond_destroy> {
    precond(const context &ctx, const std::string &spec, const matrix &A)
        : handle(ctx.keep(), {}, gsolve_precond_create_from, ctx.get(), spec.c_str(), A.get())
    {
    }
    void update(const matrix &A) { check(gsolve_precond_update_from(get(), A.get())); }
    gsolve_precond_info describe() const { return described(gsolve_precond_describe); }
};

/* What a solver and an automatic solver have in common. */
template <class H, void (*Destroy)(H **), auto Run, auto Set, auto Explain>
struct runs : handle<H, Destroy> {
    using handle<H, Destroy>::handle;
    /* b and x have `count` columns, one after the other. */
    template <class B, class X>
    gsolve_result run(const B &b, X &&x, std::int32_t count = 1)
    {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        this->check(Run(this->get(), dense(span(b), count), dense<true>(span(x), count), &result));
        return result;
    }
    void set(const std::string &options) { this->check(Set(this->get(), options.c_str())); }
    std::string explain() { return Explain(this->get()); }
};

struct solver : runs<gsolve_solver, gsolve_solver_destroy, gsolve_solver_run, gsolve_solver_set,
                     gsolve_solver_explain> {
    solver(const context &ctx, const std::string &spec, const matrix &A)
        : runs(ctx.keep(), {A.keep()}, gsolve_solver_create, ctx.get(), spec.c_str(), A.get(),
               nullptr)
    {
    }
    solver(const context &ctx, const std::string &spec, const matrix &A, const precond &M)
        : runs(ctx.keep(), {A.keep(), M.keep()}, gsolve_solver_create, ctx.get(), spec.c_str(),
               A.get(), M.get())
    {
    }
    std::string name() const { return gsolve_solver_name(get()); }
};

/* The automatic solver of gsolve_auto.h. After A.update, a run updates what depends on A. */
struct auto_solver : runs<gsolve_auto, gsolve_auto_destroy, gsolve_auto_run, gsolve_auto_set,
                          gsolve_auto_explain> {
    auto_solver(const context &ctx, const std::string &options, const matrix &A)
        : runs(ctx.keep(), {A.keep()}, gsolve_auto_create_from, ctx.get(), options.c_str(), A.get())
    {
    }
    gsolve_auto_info describe() const { return described(gsolve_auto_describe); }
};
} // namespace gsolve
#endif
#endif
