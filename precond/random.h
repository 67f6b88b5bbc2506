/* mix.h: a number that looks random from a number, on the CPU and on a GPU: INLINE says where. */
INLINE uint64_t gs_hash64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Uniform in [-1, 1). */
INLINE double gs_random_uniform(uint64_t seed, int64_t i)
{
    const uint64_t bits = gs_hash64(seed * 0x9e3779b97f4a7c15u + (uint64_t)i);
    return (double)(bits >> 11) * 0x1p-52 - 1;
}
