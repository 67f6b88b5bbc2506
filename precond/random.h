/* random.h: pseudo-random numbers that are a function of their index, the same on the CPU and on a
 * GPU. INLINE: the storage class of these functions in the including file. */
/* A bijection of 64-bit numbers (the finaliser of SplitMix64). */
INLINE uint64_t gs_hash64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Uniform in [-1, 1), from a seed and an index. */
INLINE double gs_random_uniform(uint64_t seed, int64_t i)
{
    const uint64_t bits = gs_hash64(seed * 0x9e3779b97f4a7c15u + (uint64_t)i);
    return (double)(bits >> 11) * 0x1p-52 - 1;
}

/* The priority of row i in a colouring. No two rows have the same. */
INLINE uint64_t gs_colour_priority(int64_t i)
{
    return gs_hash64((uint64_t)i + 0x9e3779b97f4a7c15u);
}
