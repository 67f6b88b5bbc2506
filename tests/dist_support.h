/* dist_support.h: distributed matrices for tests: pieces of a matrix that one rank holds. */
#ifndef TESTS_DIST_SUPPORT_H
#define TESTS_DIST_SUPPORT_H

#include <math.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common.h"

#ifdef GSOLVE_TEST_MPI
#include "tests/mpi/mpi_ranks.h"
#else
#include "tests/thread_ranks.h"

/* The numbers of ranks of a test; 0 ends them. */
static inline int rank_count(int k)
{
    static const int count[] = {1, 2, 3, 5, 7, 0}, on_gpu[] = {1, 2, 3, 5, 0};

    return test_device_is("cuda") ? on_gpu[k] : count[k];
}

static inline void begin_ranks(int *argc, char ***argv)
{
    (void)argc, (void)argv;
}

static inline int end_ranks(int status)
{
    return status;
}

enum { RANKS_ARE_PROCESSES = 0 };
#endif

/* How rows are divided among ranks. */
typedef enum division {
    EVEN,
    FIRST_EMPTY, /* rank 0 has no rows */
    LAST_ALL,    /* the last rank has all rows */
    ONE_EACH,    /* each rank but the last has one row */
    DIVISIONS
} division;

/* Whether a test runs on that many ranks with that division. On a GPU there are fewer runs, since
 * contexts and messages take longer. */
static inline bool is_selected(division d, int ranks)
{
    if (RANKS_ARE_PROCESSES || !test_device_is("cuda")) return true;
    return d == EVEN ? ranks == 2 || ranks == 5 : ranks == 3;
}

static inline gsolve_row_range divide(division d, int64_t total, int rank, int ranks)
{
    gsolve_row_range r = gsolve_row_range_even(total, rank, ranks);

    if (d == FIRST_EMPTY && ranks > 1) {
        r = rank == 0 ? (gsolve_row_range){0, total, 0}
                      : gsolve_row_range_even(total, rank - 1, ranks - 1);
    } else if (d == LAST_ALL) {
        r = (gsolve_row_range){0, total, rank == ranks - 1 ? (int32_t)total : 0};
    } else if (d == ONE_EACH && total >= ranks) {
        r = (gsolve_row_range){rank, total, rank == ranks - 1 ? (int32_t)(total - rank) : 1};
    }
    return r;
}

/* This rank's rows of A: views of its offsets and columns in new arrays, and of its values. */
typedef struct piece {
    gsolve_dist_csr csr;
    int64_t *start, *col;
} piece;

static inline piece take_piece(const gsolve_csr *A, gsolve_row_range rows, gsolve_row_range cols)
{
    const int64_t from = gs_start(A, (int32_t)rows.first),
                  to = gs_start(A, (int32_t)rows.first + rows.count);
    piece p = {.start = malloc(((size_t)rows.count + 1) * sizeof *p.start),
               .col = malloc((size_t)(to - from + 1) * sizeof *p.col)};

    for (int32_t i = 0; i <= rows.count; i++) {
        p.start[i] = gs_start(A, (int32_t)rows.first + i) - from;
    }
    for (int64_t k = from; k < to; k++) p.col[k - from] = A->col[k];
    p.csr =
        (gsolve_dist_csr){.rows = rows,
                          .cols = cols,
                          .start = p.start,
                          .col = p.col,
                          .value = (const char *)A->value + (size_t)from * gs_type_size(A->type),
                          .offset = GSOLVE_O64,
                          .type = A->type};
    return p;
}

static inline void drop_piece(piece *p)
{
    free(p->start);
    free(p->col);
}

/* Whether csr is this rank's part of A, entry by entry. */
static inline int compare_rows(const gsolve_csr *A, const gsolve_dist_csr *csr, double tolerance,
                               int rank, int ranks)
{
    const int64_t *start = csr->start;
    int failures = 0;

    EXPECT(csr->rows.total == A->nrows, "%lld rows", (long long)csr->rows.total);
    for (int32_t i = 0; i < csr->rows.count && !failures; i++) {
        const int32_t row = (int32_t)csr->rows.first + i;
        const int64_t from = gs_start(A, row), n = gs_start(A, row + 1) - from;
        EXPECT(start[i + 1] - start[i] == n, "row %d has %lld entries, not %lld", row,
               (long long)(start[i + 1] - start[i]), (long long)n);
        for (int64_t k = 0; k < n && !failures; k++) {
            const double v = ((const double *)csr->value)[start[i] + k];
            EXPECT(csr->col[start[i] + k] == A->col[from + k], "row %d", row);
            EXPECT(fabs(v - gs_value(A, from + k)) <= tolerance, "row %d: %g", row, v);
        }
    }
    return failures;
}

/* The number k of vector c, between -1 and 1. */
static inline double number_of(int64_t k, int c)
{
    return gsolve_random(77 + (uint64_t)c, (uint64_t)k);
}

/* --- files that all ranks see --------------------------------------------------------------------
 * Where ranks are processes, each runs the test; one of them writes. */

static inline bool is_writer(void)
{
#ifdef GSOLVE_TEST_MPI
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
#else
    return true;
#endif
}

static inline void wait_for_writer(void)
{
#ifdef GSOLVE_TEST_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
}

/* Whether a rank can have a current folder of its own; a sandbox may forbid that to threads. */
static inline bool ranks_have_folders(void)
{
    int result = 0;
#ifndef GSOLVE_TEST_MPI
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) _exit(unshare(CLONE_FS) != 0);
    assert_int_equal(waitpid(child, &result, 0), child);
#endif
    return result == 0;
}

/* Relative paths of this rank alone begin in `folder`, as if it were on another host. */
static inline void enter_folder(const char *folder, char before[4096])
{
#ifndef GSOLVE_TEST_MPI
    if (unshare(CLONE_FS) != 0) abort();
#endif
    if (!getcwd(before, 4096) || chdir(folder) != 0) abort();
}

static inline void leave_folder(const char *before)
{
    if (chdir(before) != 0) abort();
}

/* Makes a new folder in the current one. */
static inline void make_folder(char name[100], const char *begin)
{
    snprintf(name, 100, "%s_%d", begin, (int)getpid());
#ifdef GSOLVE_TEST_MPI
    MPI_Bcast(name, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
    if (is_writer()) assert_int_equal(mkdir(name, 0700), 0);
    wait_for_writer();
}

static inline void remove_folder(const char *name)
{
    char command[200];

    wait_for_writer();
    snprintf(command, sizeof command, "rm -rf '%s'", name);
    if (is_writer()) assert_int_equal(system(command), 0);
}

#endif
