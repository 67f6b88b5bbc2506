/* common.h: CHECK for the tests in hosts. */
#ifndef GS_TESTS_HOSTS_COMMON_H
#define GS_TESTS_HOSTS_COMMON_H
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: FAILED: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)
#endif
