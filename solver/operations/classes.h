/* classes.h: the kinds of operation that a profile tells apart. */
#ifndef GS_SOLVER_OPERATIONS_CLASSES_H
#define GS_SOLVER_OPERATIONS_CLASSES_H

#define GS_CLASS_LIST(X)                                 \
    X(GS_PRODUCT, "product")                             \
    X(GS_PRODUCT_DOT, "product + dot")                   \
    X(GS_PRODUCT_TRANSPOSE, "transposed product")        \
    X(GS_PRECOND, "preconditioner")                      \
    X(GS_PRECOND_DOT, "preconditioner + dot")            \
    X(GS_PRECOND_TRANSPOSE, "transposed preconditioner") \
    X(GS_RESIDUAL_STEP, "update of r")                   \
    X(GS_DIRECTION_STEP, "update of p and x")            \
    X(GS_DIRECTION_UPDATE, "update of p")                \
    X(GS_AXPBYPCZ_DIAGONAL, "axpbypcz + diagonal")       \
    X(GS_SOLUTION_STEP, "update of x and r")             \
    X(GS_PIPE_STEP, "update of all vectors")             \
    X(GS_DOT, "dot")                                     \
    X(GS_DOT2, "two dots")                               \
    X(GS_AXPBY, "axpby")                                 \
    X(GS_AXPBYPCZ, "axpbypcz")                           \
    X(GS_AXPY_NORM, "axpy + norm")                       \
    X(GS_DOTS, "dots with a basis")                      \
    X(GS_COMBINE, "combination of a basis")              \
    X(GS_COPY, "copy")                                   \
    X(GS_ZERO, "zero")                                   \
    X(GS_SCALE, "scale")                                 \
    X(GS_RESIDENT, "steps on the chip")                  \
    X(GS_SCALARS, "scalars")                             \
    X(GS_TEST, "test")                                   \
    X(GS_OTHER, "other") /* operations without a class of their own */

#define GS_CLASS_NAME(name, text) name,
typedef enum gs_class { GS_CLASS_LIST(GS_CLASS_NAME) GS_CLASS_COUNT } gs_class;
#undef GS_CLASS_NAME

#endif
