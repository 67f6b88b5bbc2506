/* hard_systems.h: small systems A x = b for tests of the command, and the check of an x. */
#ifndef HARD_SYSTEMS_H
#define HARD_SYSTEMS_H

#include <stdbool.h>

typedef struct hard_system { /* triplets, counted from 0 */
    int nrows, ncols, count, capacity;
    int *row, *col;
    double *value, *b;
    double first_of_b; /* added to b[0] */
} hard_system;

typedef struct hard_norms {
    double residual; /* |b - A x| / |b| */
    double normal;   /* |A'r| / (|A| |r|), with the Frobenius norm */
} hard_norms;

/* The makers; a grid has 30 x 30 points. */
void laplacian(hard_system *s), negative_definite(hard_system *s), shifted(hard_system *s);
void convection(hard_system *s), strong_convection(hard_system *s), odd_name(hard_system *s);
void skew(hard_system *s), odd_skew(hard_system *s), rotation(hard_system *s),
    cyclic_shift(hard_system *s);
void cyclic_shift_e1(hard_system *s), bad_diagonal(hard_system *s), biharmonic(hard_system *s);
void empty_row(hard_system *s), empty_column(hard_system *s), zero(hard_system *s);
void permuted_rows(hard_system *s), scaled_1e20(hard_system *s), scaled_1e300(hard_system *s);
void jumps(hard_system *s), neumann(hard_system *s), neumann_consistent(hard_system *s);
void two_neumann(hard_system *s), equal_rows(hard_system *s), saddle(hard_system *s);
void tall(hard_system *s), wide(hard_system *s);

/* b = A*ones plus s->first_of_b, or all elements this number. */
void hard_set_b(hard_system *s, bool a_ones, double number);
/* Writes A and b as Matrix Market files. */
void hard_write(const hard_system *s, const char *matrix, const char *rhs);
/* Reads a Matrix Market array of one column with n elements; NULL: it is not one. */
double *hard_read_vector(const char *name, int n);
void hard_measure(const hard_system *s, const double *x, hard_norms *norms);
void hard_free(hard_system *s);

#endif
