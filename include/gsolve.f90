! gsolve.f90: the C interface of gsolve for Fortran 2018. Compile it with your program; the headers describe each function.
!
! Made by scripts/fortran.py. Do not edit.
!
! Handles (context, matrix, ...) are of type(c_ptr); initialise them with c_null_ptr. Strings end with c_null_char, such as
! "cg"//c_null_char. Rows and columns count from 0, as in C. Arrays that gsolve_csr_view and gsolve_vector describe must have the
! attribute target. gsolve_string turns a text of the library into a character string. The members of a struct are 0, .false. or
! null when it is declared, and its member `size` is set.
module gsolve
  use, intrinsic :: iso_c_binding
  implicit none
  private :: strlen

  ! gsolve_status
  integer(c_int), parameter :: GSOLVE_OK = 0
  integer(c_int), parameter :: GSOLVE_BAD_ARGUMENT = 1
  integer(c_int), parameter :: GSOLVE_BAD_SPEC = 2
  integer(c_int), parameter :: GSOLVE_BAD_MATRIX = 3
  integer(c_int), parameter :: GSOLVE_BAD_FILE = 4
  integer(c_int), parameter :: GSOLVE_NO_MEMORY = 5
  integer(c_int), parameter :: GSOLVE_NO_DEVICE = 6
  integer(c_int), parameter :: GSOLVE_UNSUPPORTED = 7
  integer(c_int), parameter :: GSOLVE_ZERO_PIVOT = 8
  integer(c_int), parameter :: GSOLVE_DEVICE_FAILED = 9
  integer(c_int), parameter :: GSOLVE_INTERRUPTED = 10
  integer(c_int), parameter :: GSOLVE_RANK_FAILED = 11

  ! gsolve_type
  integer(c_int), parameter :: GSOLVE_F32 = 0
  integer(c_int), parameter :: GSOLVE_F64 = 1

  ! gsolve_offset
  integer(c_int), parameter :: GSOLVE_O32 = 0
  integer(c_int), parameter :: GSOLVE_O64 = 1

  ! gsolve_location
  integer(c_int), parameter :: GSOLVE_HOST = 0
  integer(c_int), parameter :: GSOLVE_DEVICE = 1

  ! gsolve_layout
  integer(c_int), parameter :: GSOLVE_COLUMN_MAJOR = 0
  integer(c_int), parameter :: GSOLVE_ROW_MAJOR = 1

  ! gsolve_index
  integer(c_int), parameter :: GSOLVE_I32 = 0
  integer(c_int), parameter :: GSOLVE_I64 = 1

  ! gsolve_part
  integer(c_int), parameter :: GSOLVE_FULL = 0
  integer(c_int), parameter :: GSOLVE_LOWER = 1
  integer(c_int), parameter :: GSOLVE_UPPER = 2

  ! gsolve_function_flag
  integer(c_int), parameter :: GSOLVE_FUNCTION_COLUMNS = 1
  integer(c_int), parameter :: GSOLVE_FUNCTION_SYMMETRIC = 2
  integer(c_int), parameter :: GSOLVE_FUNCTION_DEFINITE = 4
  integer(c_int), parameter :: GSOLVE_FUNCTION_VARIABLE = 8
  integer(c_int), parameter :: GSOLVE_FUNCTION_NO_CAPTURE = 16

  ! gsolve_outcome
  integer(c_int), parameter :: GSOLVE_CONVERGED = 0
  integer(c_int), parameter :: GSOLVE_ITERATION_LIMIT = 1
  integer(c_int), parameter :: GSOLVE_STAGNATED = 2
  integer(c_int), parameter :: GSOLVE_DIVERGED = 3
  integer(c_int), parameter :: GSOLVE_BREAKDOWN = 4
  integer(c_int), parameter :: GSOLVE_INDEFINITE = 5
  integer(c_int), parameter :: GSOLVE_STOPPED = 6
  integer(c_int), parameter :: GSOLVE_ACCEPTED = 7
  integer(c_int), parameter :: GSOLVE_LEAST_SQUARES = 8
  integer(c_int), parameter :: GSOLVE_NOT_SOLVED = 9
  integer(c_int), parameter :: GSOLVE_TIME_LIMIT = 10

  ! gsolve_decision
  integer(c_int), parameter :: GSOLVE_CONTINUE = 0
  integer(c_int), parameter :: GSOLVE_ACCEPT = 1
  integer(c_int), parameter :: GSOLVE_STOP = 2

  ! gsolve_attempt_stage
  integer(c_int), parameter :: GSOLVE_ATTEMPT_BEGINS = 0
  integer(c_int), parameter :: GSOLVE_ATTEMPT_IS_SET_UP = 1
  integer(c_int), parameter :: GSOLVE_ATTEMPT_ENDED = 2

  ! gsolve_symmetry
  integer(c_int), parameter :: GSOLVE_GENERAL = 0
  integer(c_int), parameter :: GSOLVE_SYMMETRIC = 1
  integer(c_int), parameter :: GSOLVE_SKEW = 2
  integer(c_int), parameter :: GSOLVE_HERMITIAN = 3

  ! gsolve_file_format
  integer(c_int), parameter :: GSOLVE_FILE_MARKET = 0
  integer(c_int), parameter :: GSOLVE_FILE_NPZ = 1
  integer(c_int), parameter :: GSOLVE_FILE_NPY = 2
  integer(c_int), parameter :: GSOLVE_FILE_PETSC = 3
  integer(c_int), parameter :: GSOLVE_FILE_TEXT = 4
  integer(c_int), parameter :: GSOLVE_FILE_OTHER = 5

  type, bind(C) :: gsolve_context_options
    integer(c_size_t) :: size = 48_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: allocate_host = c_null_funptr
    type(c_funptr) :: release_host = c_null_funptr
    type(c_funptr) :: allocate_device = c_null_funptr
    type(c_funptr) :: release_device = c_null_funptr
  end type

  type, bind(C) :: gsolve_context_info
    integer(c_size_t) :: size = 344_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: device = c_null_ptr
    character(kind=c_char) :: description(256) = c_null_char
    integer(c_int) :: threads = 0
    integer(c_size_t) :: bytes = 0
    integer(c_size_t) :: peak = 0
    integer(c_int64_t) :: blocks = 0
    integer(c_int64_t) :: allocations = 0
    type(c_ptr) :: cpu_level = c_null_ptr
    integer(c_int) :: rank = 0
    integer(c_int) :: ranks = 0
    character(kind=c_char) :: transport(16) = c_null_char
  end type

  type, bind(C) :: gsolve_csr
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    type(c_ptr) :: start = c_null_ptr
    type(c_ptr) :: col = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
    integer(c_int) :: offset = 0
    integer(c_int) :: type = 0
    integer(c_int) :: location = 0
  end type

  type, bind(C) :: gsolve_dense
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    integer(c_int64_t) :: stride = 0
    type(c_ptr) :: value = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_int) :: location = 0
    integer(c_int) :: layout = 0
  end type

  type, bind(C) :: gsolve_statistics
    integer(c_size_t) :: size = 408_c_size_t ! as GSOLVE_INIT
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    integer(c_int64_t) :: entries = 0
    logical(c_bool) :: symmetric_pattern = .false._c_bool
    logical(c_bool) :: symmetric = .false._c_bool
    logical(c_bool) :: skew = .false._c_bool
    logical(c_bool) :: symmetric_rest = .false._c_bool
    integer(c_int32_t) :: empty_rows = 0
    integer(c_int32_t) :: first_empty_row = 0
    integer(c_int32_t) :: empty_cols = 0
    integer(c_int32_t) :: zero_diagonals = 0
    integer(c_int32_t) :: first_zero_diagonal = 0
    integer(c_int32_t) :: negative_diagonals = 0
    integer(c_int32_t) :: shortest_row = 0
    integer(c_int32_t) :: longest_row = 0
    integer(c_int32_t) :: bandwidth = 0
    integer(c_int32_t) :: block = 0
    integer(c_int32_t) :: dominant_rows = 0
    integer(c_int32_t) :: zero_sum_rows = 0
    integer(c_int64_t) :: positive_off = 0
    real(c_double) :: mean_row = 0
    real(c_double) :: deviation_row = 0
    real(c_double) :: dominance = 0
    real(c_double) :: spread = 0
    real(c_double) :: mean_dominance = 0
    real(c_double) :: scaling = 0
    real(c_double) :: least = 0
    real(c_double) :: largest = 0
    integer(c_int64_t) :: length(32) = 0
  end type

  type, bind(C) :: gsolve_inspection
    integer(c_size_t) :: size = 432_c_size_t ! as GSOLVE_INIT
    logical(c_bool) :: clean = .false._c_bool
    integer(c_int64_t) :: pattern = 0
    type(gsolve_statistics) :: statistics
  end type

  type, bind(C) :: gsolve_foreign
    integer(c_int64_t) :: nrows = 0
    integer(c_int64_t) :: ncols = 0
    type(c_ptr) :: start = c_null_ptr
    type(c_ptr) :: index = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
    integer(c_int) :: offset = 0
    integer(c_int) :: index_type = 0
    integer(c_int) :: type = 0
    integer(c_int) :: base = 0
    logical(c_bool) :: csc = .false._c_bool
    integer(c_int) :: part = 0
  end type

  type, bind(C) :: gsolve_triplets
    integer(c_int64_t) :: nrows = 0
    integer(c_int64_t) :: ncols = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: row = c_null_ptr
    type(c_ptr) :: col = c_null_ptr
    integer(c_int) :: index_type = 0
    integer(c_int) :: base = 0
    integer(c_int) :: part = 0
    integer(c_int) :: location = 0
  end type

  type, bind(C) :: gsolve_assembly_info
    integer(c_size_t) :: size = 64_c_size_t ! as GSOLVE_INIT
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    integer(c_int) :: type = 0
    integer(c_int64_t) :: triplets = 0
    integer(c_int64_t) :: skipped = 0
    integer(c_int64_t) :: entries = 0
    integer(c_size_t) :: bytes = 0
    real(c_double) :: seconds = 0
  end type

  type, bind(C) :: gsolve_product_info
    integer(c_size_t) :: size = 88_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: method = c_null_ptr
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    integer(c_int64_t) :: products = 0
    integer(c_int64_t) :: entries = 0
    real(c_double) :: compression = 0
    integer(c_int) :: bands = 0
    integer(c_size_t) :: bytes = 0
    integer(c_size_t) :: peak = 0
    real(c_double) :: seconds = 0
    real(c_double) :: update_seconds = 0
  end type

  type, bind(C) :: gsolve_blocked
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    type(c_ptr) :: start = c_null_ptr
    type(c_ptr) :: col = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
    integer(c_int) :: offset = 0
    integer(c_int) :: type = 0
    integer(c_int) :: location = 0
    integer(c_int32_t) :: height = 0
    integer(c_int32_t) :: width = 0
    logical(c_bool) :: column_major = .false._c_bool
  end type

  type, bind(C) :: gsolve_null_space
    logical(c_bool) :: constants = .false._c_bool
    type(gsolve_dense) :: vectors
  end type

  type, bind(C) :: gsolve_matrix_info
    integer(c_size_t) :: size = 368_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: format = c_null_ptr
    character(kind=c_char) :: form(64) = c_null_char
    integer(c_int32_t) :: nrows = 0
    integer(c_int32_t) :: ncols = 0
    integer(c_int) :: type = 0
    integer(c_int64_t) :: entries = 0
    integer(c_int64_t) :: stored = 0
    integer(c_size_t) :: bytes = 0
    real(c_double) :: build_seconds = 0
    real(c_double) :: convert_seconds = 0
    integer(c_int64_t) :: version = 0
    integer(c_int) :: changes = 0
    character(kind=c_char) :: note(200) = c_null_char
    integer(c_int32_t) :: null_space = 0
    integer(c_int64_t) :: total_rows = 0
    integer(c_int64_t) :: total_entries = 0
  end type

  type, bind(C) :: gsolve_stream_options
    type(c_ptr) :: format = c_null_ptr
    integer(c_size_t) :: memory = 0
    integer(c_int32_t) :: columns = 0
    logical(c_bool) :: sequential = .false._c_bool
  end type

  type, bind(C) :: gsolve_stream_info
    integer(c_size_t) :: size = 40_c_size_t ! as GSOLVE_INIT
    integer(c_int32_t) :: columns = 0
    integer(c_int32_t) :: chunks = 0
    integer(c_int32_t) :: bands = 0
    integer(c_size_t) :: bytes = 0
    real(c_double) :: seconds = 0
  end type

  type, bind(C) :: gsolve_run_estimate
    integer(c_int64_t) :: made = 0
    real(c_double) :: remaining = 0
    real(c_double) :: most = 0
    integer(c_int32_t) :: columns = 0
    logical(c_bool) :: ended = .false._c_bool
  end type

  type, bind(C) :: gsolve_adaptation
    logical(c_bool) :: changed = .false._c_bool
    logical(c_bool) :: final = .false._c_bool
  end type

  type, bind(C) :: gsolve_precond_info
    integer(c_size_t) :: size = 232_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: kind = c_null_ptr
    type(c_ptr) :: spec = c_null_ptr
    integer(c_int32_t) :: n = 0
    integer(c_int) :: type = 0
    integer(c_size_t) :: bytes = 0
    integer(c_size_t) :: moved = 0
    real(c_double) :: setup_seconds = 0
    integer(c_int64_t) :: version = 0
    integer(c_int) :: rebuilds = 0
    character(kind=c_char) :: note(160) = c_null_char
  end type

  type, bind(C) :: gsolve_level_info
    integer(c_size_t) :: size = 128_c_size_t ! as GSOLVE_INIT
    integer(c_int32_t) :: rows = 0
    integer(c_int64_t) :: entries = 0
    real(c_double) :: mean_row = 0
    character(kind=c_char) :: form(64) = c_null_char
    integer(c_int) :: type = 0
    integer(c_size_t) :: bytes = 0
    integer(c_int64_t) :: total_rows = 0
    integer(c_int64_t) :: total_entries = 0
  end type

  type, bind(C) :: gsolve_result
    integer(c_size_t) :: size = 80_c_size_t ! as GSOLVE_INIT
    integer(c_int) :: outcome = 0
    integer(c_int) :: iterations = 0
    integer(c_int) :: products = 0
    real(c_double) :: relative_residual = 0
    real(c_double) :: seconds = 0
    real(c_double) :: product_seconds = 0
    real(c_double) :: precond_seconds = 0
    real(c_double) :: projected_relative_residual = 0
    real(c_double) :: removed = 0
    real(c_double) :: relative_normal_residual = 0
  end type

  type, bind(C) :: gsolve_diagnosis
    integer(c_size_t) :: size = 1672_c_size_t ! as GSOLVE_INIT
    character(kind=c_char) :: name(32) = c_null_char
    character(kind=c_char) :: cause(768) = c_null_char
    character(kind=c_char) :: method(128) = c_null_char
    character(kind=c_char) :: precond(128) = c_null_char
    character(kind=c_char) :: options(96) = c_null_char
    character(kind=c_char) :: remedy(512) = c_null_char
  end type

  type, bind(C) :: gsolve_spectrum
    integer(c_size_t) :: size = 40_c_size_t ! as GSOLVE_INIT
    integer(c_int) :: steps = 0
    real(c_double) :: smallest = 0
    real(c_double) :: largest = 0
    real(c_double) :: condition = 0
  end type

  type, bind(C) :: gsolve_profile_class
    integer(c_size_t) :: size = 40_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: calls = 0
    real(c_double) :: bytes = 0
    real(c_double) :: seconds = 0
  end type

  type, bind(C) :: gsolve_profile
    integer(c_size_t) :: size = 56_c_size_t ! as GSOLVE_INIT
    integer(c_int) :: iterations = 0
    real(c_double) :: seconds = 0
    real(c_double) :: iteration_seconds = 0
    integer(c_int64_t) :: copies = 0
    real(c_double) :: iteration_bytes = 0
    real(c_double) :: class_seconds = 0
  end type

  type, bind(C) :: gsolve_choice
    integer(c_size_t) :: size = 336_c_size_t ! as GSOLVE_INIT
    character(kind=c_char) :: method(64) = c_null_char
    character(kind=c_char) :: precond(64) = c_null_char
    character(kind=c_char) :: why(200) = c_null_char
  end type

  type, bind(C) :: gsolve_auto_info
    integer(c_size_t) :: size = 240_c_size_t ! as GSOLVE_INIT
    type(c_ptr) :: method = c_null_ptr
    type(c_ptr) :: precond = c_null_ptr
    type(c_ptr) :: why = c_null_ptr
    character(kind=c_char) :: form(64) = c_null_char
    integer(c_int) :: choice = 0
    integer(c_int) :: choices = 0
    integer(c_int) :: attempts = 0
    integer(c_int64_t) :: runs = 0
    integer(c_int64_t) :: updates = 0
    integer(c_int64_t) :: rebuilds = 0
    integer(c_int) :: iterations = 0
    integer(c_int) :: first_iterations = 0
    real(c_double) :: setup_seconds = 0
    real(c_double) :: solve_seconds = 0
    real(c_double) :: total_setup_seconds = 0
    real(c_double) :: total_solve_seconds = 0
    character(kind=c_char) :: transform(64) = c_null_char
  end type

  type, bind(C) :: gsolve_attempt
    integer(c_size_t) :: size = 112_c_size_t ! as GSOLVE_INIT
    integer(c_int) :: stage = 0
    integer(c_int) :: choice = 0
    type(c_ptr) :: method = c_null_ptr
    type(c_ptr) :: precond = c_null_ptr
    type(c_ptr) :: why = c_null_ptr
    type(c_ptr) :: M = c_null_ptr
    type(c_ptr) :: S = c_null_ptr
    type(c_ptr) :: result = c_null_ptr
    integer(c_int) :: status = 0
    logical(c_bool) :: kept = .false._c_bool
    real(c_double) :: precond_seconds = 0
    real(c_double) :: method_seconds = 0
    real(c_double) :: run_seconds = 0
    logical(c_bool) :: setup_read = .false._c_bool
    logical(c_bool) :: setup_written = .false._c_bool
    type(c_ptr) :: setup_note = c_null_ptr
  end type

  type, bind(C) :: gsolve_row_range
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: total = 0
    integer(c_int32_t) :: count = 0
  end type

  type, bind(C) :: gsolve_dist_csr
    type(gsolve_row_range) :: rows
    type(gsolve_row_range) :: cols
    type(c_ptr) :: start = c_null_ptr
    type(c_ptr) :: col = c_null_ptr
    type(c_ptr) :: value = c_null_ptr
    integer(c_int) :: offset = 0
    integer(c_int) :: type = 0
    integer(c_int) :: location = 0
  end type

  type, bind(C) :: gsolve_division_info
    integer(c_size_t) :: size = 72_c_size_t ! as GSOLVE_INIT
    integer(c_int) :: ranks = 0
    integer(c_int) :: most_neighbours = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: entries = 0
    integer(c_int64_t) :: most_rows = 0
    integer(c_int64_t) :: most_entries = 0
    integer(c_int64_t) :: ghosts = 0
    integer(c_int64_t) :: most_ghosts = 0
    integer(c_int64_t) :: cut = 0
  end type

  type, bind(C) :: gsolve_read_options
    logical(c_bool) :: cache = .false._c_bool
    logical(c_bool) :: cache_read_only = .false._c_bool
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  type, bind(C) :: gsolve_source
    integer(c_size_t) :: size = 1576_c_size_t ! as GSOLVE_INIT
    character(kind=c_char) :: kind(32) = c_null_char
    character(kind=c_char) :: field(16) = c_null_char
    integer(c_int) :: symmetry = 0
    integer(c_int64_t) :: stored = 0
    integer(c_int64_t) :: duplicates = 0
    integer(c_int64_t) :: bytes = 0
    logical(c_bool) :: cached = .false._c_bool
    character(kind=c_char) :: cache(1024) = c_null_char
    integer(c_int64_t) :: stamp(3) = 0
    type(gsolve_inspection) :: inspection
  end type

  ! gsolve.h
  interface
    function gsolve_solve(ctx, csr, b, x, result) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_csr), intent(in) :: csr
      type(gsolve_dense), value :: b
      type(gsolve_dense), value :: x
      type(gsolve_result), intent(inout) :: result
      integer(c_int) :: gsolve_solve
    end function
  end interface

  ! gsolve_context.h
  interface
    function gsolve_version() bind(C)
      import
      type(c_ptr) :: gsolve_version
    end function
    function gsolve_status_text(status) bind(C)
      import
      integer(c_int), value :: status
      type(c_ptr) :: gsolve_status_text
    end function
    function gsolve_context_create(ctx, spec) bind(C)
      import
      type(c_ptr), intent(inout) :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      integer(c_int) :: gsolve_context_create
    end function
    function gsolve_context_create_with(ctx, spec, options) bind(C)
      import
      type(c_ptr), intent(inout) :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_context_options), intent(in) :: options
      integer(c_int) :: gsolve_context_create_with
    end function
    subroutine gsolve_context_destroy(ctx) bind(C)
      import
      type(c_ptr), intent(inout) :: ctx
    end subroutine
    function gsolve_context_use_device(ctx, spec) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      integer(c_int) :: gsolve_context_use_device
    end function
    function gsolve_context_use_stream(ctx, stream) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: stream
      integer(c_int) :: gsolve_context_use_stream
    end function
    subroutine gsolve_context_set_log(ctx, log, user) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_funptr), value :: log
      type(c_ptr), value :: user
    end subroutine
    subroutine gsolve_context_set_stage_monitor(ctx, monitor, user) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_funptr), value :: monitor
      type(c_ptr), value :: user
    end subroutine
    subroutine gsolve_context_interrupt(ctx, on) bind(C)
      import
      type(c_ptr), value :: ctx
      logical(c_bool), value :: on
    end subroutine
    subroutine gsolve_context_set_interrupt_test(ctx, test, user) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_funptr), value :: test
      type(c_ptr), value :: user
    end subroutine
    function gsolve_context_set_time_limit(ctx, seconds) bind(C)
      import
      type(c_ptr), value :: ctx
      real(c_double), value :: seconds
      integer(c_int) :: gsolve_context_set_time_limit
    end function
    function gsolve_error(ctx) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_ptr) :: gsolve_error
    end function
    subroutine gsolve_context_describe(ctx, info) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_context_info), intent(inout) :: info
    end subroutine
    function gsolve_context_memory(ctx, available, total) bind(C)
      import
      type(c_ptr), value :: ctx
      integer(c_size_t), intent(inout) :: available
      integer(c_size_t), intent(inout) :: total
      integer(c_int) :: gsolve_context_memory
    end function
    function gsolve_context_trim(ctx) bind(C)
      import
      type(c_ptr), value :: ctx
      integer(c_int) :: gsolve_context_trim
    end function
    function gsolve_context_copy_speed(ctx, bytes_per_second) bind(C)
      import
      type(c_ptr), value :: ctx
      real(c_double), intent(inout) :: bytes_per_second
      integer(c_int) :: gsolve_context_copy_speed
    end function
    subroutine gsolve_context_limit_allocations(ctx, count) bind(C)
      import
      type(c_ptr), value :: ctx
      integer(c_int64_t), value :: count
    end subroutine
  end interface

  ! gsolve_arrays.h
  interface
  end interface

  ! gsolve_csr.h
  interface
    function gsolve_csr_statistics(ctx, csr, statistics) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_csr), intent(in) :: csr
      type(gsolve_statistics), intent(inout) :: statistics
      integer(c_int) :: gsolve_csr_statistics
    end function
    function gsolve_csr_inspect(ctx, csr, inspection) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_csr), intent(in) :: csr
      type(gsolve_inspection), intent(inout) :: inspection
      integer(c_int) :: gsolve_csr_inspect
    end function
    function gsolve_csr_transpose(C, ctx, A) bind(C)
      import
      type(gsolve_csr), intent(inout) :: C
      type(c_ptr), value :: ctx
      type(gsolve_csr), intent(in) :: A
      integer(c_int) :: gsolve_csr_transpose
    end function
    function gsolve_csr_convert(B, ctx, type, A) bind(C)
      import
      type(gsolve_csr), intent(inout) :: B
      type(c_ptr), value :: ctx
      integer(c_int), value :: type
      type(gsolve_csr), intent(in) :: A
      integer(c_int) :: gsolve_csr_convert
    end function
    function gsolve_csr_import(csr, ctx, from) bind(C)
      import
      type(gsolve_csr), intent(inout) :: csr
      type(c_ptr), value :: ctx
      type(gsolve_foreign), intent(in) :: from
      integer(c_int) :: gsolve_csr_import
    end function
    subroutine gsolve_csr_free(C, ctx) bind(C)
      import
      type(gsolve_csr), intent(inout) :: C
      type(c_ptr), value :: ctx
    end subroutine
    function gsolve_assembly_create(plan, ctx, type, triplets) bind(C)
      import
      type(c_ptr), intent(inout) :: plan
      type(c_ptr), value :: ctx
      integer(c_int), value :: type
      type(gsolve_triplets), intent(in) :: triplets
      integer(c_int) :: gsolve_assembly_create
    end function
    subroutine gsolve_assembly_destroy(plan) bind(C)
      import
      type(c_ptr), intent(inout) :: plan
    end subroutine
    function gsolve_assembly_set_values(plan, value, location) bind(C)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: value
      integer(c_int), value :: location
      integer(c_int) :: gsolve_assembly_set_values
    end function
    function gsolve_assembly_add_values(plan, value, location) bind(C)
      import
      type(c_ptr), value :: plan
      type(c_ptr), value :: value
      integer(c_int), value :: location
      integer(c_int) :: gsolve_assembly_add_values
    end function
    function gsolve_assembly_csr(plan, csr) bind(C)
      import
      type(c_ptr), value :: plan
      type(gsolve_csr), intent(inout) :: csr
      integer(c_int) :: gsolve_assembly_csr
    end function
    subroutine gsolve_assembly_describe(plan, info) bind(C)
      import
      type(c_ptr), value :: plan
      type(gsolve_assembly_info), intent(inout) :: info
    end subroutine
    function gsolve_csr_multiply(C, ctx, spec, A, B) bind(C)
      import
      type(gsolve_csr), intent(inout) :: C
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: A
      type(gsolve_csr), intent(in) :: B
      integer(c_int) :: gsolve_csr_multiply
    end function
    function gsolve_product_create(product, ctx, spec, A, B) bind(C)
      import
      type(c_ptr), intent(inout) :: product
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: A
      type(gsolve_csr), intent(in) :: B
      integer(c_int) :: gsolve_product_create
    end function
    subroutine gsolve_product_destroy(product) bind(C)
      import
      type(c_ptr), intent(inout) :: product
    end subroutine
    function gsolve_product_update(product, A, B) bind(C)
      import
      type(c_ptr), value :: product
      type(gsolve_csr), intent(in) :: A
      type(gsolve_csr), intent(in) :: B
      integer(c_int) :: gsolve_product_update
    end function
    function gsolve_product_csr(product, C) bind(C)
      import
      type(c_ptr), value :: product
      type(gsolve_csr), intent(inout) :: C
      integer(c_int) :: gsolve_product_csr
    end function
    subroutine gsolve_product_describe(product, info) bind(C)
      import
      type(c_ptr), value :: product
      type(gsolve_product_info), intent(inout) :: info
    end subroutine
    function gsolve_galerkin_create(G, ctx, spec, R, A, P) bind(C)
      import
      type(c_ptr), intent(inout) :: G
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in), optional :: R
      type(gsolve_csr), intent(in) :: A
      type(gsolve_csr), intent(in) :: P
      integer(c_int) :: gsolve_galerkin_create
    end function
    subroutine gsolve_galerkin_destroy(G) bind(C)
      import
      type(c_ptr), intent(inout) :: G
    end subroutine
    function gsolve_galerkin_update(G, R, A, P) bind(C)
      import
      type(c_ptr), value :: G
      type(gsolve_csr), intent(in), optional :: R
      type(gsolve_csr), intent(in), optional :: A
      type(gsolve_csr), intent(in), optional :: P
      integer(c_int) :: gsolve_galerkin_update
    end function
    function gsolve_galerkin_csr(G, C) bind(C)
      import
      type(c_ptr), value :: G
      type(gsolve_csr), intent(inout) :: C
      integer(c_int) :: gsolve_galerkin_csr
    end function
    subroutine gsolve_galerkin_describe(G, info) bind(C)
      import
      type(c_ptr), value :: G
      type(gsolve_product_info), intent(inout) :: info
    end subroutine
    function gsolve_blocked_from_csr(B, ctx, height, width, A) bind(C)
      import
      type(gsolve_blocked), intent(inout) :: B
      type(c_ptr), value :: ctx
      integer(c_int32_t), value :: height
      integer(c_int32_t), value :: width
      type(gsolve_csr), intent(in) :: A
      integer(c_int) :: gsolve_blocked_from_csr
    end function
    function gsolve_blocked_to_csr(A, ctx, B) bind(C)
      import
      type(gsolve_csr), intent(inout) :: A
      type(c_ptr), value :: ctx
      type(gsolve_blocked), intent(in) :: B
      integer(c_int) :: gsolve_blocked_to_csr
    end function
    function gsolve_blocked_multiply(C, ctx, spec, A, B) bind(C)
      import
      type(gsolve_blocked), intent(inout) :: C
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_blocked), intent(in) :: A
      type(gsolve_blocked), intent(in) :: B
      integer(c_int) :: gsolve_blocked_multiply
    end function
    subroutine gsolve_blocked_free(B, ctx) bind(C)
      import
      type(gsolve_blocked), intent(inout) :: B
      type(c_ptr), value :: ctx
    end subroutine
  end interface

  ! gsolve_matrix.h
  interface
    function gsolve_matrix_create(A, ctx, spec, csr) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_matrix_create
    end function
    function gsolve_matrix_create_owned(A, ctx, spec, csr) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(inout) :: csr
      integer(c_int) :: gsolve_matrix_create_owned
    end function
    function gsolve_matrix_create_inspected(A, ctx, spec, csr, inspection) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(inout) :: csr
      type(gsolve_inspection), intent(in) :: inspection
      integer(c_int) :: gsolve_matrix_create_inspected
    end function
    function gsolve_matrix_create_blocks(A, ctx, spec, B) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_blocked), intent(in) :: B
      integer(c_int) :: gsolve_matrix_create_blocks
    end function
    subroutine gsolve_matrix_destroy(A) bind(C)
      import
      type(c_ptr), intent(inout) :: A
    end subroutine
    function gsolve_matrix_update(A, csr) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_matrix_update
    end function
    function gsolve_matrix_update_blocks(A, B) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_blocked), intent(in) :: B
      integer(c_int) :: gsolve_matrix_update_blocks
    end function
    function gsolve_matrix_update_assembled(A, plan, value, location) bind(C)
      import
      type(c_ptr), value :: A
      type(c_ptr), value :: plan
      type(c_ptr), value :: value
      integer(c_int), value :: location
      integer(c_int) :: gsolve_matrix_update_assembled
    end function
    function gsolve_matrix_set_null_space(A, right, left) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_null_space), intent(in), optional :: right
      type(gsolve_null_space), intent(in), optional :: left
      integer(c_int) :: gsolve_matrix_set_null_space
    end function
    function gsolve_matrix_apply(A, alpha, x, beta, y) bind(C)
      import
      type(c_ptr), value :: A
      real(c_double), value :: alpha
      type(gsolve_dense), value :: x
      real(c_double), value :: beta
      type(gsolve_dense), value :: y
      integer(c_int) :: gsolve_matrix_apply
    end function
    function gsolve_matrix_apply_transpose(A, alpha, x, beta, y) bind(C)
      import
      type(c_ptr), value :: A
      real(c_double), value :: alpha
      type(gsolve_dense), value :: x
      real(c_double), value :: beta
      type(gsolve_dense), value :: y
      integer(c_int) :: gsolve_matrix_apply_transpose
    end function
    function gsolve_matrix_apply_dot(A, x, y, w, wy, yy) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_dense), value :: x
      type(gsolve_dense), value :: y
      type(gsolve_dense), value :: w
      real(c_double), intent(inout) :: wy(*)
      real(c_double), intent(inout), optional :: yy(*)
      integer(c_int) :: gsolve_matrix_apply_dot
    end function
    function gsolve_matrix_residual(A, b, x, relative_residual) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_dense), value :: b
      type(gsolve_dense), value :: x
      real(c_double), intent(inout) :: relative_residual(*)
      integer(c_int) :: gsolve_matrix_residual
    end function
    function gsolve_matrix_create_operator(A, ctx, nrows, ncols, type, apply, apply_transpose, user) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      integer(c_int32_t), value :: nrows
      integer(c_int32_t), value :: ncols
      integer(c_int), value :: type
      type(c_funptr), value :: apply
      type(c_funptr), value :: apply_transpose
      type(c_ptr), value :: user
      integer(c_int) :: gsolve_matrix_create_operator
    end function
    function gsolve_matrix_update_operator(A, user) bind(C)
      import
      type(c_ptr), value :: A
      type(c_ptr), value :: user
      integer(c_int) :: gsolve_matrix_update_operator
    end function
    function gsolve_matrix_set_flags(A, flags) bind(C)
      import
      type(c_ptr), value :: A
      integer(c_int), value :: flags
      integer(c_int) :: gsolve_matrix_set_flags
    end function
    subroutine gsolve_matrix_describe(A, info) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_matrix_info), intent(inout) :: info
    end subroutine
    function gsolve_matrix_memory(ctx, spec, csr, bytes) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_size_t), intent(inout) :: bytes
      integer(c_int) :: gsolve_matrix_memory
    end function
    function gsolve_matrix_csr(A, csr) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_csr), intent(inout) :: csr
      integer(c_int) :: gsolve_matrix_csr
    end function
    function gsolve_matrix_statistics(A, statistics) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_statistics), intent(inout) :: statistics
      integer(c_int) :: gsolve_matrix_statistics
    end function
    subroutine gsolve_matrix_device_csr(A, csr) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_csr), intent(inout) :: csr
    end subroutine
    function gsolve_matrix_stream(A, alpha, x, beta, y, options, info) bind(C)
      import
      type(c_ptr), value :: A
      real(c_double), value :: alpha
      type(gsolve_dense), value :: x
      real(c_double), value :: beta
      type(gsolve_dense), value :: y
      type(gsolve_stream_options), intent(in), optional :: options
      type(gsolve_stream_info), intent(inout), optional :: info
      integer(c_int) :: gsolve_matrix_stream
    end function
    function gsolve_csr_stream(ctx, csr, alpha, x, beta, y, options, info) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_csr), intent(in) :: csr
      real(c_double), value :: alpha
      type(gsolve_dense), value :: x
      real(c_double), value :: beta
      type(gsolve_dense), value :: y
      type(gsolve_stream_options), intent(in) :: options
      type(gsolve_stream_info), intent(inout) :: info
      integer(c_int) :: gsolve_csr_stream
    end function
    function gsolve_matrix_adapt(A, estimate, adaptation) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_run_estimate), intent(in) :: estimate
      type(gsolve_adaptation), intent(inout), optional :: adaptation
      integer(c_int) :: gsolve_matrix_adapt
    end function
  end interface

  ! gsolve_precond.h
  interface
    function gsolve_precond_create(M, ctx, spec, csr) bind(C)
      import
      type(c_ptr), intent(inout) :: M
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_precond_create
    end function
    function gsolve_precond_create_from(M, ctx, spec, A) bind(C)
      import
      type(c_ptr), intent(inout) :: M
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: A
      integer(c_int) :: gsolve_precond_create_from
    end function
    subroutine gsolve_precond_destroy(M) bind(C)
      import
      type(c_ptr), intent(inout) :: M
    end subroutine
    function gsolve_precond_update(M, csr) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_precond_update
    end function
    function gsolve_precond_update_from(M, A) bind(C)
      import
      type(c_ptr), value :: M
      type(c_ptr), value :: A
      integer(c_int) :: gsolve_precond_update_from
    end function
    function gsolve_precond_create_function(M, ctx, n, type, apply, apply_transpose, user) bind(C)
      import
      type(c_ptr), intent(inout) :: M
      type(c_ptr), value :: ctx
      integer(c_int32_t), value :: n
      integer(c_int), value :: type
      type(c_funptr), value :: apply
      type(c_funptr), value :: apply_transpose
      type(c_ptr), value :: user
      integer(c_int) :: gsolve_precond_create_function
    end function
    function gsolve_precond_update_function(M, user) bind(C)
      import
      type(c_ptr), value :: M
      type(c_ptr), value :: user
      integer(c_int) :: gsolve_precond_update_function
    end function
    function gsolve_precond_set_flags(M, flags) bind(C)
      import
      type(c_ptr), value :: M
      integer(c_int), value :: flags
      integer(c_int) :: gsolve_precond_set_flags
    end function
    function gsolve_precond_create_chebyshev(M, ctx, spec, A, diagonal) bind(C)
      import
      type(c_ptr), intent(inout) :: M
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: A
      type(gsolve_dense), value :: diagonal
      integer(c_int) :: gsolve_precond_create_chebyshev
    end function
    function gsolve_precond_update_chebyshev(M, diagonal) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: diagonal
      integer(c_int) :: gsolve_precond_update_chebyshev
    end function
    function gsolve_precond_apply(M, r, z) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: r
      type(gsolve_dense), value :: z
      integer(c_int) :: gsolve_precond_apply
    end function
    function gsolve_precond_apply_transpose(M, r, z) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: r
      type(gsolve_dense), value :: z
      integer(c_int) :: gsolve_precond_apply_transpose
    end function
    function gsolve_precond_apply_dot(M, r, z, rz) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: r
      type(gsolve_dense), value :: z
      real(c_double), intent(inout) :: rz(*)
      integer(c_int) :: gsolve_precond_apply_dot
    end function
    function gsolve_precond_set_near_null(M, B) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: B
      integer(c_int) :: gsolve_precond_set_near_null
    end function
    function gsolve_precond_set_coordinates(M, xyz) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_dense), value :: xyz
      integer(c_int) :: gsolve_precond_set_coordinates
    end function
    subroutine gsolve_precond_begin_solve(M, columns) bind(C)
      import
      type(c_ptr), value :: M
      integer(c_int32_t), value :: columns
    end subroutine
    function gsolve_precond_save(M, path) bind(C)
      import
      type(c_ptr), value :: M
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_precond_save
    end function
    function gsolve_precond_load(M, ctx, spec, A, path) bind(C)
      import
      type(c_ptr), intent(inout) :: M
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: A
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_precond_load
    end function
    subroutine gsolve_precond_describe(M, info) bind(C)
      import
      type(c_ptr), value :: M
      type(gsolve_precond_info), intent(inout) :: info
    end subroutine
    function gsolve_precond_level(M, index, info) bind(C)
      import
      type(c_ptr), value :: M
      integer(c_int), value :: index
      type(gsolve_level_info), intent(inout) :: info
      logical(c_bool) :: gsolve_precond_level
    end function
    function gsolve_precond_diagonal(M) bind(C)
      import
      type(c_ptr), value :: M
      type(c_ptr) :: gsolve_precond_diagonal
    end function
    function gsolve_precond_is_variable(M) bind(C)
      import
      type(c_ptr), value :: M
      logical(c_bool) :: gsolve_precond_is_variable
    end function
  end interface

  ! gsolve_solver.h
  interface
    function gsolve_outcome_text(outcome) bind(C)
      import
      integer(c_int), value :: outcome
      type(c_ptr) :: gsolve_outcome_text
    end function
    function gsolve_solver_create(S, ctx, spec, A, M) bind(C)
      import
      type(c_ptr), intent(inout) :: S
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in), optional :: spec(*)
      type(c_ptr), value :: A
      type(c_ptr), value :: M
      integer(c_int) :: gsolve_solver_create
    end function
    subroutine gsolve_solver_destroy(S) bind(C)
      import
      type(c_ptr), intent(inout) :: S
    end subroutine
    function gsolve_solver_save(S, path) bind(C)
      import
      type(c_ptr), value :: S
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_solver_save
    end function
    function gsolve_solver_load(S, ctx, spec, A, path) bind(C)
      import
      type(c_ptr), intent(inout) :: S
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), value :: A
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_solver_load
    end function
    function gsolve_solver_run(S, b, x, result) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_dense), value :: b
      type(gsolve_dense), value :: x
      type(gsolve_result), intent(inout) :: result
      integer(c_int) :: gsolve_solver_run
    end function
    function gsolve_solver_column(S, column, result) bind(C)
      import
      type(c_ptr), value :: S
      integer(c_int32_t), value :: column
      type(gsolve_result), intent(inout) :: result
      integer(c_int) :: gsolve_solver_column
    end function
    subroutine gsolve_solver_set_monitor(S, monitor, user) bind(C)
      import
      type(c_ptr), value :: S
      type(c_funptr), value :: monitor
      type(c_ptr), value :: user
    end subroutine
    subroutine gsolve_solver_set_stopping_test(S, test, user) bind(C)
      import
      type(c_ptr), value :: S
      type(c_funptr), value :: test
      type(c_ptr), value :: user
    end subroutine
    function gsolve_solver_set(S, options) bind(C)
      import
      type(c_ptr), value :: S
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int) :: gsolve_solver_set
    end function
    function gsolve_solver_explain(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_solver_explain
    end function
    function gsolve_solver_diagnose(S, diagnosis) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_diagnosis), intent(inout), optional :: diagnosis
      integer(c_int) :: gsolve_solver_diagnose
    end function
    function gsolve_solver_note(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_solver_note
    end function
    function gsolve_solver_name(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_solver_name
    end function
    function gsolve_solver_memory(ctx, spec, csr, columns, bytes) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_int32_t), value :: columns
      integer(c_size_t), intent(inout) :: bytes
      integer(c_int) :: gsolve_solver_memory
    end function
    function gsolve_solver_spectrum(S, spectrum) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_spectrum), intent(inout) :: spectrum
      integer(c_int) :: gsolve_solver_spectrum
    end function
    function gsolve_solver_profile(S, on) bind(C)
      import
      type(c_ptr), value :: S
      logical(c_bool), value :: on
      integer(c_int) :: gsolve_solver_profile
    end function
    subroutine gsolve_solver_get_profile(S, profile) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_profile), intent(inout) :: profile
    end subroutine
    function gsolve_solver_profile_at(S, index, line) bind(C)
      import
      type(c_ptr), value :: S
      integer(c_int), value :: index
      type(gsolve_profile_class), intent(inout) :: line
      logical(c_bool) :: gsolve_solver_profile_at
    end function
  end interface

  ! gsolve_auto.h
  interface
    function gsolve_auto_choose(ctx, statistics, attempt, choice) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_statistics), intent(in) :: statistics
      integer(c_int), value :: attempt
      type(gsolve_choice), intent(inout), optional :: choice
      logical(c_bool) :: gsolve_auto_choose
    end function
    function gsolve_auto_create(S, ctx, options, csr) bind(C)
      import
      type(c_ptr), intent(inout) :: S
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: options(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_auto_create
    end function
    function gsolve_auto_create_from(S, ctx, options, A) bind(C)
      import
      type(c_ptr), intent(inout) :: S
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), value :: A
      integer(c_int) :: gsolve_auto_create_from
    end function
    subroutine gsolve_auto_destroy(S) bind(C)
      import
      type(c_ptr), intent(inout) :: S
    end subroutine
    function gsolve_auto_update(S, csr) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_csr), intent(in) :: csr
      integer(c_int) :: gsolve_auto_update
    end function
    function gsolve_auto_set(S, options) bind(C)
      import
      type(c_ptr), value :: S
      character(kind=c_char), intent(in) :: options(*)
      integer(c_int) :: gsolve_auto_set
    end function
    function gsolve_auto_run(S, b, x, result) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_dense), value :: b
      type(gsolve_dense), value :: x
      type(gsolve_result), intent(inout) :: result
      integer(c_int) :: gsolve_auto_run
    end function
    subroutine gsolve_auto_describe(S, info) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_auto_info), intent(inout) :: info
    end subroutine
    function gsolve_auto_explain(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_auto_explain
    end function
    function gsolve_auto_diagnose(S, diagnosis) bind(C)
      import
      type(c_ptr), value :: S
      type(gsolve_diagnosis), intent(inout) :: diagnosis
      integer(c_int) :: gsolve_auto_diagnose
    end function
    function gsolve_auto_check(ctx, A, method, precond, diagnosis) bind(C)
      import
      type(c_ptr), value :: ctx
      type(c_ptr), value :: A
      character(kind=c_char), intent(in) :: method(*)
      character(kind=c_char), intent(in) :: precond(*)
      type(gsolve_diagnosis), intent(inout), optional :: diagnosis
      integer(c_int) :: gsolve_auto_check
    end function
    function gsolve_auto_matrix(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_auto_matrix
    end function
    function gsolve_auto_solver(S) bind(C)
      import
      type(c_ptr), value :: S
      type(c_ptr) :: gsolve_auto_solver
    end function
    function gsolve_auto_set_setup_file(S, path) bind(C)
      import
      type(c_ptr), value :: S
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_auto_set_setup_file
    end function
    subroutine gsolve_auto_set_monitor(S, monitor, user) bind(C)
      import
      type(c_ptr), value :: S
      type(c_funptr), value :: monitor
      type(c_ptr), value :: user
    end subroutine
    subroutine gsolve_auto_set_stopping_test(S, test, user) bind(C)
      import
      type(c_ptr), value :: S
      type(c_funptr), value :: test
      type(c_ptr), value :: user
    end subroutine
    subroutine gsolve_auto_set_attempt_monitor(S, monitor, user) bind(C)
      import
      type(c_ptr), value :: S
      type(c_funptr), value :: monitor
      type(c_ptr), value :: user
    end subroutine
    function gsolve_auto_set_choices(S, count, methods, preconds) bind(C)
      import
      type(c_ptr), value :: S
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: methods(*)
      type(c_ptr), intent(in) :: preconds(*)
      integer(c_int) :: gsolve_auto_set_choices
    end function
  end interface

  ! gsolve_dist.h
  interface
    subroutine gsolve_dist_csr_free(csr, ctx) bind(C)
      import
      type(gsolve_dist_csr), intent(inout) :: csr
      type(c_ptr), value :: ctx
    end subroutine
    function gsolve_dist_csr_assemble(csr, ctx, rows, count, i, j, v) bind(C)
      import
      type(gsolve_dist_csr), intent(inout) :: csr
      type(c_ptr), value :: ctx
      type(gsolve_row_range), value :: rows
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: i(*)
      integer(c_int64_t), intent(in) :: j(*)
      real(c_double), intent(in) :: v(*)
      integer(c_int) :: gsolve_dist_csr_assemble
    end function
    function gsolve_dist_csr_multiply(C, ctx, A, B) bind(C)
      import
      type(gsolve_dist_csr), intent(inout) :: C
      type(c_ptr), value :: ctx
      type(gsolve_dist_csr), intent(in) :: A
      type(gsolve_dist_csr), intent(in) :: B
      integer(c_int) :: gsolve_dist_csr_multiply
    end function
    function gsolve_dist_csr_transpose(C, ctx, A) bind(C)
      import
      type(gsolve_dist_csr), intent(inout) :: C
      type(c_ptr), value :: ctx
      type(gsolve_dist_csr), intent(in) :: A
      integer(c_int) :: gsolve_dist_csr_transpose
    end function
    function gsolve_dist_csr_statistics(ctx, csr, statistics) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_dist_csr), intent(in) :: csr
      type(gsolve_statistics), intent(inout) :: statistics
      integer(c_int) :: gsolve_dist_csr_statistics
    end function
    function gsolve_matrix_create_dist(A, ctx, spec, csr) bind(C)
      import
      type(c_ptr), intent(inout) :: A
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_dist_csr), intent(in) :: csr
      integer(c_int) :: gsolve_matrix_create_dist
    end function
    function gsolve_matrix_update_dist(A, csr) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_dist_csr), intent(in) :: csr
      integer(c_int) :: gsolve_matrix_update_dist
    end function
    subroutine gsolve_matrix_row_range(A, rows, cols, rank, ranks) bind(C)
      import
      type(c_ptr), value :: A
      type(gsolve_row_range), intent(inout) :: rows
      type(gsolve_row_range), intent(inout) :: cols
      integer(c_int), intent(inout) :: rank
      integer(c_int), intent(inout) :: ranks
    end subroutine
    function gsolve_dist_csr_division(ctx, csr, info) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_dist_csr), intent(in) :: csr
      type(gsolve_division_info), intent(inout) :: info
      integer(c_int) :: gsolve_dist_csr_division
    end function
    function gsolve_redistribution_create(R, ctx, spec, csr, redistributed) bind(C)
      import
      type(c_ptr), intent(inout) :: R
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: spec(*)
      type(gsolve_dist_csr), intent(in) :: csr
      type(gsolve_dist_csr), intent(inout) :: redistributed
      integer(c_int) :: gsolve_redistribution_create
    end function
    subroutine gsolve_redistribution_destroy(R) bind(C)
      import
      type(c_ptr), intent(inout) :: R
    end subroutine
    function gsolve_redistribution_update(R, csr, redistributed) bind(C)
      import
      type(c_ptr), value :: R
      type(gsolve_dist_csr), intent(in) :: csr
      type(gsolve_dist_csr), intent(in) :: redistributed
      integer(c_int) :: gsolve_redistribution_update
    end function
    function gsolve_redistribution_apply(R, back, from, to) bind(C)
      import
      type(c_ptr), value :: R
      logical(c_bool), value :: back
      type(gsolve_dense), value :: from
      type(gsolve_dense), value :: to
      integer(c_int) :: gsolve_redistribution_apply
    end function
    function gsolve_redistribution_name(R) bind(C)
      import
      type(c_ptr), value :: R
      type(c_ptr) :: gsolve_redistribution_name
    end function
    function gsolve_dist_choose(ctx, statistics, attempt, choice) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_statistics), intent(in) :: statistics
      integer(c_int), value :: attempt
      type(gsolve_choice), intent(inout) :: choice
      logical(c_bool) :: gsolve_dist_choose
    end function
    function gsolve_dist_ranks(ctx, statistics, method, precond, why, size) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_statistics), intent(in) :: statistics
      character(kind=c_char), intent(in) :: method(*)
      character(kind=c_char), intent(in) :: precond(*)
      character(kind=c_char), intent(inout), optional :: why
      integer(c_size_t), value :: size
      integer(c_int) :: gsolve_dist_ranks
    end function
    function gsolve_solve_dist(ctx, csr, b, x, result) bind(C)
      import
      type(c_ptr), value :: ctx
      type(gsolve_dist_csr), intent(in) :: csr
      type(gsolve_dense), value :: b
      type(gsolve_dense), value :: x
      type(gsolve_result), intent(inout) :: result
      integer(c_int) :: gsolve_solve_dist
    end function
    function gsolve_context_agree(ctx, status, sentence, same) bind(C)
      import
      type(c_ptr), value :: ctx
      integer(c_int), value :: status
      character(kind=c_char), intent(in), optional :: sentence(*)
      character(kind=c_char), intent(in), optional :: same(*)
      integer(c_int) :: gsolve_context_agree
    end function
  end interface

  ! gsolve_io.h
  interface
    function gsolve_read_matrix(csr, ctx, name, options, source) bind(C)
      import
      type(gsolve_csr), intent(inout) :: csr
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      type(gsolve_read_options), intent(in), optional :: options
      type(gsolve_source), intent(inout), optional :: source
      integer(c_int) :: gsolve_read_matrix
    end function
    function gsolve_write_cache(ctx, name, csr, source, inspection) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      type(gsolve_csr), intent(in), optional :: csr
      type(gsolve_source), intent(inout) :: source
      type(gsolve_inspection), intent(in) :: inspection
      integer(c_int) :: gsolve_write_cache
    end function
    function gsolve_read_dense(v, ctx, name, options, source) bind(C)
      import
      type(gsolve_dense), intent(inout) :: v
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      type(gsolve_read_options), intent(in), optional :: options
      type(gsolve_source), intent(inout), optional :: source
      integer(c_int) :: gsolve_read_dense
    end function
    function gsolve_read_matrix_dist(csr, ctx, name, options, source) bind(C)
      import
      type(gsolve_dist_csr), intent(inout) :: csr
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      type(gsolve_read_options), intent(in), optional :: options
      type(gsolve_source), intent(inout), optional :: source
      integer(c_int) :: gsolve_read_matrix_dist
    end function
    function gsolve_read_dense_dist(v, ctx, name, rows, options) bind(C)
      import
      type(gsolve_dense), intent(inout) :: v
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      type(gsolve_row_range), value :: rows
      type(gsolve_read_options), intent(in) :: options
      integer(c_int) :: gsolve_read_dense_dist
    end function
    function gsolve_write_dense_dist(ctx, path, rows, v, comment) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: path(*)
      type(gsolve_row_range), value :: rows
      type(gsolve_dense), intent(in) :: v
      character(kind=c_char), intent(in) :: comment(*)
      integer(c_int) :: gsolve_write_dense_dist
    end function
    subroutine gsolve_dense_free(v, ctx) bind(C)
      import
      type(gsolve_dense), intent(inout) :: v
      type(c_ptr), value :: ctx
    end subroutine
    function gsolve_file_format_of(path) bind(C)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: gsolve_file_format_of
    end function
    function gsolve_descriptor_of(path, standard) bind(C)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: standard
      integer(c_int) :: gsolve_descriptor_of
    end function
    function gsolve_write_matrix(ctx, path, csr, symmetry, comment) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: path(*)
      type(gsolve_csr), intent(in) :: csr
      integer(c_int), value :: symmetry
      character(kind=c_char), intent(in), optional :: comment(*)
      integer(c_int) :: gsolve_write_matrix
    end function
    function gsolve_write_dense(ctx, path, v, comment) bind(C)
      import
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: path(*)
      type(gsolve_dense), intent(in) :: v
      character(kind=c_char), intent(in) :: comment(*)
      integer(c_int) :: gsolve_write_dense
    end function
    subroutine gsolve_abandon_files(ctx) bind(C)
      import
      type(c_ptr), value :: ctx
    end subroutine
    function gsolve_generator_at(index) bind(C)
      import
      integer(c_int), value :: index
      type(c_ptr) :: gsolve_generator_at
    end function
    function gsolve_random(seed, index) bind(C)
      import
      integer(c_int64_t), value :: seed
      integer(c_int64_t), value :: index
      real(c_double) :: gsolve_random
    end function
  end interface

  interface
    pure function strlen(text) bind(C) result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

  ! A view of one vector, or of the columns of an array.
  interface gsolve_vector
    module procedure vector_of_one, vector_of_columns
  end interface
  private :: vector_of_one, vector_of_columns

contains

  ! A view of a matrix with size(start) - 1 rows, in compressed rows with double values. ncols: the number of rows if it is absent.
  function gsolve_csr_view(start, col, value, ncols) result(csr)
    integer(c_int32_t), intent(in), target, contiguous :: start(:), col(:)
    real(c_double), intent(in), target, contiguous :: value(:)
    integer(c_int32_t), intent(in), optional :: ncols
    type(gsolve_csr) :: csr

    csr%nrows = size(start, kind=c_int32_t) - 1
    csr%ncols = csr%nrows
    if (present(ncols)) csr%ncols = ncols
    csr%start = c_loc(start)
    csr%col = c_loc(col)
    csr%value = c_loc(value)
    csr%offset = GSOLVE_O32
    csr%type = GSOLVE_F64
    csr%location = GSOLVE_HOST
  end function

  function vector_of_one(x) result(v)
    real(c_double), intent(in), target, contiguous :: x(:)
    type(gsolve_dense) :: v

    v = gsolve_dense(size(x, kind=c_int32_t), 1, size(x, kind=c_int64_t), c_loc(x), GSOLVE_F64, GSOLVE_HOST, &
                     GSOLVE_COLUMN_MAJOR)
  end function

  function vector_of_columns(x) result(v)
    real(c_double), intent(in), target, contiguous :: x(:, :)
    type(gsolve_dense) :: v

    v = gsolve_dense(size(x, 1, c_int32_t), size(x, 2, c_int32_t), size(x, 1, c_int64_t), c_loc(x), GSOLVE_F64, GSOLVE_HOST, &
                     GSOLVE_COLUMN_MAJOR)
  end function

  ! A text of the library, such as gsolve_error(ctx).
  function gsolve_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: c(:)
    integer :: i, length

    length = 0
    if (c_associated(text)) length = int(strlen(text))
    allocate (character(length) :: string)
    if (length == 0) return
    call c_f_pointer(text, c, [length])
    do i = 1, length
      string(i:i) = c(i)
    end do
  end function
end module
