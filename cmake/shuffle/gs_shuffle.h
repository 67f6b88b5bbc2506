/* gs_shuffle.h: those of the elements of a and then b, vectors of four numbers of one type, that
 * are named by constants; with GCC of any version. */
#ifndef GS_SHUFFLE_H
#define GS_SHUFFLE_H

typedef int gs_shuffle_ints __attribute__((vector_size(16)));
typedef long long gs_shuffle_longs __attribute__((vector_size(32)));

#define GS_SHUFFLE_NAMES(a) \
    __typeof__(__builtin_choose_expr(sizeof(a) == 16, (gs_shuffle_ints){0}, (gs_shuffle_longs){0}))
#define GS_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (GS_SHUFFLE_NAMES(a)){__VA_ARGS__})

#endif
