/* gs_shuffle.h: those of the elements of a and then b, vectors of four numbers of one type, that
 * are named by constants; with clang, and with GCC from version 12 on. */
#ifndef GS_SHUFFLE_H
#define GS_SHUFFLE_H

#define GS_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

#endif
