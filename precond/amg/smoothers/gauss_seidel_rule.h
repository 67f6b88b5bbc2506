/* gauss_seidel_rule.h: in which order rows are coloured, on the CPU and on a GPU: INLINE says
 * where. Needs mix.h, which maps no two numbers to one. */
INLINE uint64_t gs_colour_priority(int64_t i)
{
    return gs_hash64((uint64_t)i + 0x9e3779b97f4a7c15u);
}
