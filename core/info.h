/* info.h: structs that the library fills for a caller, such as gsolve_result. Each begins with
 * `size_t size`. The caller may have been compiled with an older header, in which the struct is
 * shorter, or with a newer one, in which it is longer. So a function fills a struct of its own and
 * copies it by GS_FILL_INFO; it never assigns to the caller's. */
#ifndef GS_CORE_INFO_H
#define GS_CORE_INFO_H

#include "gsolve_io.h"

#define GS_END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* The smallest `size` of a caller: the struct ends with this member in the first version of the
 * library that has the struct. A member that is appended later does not change it. */
enum {
    GS_LEAST_gsolve_assembly_info = GS_END_OF(gsolve_assembly_info, seconds),
    GS_LEAST_gsolve_auto_info = GS_END_OF(gsolve_auto_info, total_solve_seconds),
    GS_LEAST_gsolve_choice = GS_END_OF(gsolve_choice, why),
    GS_LEAST_gsolve_context_info = GS_END_OF(gsolve_context_info, allocations),
    GS_LEAST_gsolve_division_info = GS_END_OF(gsolve_division_info, cut),
    GS_LEAST_gsolve_diagnosis = GS_END_OF(gsolve_diagnosis, remedy),
    GS_LEAST_gsolve_inspection = GS_END_OF(gsolve_inspection, statistics),
    GS_LEAST_gsolve_level_info = GS_END_OF(gsolve_level_info, bytes),
    GS_LEAST_gsolve_matrix_info = GS_END_OF(gsolve_matrix_info, note),
    GS_LEAST_gsolve_precond_info = GS_END_OF(gsolve_precond_info, note),
    GS_LEAST_gsolve_product_info = GS_END_OF(gsolve_product_info, update_seconds),
    GS_LEAST_gsolve_profile = GS_END_OF(gsolve_profile, class_seconds),
    GS_LEAST_gsolve_profile_class = GS_END_OF(gsolve_profile_class, seconds),
    GS_LEAST_gsolve_result = GS_END_OF(gsolve_result, precond_seconds),
    GS_LEAST_gsolve_source = GS_END_OF(gsolve_source, cache),
    GS_LEAST_gsolve_spectrum = GS_END_OF(gsolve_spectrum, condition),
    GS_LEAST_gsolve_statistics = GS_END_OF(gsolve_statistics, length),
    GS_LEAST_gsolve_stream_info = GS_END_OF(gsolve_stream_info, seconds),
};

/* Whether `info`, a caller's struct of this type, has a usable size. NULL has not. */
#define GS_INFO_FITS(type, info) gs_info_fits((const type *){info}, GS_LEAST_##type)

/* GSOLVE_BAD_ARGUMENT and a sentence unless `info` is NULL or has a usable size. */
#define GS_CHECK_INFO(ctx, type, info) \
    gs_check_info(ctx, #type, (const type *){info}, sizeof(type), GS_LEAST_##type)

/* Copies *own, a struct of the library, to the caller's *info: as many bytes as both have, and 0 to
 * the rest of *info. info->size stays. Does nothing if *info has no usable size, or is NULL. */
#define GS_FILL_INFO(type, info, own) \
    gs_fill_info((type *){info}, (const type *){own}, sizeof(type), GS_LEAST_##type)

bool gs_info_fits(const void *info, size_t least);
gsolve_status gs_check_info(gsolve_context *ctx, const char *type, const void *info, size_t size,
                            size_t least);
void gs_fill_info(void *info, const void *own, size_t own_size, size_t least);

#endif
