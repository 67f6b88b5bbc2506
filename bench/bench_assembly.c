/* bench_assembly.c: repeated assembly of finite elements from triplets.
 *
 *     bench_assembly MESH N RUNS [--dump FILE]
 *
 * MESH: hex (trilinear elements of 8 nodes on N x N x N cubes: 64 triplets each), tet (linear ones
 * of 4 nodes, 6 in a cube: 16 triplets each) or shuffled (those of tet in random order).
 * $GSOLVE_DEVICE names the device (cuda). In each of RUNS rounds all take turns:
 *
 *     set_values          gsolve_assembly_set_values
 *     update_assembled    gsolve_matrix_update_assembled of a matrix in csr
 *     update              gsolve_assembly_set_values and gsolve_matrix_update of this matrix
 *     sort, kept          on a GPU those of peer_assembly.h, in fp64
 *
 * The values of the triplets are where the device reads them. bytes: the value and the number of
 * each triplet, the value and the offset of each entry. floor_ms: the time of these bytes at the
 * bandwidth of a copy in the same run. Row sums of the matrix are compared with those of the
 * triplets, sums of the peers with the values of the matrix. --dump FILE writes the triplets and
 * the row sums for peer_eigen, peer_petsc and peer_scipy.py. */
#include <math.h>

#include "bench/on_device.h"
#include "bench/peer_assembly.h"

enum { OWN = 3, METHODS = OWN + PEER_SUMS, MOST_RUNS = 1000 };
enum { SET_VALUES, UPDATE_ASSEMBLED, UPDATE };

static const char *const names[METHODS] = {"set_values", "update_assembled", "update", "sort",
                                           "kept"};

static struct {
    const char *mesh;
    int n;
    int32_t rows;
    int64_t count;
    int32_t *row, *col;
    double *value, *row_sum;
} m;

static struct {
    gsolve_assembly *plan;
    gsolve_assembly_info info;
    gsolve_matrix *A;
    void *value, *sums; /* of the triplets; of a peer, or NULL */
    peer_assembly *peer;
    double seconds[METHODS][MOST_RUNS];
} r;

/* --- the mesh --------------------------------------------------------------------------------- */

static int32_t node_of(int64_t cube, int corner)
{
    const int64_t line = m.n + 1, x = cube % m.n, y = cube / m.n % m.n, z = cube / m.n / m.n;
    return (int32_t)((z + corner / 4) * line * line + (y + corner / 2 % 2) * line + x + corner % 2);
}

/* The nodes of an element; returns their number. */
static int nodes_of(int64_t element, int32_t node[8])
{
    static const int corners[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                      {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    const bool hex = strcmp(m.mesh, "hex") == 0;
    const int count = hex ? 8 : 4;

    for (int k = 0; k < count; k++) {
        node[k] = hex ? node_of(element, k) : node_of(element / 6, corners[element % 6][k]);
    }
    return count;
}

static void shuffle(int64_t *order, int64_t n)
{
    uint64_t state = 1;

    for (int64_t k = n - 1; k > 0; k--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t other = (int64_t)(state >> 20) % (k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}

static void make_triplets(void)
{
    const int64_t cubes = (int64_t)m.n * m.n * m.n;
    const bool hex = strcmp(m.mesh, "hex") == 0;
    const int64_t elements = hex ? cubes : 6 * cubes, each = hex ? 64 : 16;
    int64_t *order = malloc((size_t)elements * sizeof *order);

    m.rows = (m.n + 1) * (m.n + 1) * (m.n + 1);
    m.count = elements * each;
    m.row = malloc((size_t)m.count * sizeof *m.row);
    m.col = malloc((size_t)m.count * sizeof *m.col);
    m.value = new_numbers(m.count, true);
    m.row_sum = new_numbers(m.rows, false);
    if (!order || !m.row || !m.col) check(GSOLVE_NO_MEMORY);
    for (int64_t e = 0; e < elements; e++) order[e] = e;
    if (strcmp(m.mesh, "shuffled") == 0) shuffle(order, elements);
    for (int64_t e = 0; e < elements; e++) {
        int32_t node[8];
        const int nodes = nodes_of(order[e], node);
        for (int k = 0; k < nodes * nodes; k++) {
            m.row[e * each + k] = node[k / nodes];
            m.col[e * each + k] = node[k % nodes];
            m.row_sum[node[k / nodes]] += m.value[e * each + k];
        }
    }
    free(order);
}

/* rows, columns, triplets, row, col, value, row sums. */
static void dump(const char *path)
{
    FILE *file = fopen(path, "wb");

    if (!file) {
        fprintf(stderr, "bench_assembly: cannot write '%s'\n", path);
        exit(1);
    }
    fwrite(&m.rows, 4, 1, file);
    fwrite(&m.rows, 4, 1, file);
    fwrite(&m.count, 8, 1, file);
    fwrite(m.row, 4, (size_t)m.count, file);
    fwrite(m.col, 4, (size_t)m.count, file);
    fwrite(m.value, 8, (size_t)m.count, file);
    fwrite(m.row_sum, 8, (size_t)m.rows, file);
    if (fclose(file) != 0) exit(1);
}

/* --- set-up and checks ------------------------------------------------------------------------ */

static void put_values(gsolve_type type)
{
    const size_t bytes = (size_t)m.count * size_of(type);
    float *narrow = malloc((size_t)m.count * sizeof *narrow);

    r.value = gsolve_alloc(ctx, location, bytes, 1);
    if (!narrow || !r.value) check(GSOLVE_NO_MEMORY);
    for (int64_t k = 0; k < m.count; k++) narrow[k] = (float)m.value[k];
    check(gsolve_copy(ctx, r.value, location,
                      type == GSOLVE_F32 ? (const void *)narrow : (const void *)m.value,
                      GSOLVE_HOST, bytes));
    free(narrow);
}

static void fail_check(const char *what, double apart)
{
    fprintf(stderr, "bench_assembly: the sums of %s differ by %g\n", what, apart);
    exit(1);
}

/* Compares the row sums of A with those of the triplets. */
static void check_rows(gsolve_type type, const char *what)
{
    gsolve_dense x = vector_on_device(type, m.rows, 1, false),
                 y = vector_on_device(type, m.rows, 1, false);
    double *sums = new_numbers(m.rows, false);

    for (int32_t i = 0; i < m.rows; i++) sums[i] = 1;
    put_vector(x, sums);
    check(gsolve_matrix_apply(r.A, 1, x, 0, y));
    get_vector(y, sums);
    const double apart = difference(sums, m.row_sum, m.rows);
    if (!(apart <= (type == GSOLVE_F64 ? 1e-13 : 1e-5))) fail_check(what, apart);
    gsolve_free(ctx, location, x.value);
    gsolve_free(ctx, location, y.value);
    free(sums);
}

static void set_up(gsolve_type type)
{
    const gsolve_triplets t = {
        .nrows = m.rows, .ncols = m.rows, .count = m.count, .row = m.row, .col = m.col};
    gsolve_csr csr;

    r.info = (gsolve_assembly_info)GSOLVE_INIT(gsolve_assembly_info);
    put_values(type);
    check(gsolve_assembly_create(&r.plan, ctx, type, &t));
    gsolve_assembly_describe(r.plan, &r.info);
    check(gsolve_assembly_set_values(r.plan, r.value, location));
    check(gsolve_assembly_csr(r.plan, &csr));
    check(gsolve_matrix_create(&r.A, ctx, "csr", &csr));
    check_rows(type, names[SET_VALUES]);
    check(gsolve_matrix_update_assembled(r.A, r.plan, r.value, location));
    check_rows(type, names[UPDATE_ASSEMBLED]);
}

static void open_peer(gsolve_type type)
{
    char why[256] = "";

    if (location == GSOLVE_HOST || type != GSOLVE_F64) return;
    r.sums = gsolve_alloc(ctx, location, (size_t)m.count, 8); /* more than there are entries */
    if (!r.sums) check(GSOLVE_NO_MEMORY);
    r.peer = peer_assembly_open(m.count, m.row, m.col, m.rows, m.rows, gsolve_stream(ctx), why);
    if (!r.peer) fprintf(stderr, "bench_assembly: no peer: %s\n", why);
}

/* Compares the sums of the peer with the values of the matrix. */
static void check_peer(const char *what)
{
    double *ours = new_numbers(r.info.entries, false), *theirs = new_numbers(r.info.entries, false);
    gsolve_csr csr;

    check(gsolve_assembly_csr(r.plan, &csr));
    check(gsolve_copy(ctx, ours, GSOLVE_HOST, csr.value, location, (size_t)r.info.entries * 8));
    check(gsolve_copy(ctx, theirs, GSOLVE_HOST, r.sums, location, (size_t)r.info.entries * 8));
    const double apart = difference(theirs, ours, r.info.entries);
    if (!(apart <= 1e-13)) fail_check(what, apart);
    free(ours);
    free(theirs);
}

/* --- measurement ------------------------------------------------------------------------------ */

static void run_once(int method)
{
    char why[256];
    gsolve_csr csr;

    if (method == UPDATE_ASSEMBLED) {
        check(gsolve_matrix_update_assembled(r.A, r.plan, r.value, location));
    } else if (method < OWN) {
        check(gsolve_assembly_set_values(r.plan, r.value, location));
        if (method == SET_VALUES) return;
        check(gsolve_assembly_csr(r.plan, &csr));
        check(gsolve_matrix_update(r.A, &csr));
    } else if (!peer_assembly_run(r.peer, (peer_sum)(method - OWN), r.value, r.sums, why)) {
        fprintf(stderr, "bench_assembly: %s: %s\n", names[method], why);
        exit(1);
    }
}

/* On a GPU ten calls at a time, since a call returns before its kernels have ended. */
static void measure(int method, int run)
{
    const int calls = location == GSOLVE_DEVICE ? 10 : 1;

    if (location == GSOLVE_DEVICE) wait_for_device(r.value);
    const double begin = bench_now();
    for (int k = 0; k < calls; k++) run_once(method);
    if (location == GSOLVE_DEVICE) wait_for_device(r.value);
    if (run >= 0) r.seconds[method][run] = (bench_now() - begin) / calls;
}

static void print_record(int method, gsolve_type type, int runs, double speed, double first)
{
    const double size = (double)size_of(type), entries = (double)r.info.entries;
    const double bytes = (double)m.count * (size + 4) + entries * (size + 4);
    double *seconds = r.seconds[method];
    const double median = bench_median(seconds, runs); /* sorts them */

    printf("{\"bench\": \"bench_assembly\", \"matrix\": \"%s,n=%d\", \"rows\": %d, \"entries\": "
           "%lld, \"triplets\": %lld, \"what\": \"%s\", \"type\": \"%s\", \"device\": \"%s\", "
           "\"threads\": %d, \"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": "
           "%.4f, \"bytes\": %.0f, \"floor_ms\": %.4f, \"share_of_copy\": %.3f, \"copy_gbs\": "
           "%.1f, \"create_ms\": %.3f, \"held_bytes\": %zu, \"set_values_ms\": %.4f, "
           "\"ratio_to_set_values\": %.3f}\n",
           m.mesh, m.n, m.rows, (long long)r.info.entries, (long long)m.count, names[method],
           type == GSOLVE_F64 ? "f64" : "f32", about.description, about.threads, runs, 1e3 * median,
           1e3 * seconds[0], 1e3 * seconds[runs - 1], bytes, 1e3 * bytes / speed,
           bytes / speed / median, 1e-9 * speed, 1e3 * r.info.seconds, r.info.bytes, 1e3 * first,
           median / first);
    fflush(stdout);
}

static void measure_type(gsolve_type type, int runs, double speed)
{
    int methods = OWN;
    double first = 0;

    set_up(type);
    open_peer(type);
    if (r.peer) methods = METHODS;
    for (int run = -2; run < runs; run++) {
        for (int method = 0; method < methods; method++) {
            measure(method, run);
            if (run < -1 && method >= OWN) check_peer(names[method]);
        }
    }
    for (int method = 0; method < methods; method++) {
        if (method == 0) first = bench_median(r.seconds[0], runs);
        print_record(method, type, runs, speed, first);
    }
    peer_assembly_close(r.peer);
    gsolve_matrix_destroy(&r.A);
    gsolve_assembly_destroy(&r.plan);
    gsolve_free(ctx, location, r.value);
    gsolve_free(ctx, location, r.sums);
    r.peer = NULL;
    r.sums = NULL;
}

int main(int argc, char **argv)
{
    const int n = argc > 3 ? atoi(argv[2]) : 0, runs = argc > 3 ? atoi(argv[3]) : 0;
    double speed;

    if (n < 1 || n > 400 || runs < 1 || runs > MOST_RUNS || (argc != 4 && argc != 6) ||
        (strcmp(argv[1], "hex") != 0 && strcmp(argv[1], "tet") != 0 &&
         strcmp(argv[1], "shuffled") != 0)) {
        fprintf(stderr, "usage: bench_assembly hex|tet|shuffled N RUNS [--dump FILE]\n");
        return 1;
    }
    open_device();
    m.mesh = argv[1];
    m.n = n;
    make_triplets();
    if (argc == 6) dump(argv[5]);
    check(gsolve_context_copy_speed(ctx, &speed));
    measure_type(GSOLVE_F64, runs, speed);
    measure_type(GSOLVE_F32, runs, speed);
    gsolve_context_destroy(&ctx);
    free(m.row);
    free(m.col);
    free(m.value);
    free(m.row_sum);
    return 0;
}
