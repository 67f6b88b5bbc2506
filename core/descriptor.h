/* descriptor.h: names of open file descriptors, and bytes of files that are not regular. */
#ifndef GS_CORE_DESCRIPTOR_H
#define GS_CORE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* Opens path with the flags, or duplicates the descriptor that it names (gsolve_descriptor_of). The
 * duplicate shares the offset of the descriptor. Returns a descriptor that the caller closes, or -1
 * with errno. */
int gs_open_named(const char *path, int flags, int standard);

/* Reads up to `bytes` bytes: *got is 0 only at the end of the file. Waits for a descriptor that
 * does not block. Returns 0 or an errno. */
int gs_read_some(int file, void *to, size_t bytes, size_t *got);

/* The time of a file's last change, ns. */
int64_t gs_time_of_change(const struct stat *about);

/* Writes all bytes, in the same way. Returns 0 or an errno. */
int gs_write_all(int file, const void *from, size_t bytes);

#endif
