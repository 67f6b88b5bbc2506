/* gauss_seidel_rule.h: the order in which rows are coloured, the same on the CPU and on a GPU.
 * INLINE: the storage class of this function in the including file, which includes random.h first.
 * gs_hash64 is a bijection, so that no two rows have the same priority. */
INLINE uint64_t gs_colour_priority(int64_t i)
{
    return gs_hash64((uint64_t)i + 0x9e3779b97f4a7c15u);
}
