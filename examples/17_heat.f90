! 17_heat.f90: what 15_heat.c computes, with the module gsolve.
program heat
  use gsolve
  implicit none
  integer, parameter :: side = 32, n = side*side, steps = 1000
  integer(c_int32_t), target :: start(n + 1), col(5*n)
  real(c_double), target :: value(5*n), u(n), b(n)
  real(c_double) :: h, dt, k
  type(c_ptr) :: ctx = c_null_ptr, A = c_null_ptr, M = c_null_ptr, S = c_null_ptr
  type(gsolve_csr) :: csr
  type(gsolve_result) :: result
  type(gsolve_context_info) :: before, after
  integer :: step, iterations

  h = 1d0/(side + 1)
  u = 0
  iterations = 0
  call assemble(1d0)
  csr = gsolve_csr_view(start, col, value) ! sees new values
  call check(gsolve_context_create(ctx, "auto"//c_null_char))
  call check(gsolve_matrix_create(A, ctx, "csr"//c_null_char, csr))
  call check(gsolve_precond_create(M, ctx, "jacobi"//c_null_char, csr))
  call check(gsolve_solver_create(S, ctx, "cg"//c_null_char, A, M))
  do step = 0, steps - 1
    dt = 1d-3*(1 + 0.5d0*sin(real(step, c_double)))
    k = 1 + 0.5d0*cos(0.1d0*step)
    if (step == 1) call gsolve_context_describe(ctx, before)
    call assemble(k*dt/(h*h))
    b = u + dt
    call check(gsolve_matrix_update(A, csr))
    call check(gsolve_precond_update(M, csr))
    call check(gsolve_solver_run(S, gsolve_vector(b), gsolve_vector(u), result))
    if (result%outcome /= GSOLVE_CONVERGED) then
      print "(a, i0, 2a)", "step ", step, ": ", gsolve_string(gsolve_solver_explain(S))
      stop 2
    end if
    iterations = iterations + result%iterations
  end do
  call gsolve_context_describe(ctx, after)
  print "(i0, a, i0, a, f8.6, a, i0)", steps, " steps, ", iterations, " iterations, u in the middle ", &
    u(n/2 + side/2 + 1), ", allocations after the first step: ", after%allocations - before%allocations
  call gsolve_context_destroy(ctx) ! destroys S, M and A, too

contains

  ! Five-point stencil: A = I + c tridiag(-1, 2, -1) in both directions. Rows and columns count from 0.
  subroutine assemble(c)
    real(c_double), intent(in) :: c
    integer :: i, x, y, at

    at = 0
    start(1) = 0
    do i = 0, n - 1
      x = mod(i, side)
      y = i/side
      if (y > 0) call put(at, i - side, -c)
      if (x > 0) call put(at, i - 1, -c)
      call put(at, i, 1 + 4*c)
      if (x + 1 < side) call put(at, i + 1, -c)
      if (y + 1 < side) call put(at, i + side, -c)
      start(i + 2) = at
    end do
  end subroutine

  subroutine put(at, column, number)
    integer, intent(inout) :: at
    integer, intent(in) :: column
    real(c_double), intent(in) :: number

    at = at + 1
    col(at) = column
    value(at) = number
  end subroutine

  subroutine check(status)
    integer(c_int), intent(in) :: status

    if (status == GSOLVE_OK) return
    print "(a)", gsolve_string(gsolve_error(ctx))
    stop 1
  end subroutine
end program
