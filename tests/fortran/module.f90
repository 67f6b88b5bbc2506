! module.f90: the module gsolve: arguments that may be absent, arrays, several columns, texts, a monitor.
module monitors
  use gsolve
  implicit none
  integer :: calls = 0
contains
  function count_call(iteration, residual, user) bind(C) result(go_on)
    integer(c_int), value :: iteration
    real(c_double), value :: residual
    type(c_ptr), value :: user
    logical(c_bool) :: go_on

    calls = calls + 1
    go_on = iteration >= 0 .and. residual >= 0 .and. .not. c_associated(user)
  end function
end module

program module_test
  use gsolve
  use monitors
  implicit none
  integer(c_int32_t), target :: start(4) = [0, 2, 5, 7], col(7) = [0, 1, 0, 1, 2, 1, 2]
  real(c_double), target :: value(7) = [2, -1, -1, 2, -1, -1, 2], b(3, 2), x(3, 2), relative(2)
  type(c_ptr) :: ctx = c_null_ptr, A = c_null_ptr, M = c_null_ptr, S = c_null_ptr
  type(gsolve_csr) :: csr, read
  type(gsolve_result) :: result
  type(gsolve_matrix_info) :: info
  type(gsolve_source) :: source
  type(gsolve_null_space) :: space

  call expect(gsolve_context_create(ctx, "gpu"//c_null_char) == GSOLVE_BAD_SPEC, "an unknown device")
  call expect(index(gsolve_string(gsolve_error(c_null_ptr)), "unknown device") == 1, "its sentence")
  call expect(gsolve_context_create(ctx, "cpu"//c_null_char) == GSOLVE_OK, "a context")
  csr = gsolve_csr_view(start, col, value)
  b(:, 1) = [1, 0, 1]
  b(:, 2) = [2, 0, 2]
  x = 0
  call expect(gsolve_solve(ctx, csr, gsolve_vector(b(:, 1)), gsolve_vector(x(:, 1)), result) == GSOLVE_OK, "one call")
  call expect(all(abs(x(:, 1) - 1) < 1d-7), "its solution")
  call expect(gsolve_matrix_create(A, ctx, "csr"//c_null_char, csr) == GSOLVE_OK, "a matrix")
  call expect(gsolve_precond_create_from(M, ctx, "jacobi"//c_null_char, A) == GSOLVE_OK, "a preconditioner")
  call expect(gsolve_solver_create(S, ctx, "cg"//c_null_char, A, M) == GSOLVE_OK, "a solver")
  call gsolve_solver_set_monitor(S, c_funloc(count_call), c_null_ptr)
  x = 0
  call expect(gsolve_solver_run(S, gsolve_vector(b), gsolve_vector(x), result) == GSOLVE_OK, "two columns")
  call expect(result%outcome == GSOLVE_CONVERGED .and. all(abs(x(:, 2) - 2) < 1d-7), "their solution")
  call expect(calls > 0, "calls of the monitor")
  call expect(gsolve_matrix_residual(A, gsolve_vector(b), gsolve_vector(x), relative) == GSOLVE_OK .and. &
              all(relative < 1d-8), "the residuals")
  call expect(index(gsolve_string(gsolve_solver_name(S)), "cg") == 1, "the name")
  space%constants = .true. ! the other members are 0 from the declaration on
  call expect(gsolve_matrix_set_null_space(A, space) == GSOLVE_BAD_ARGUMENT, "a vector that is not in the null space")
  call expect(index(gsolve_string(gsolve_error(ctx)), "the constant vector is not") == 1, "its sentence")
  call gsolve_matrix_describe(A, info)
  call expect(info%nrows == 3 .and. info%entries == 7 .and. info%type == GSOLVE_F64, "the description")
  call expect(gsolve_read_matrix(read, ctx, "gen:poisson2d,n=4"//c_null_char) == GSOLVE_OK .and. read%nrows == 16, &
              "a matrix without options")
  call gsolve_csr_free(read, ctx)
  call expect(gsolve_read_matrix(read, ctx, "gen:poisson2d,n=4"//c_null_char, source=source) == GSOLVE_OK .and. &
              source%stored == 64, "a matrix and its source")
  call gsolve_csr_free(read, ctx)
  call gsolve_context_destroy(ctx)
  call expect(.not. c_associated(ctx), "a handle that is destroyed")

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    print "(2a)", "FAILED: ", what
    stop 1
  end subroutine
end program
