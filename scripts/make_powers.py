#!/usr/bin/env python3
"""Writes io/powers_of_five.h: the leading 128 bits of 5^q, for reading and writing decimal numbers.

usage: scripts/make_powers.py > io/powers_of_five.h

The bits are those that the method of Lemire needs (Number parsing at a gigabyte per second,
Software: Practice and Experience 51, 2021): cut off, but for -27 <= q < 0 rounded up, so that a
decimal number that lies half-way between two doubles is recognised.
"""

FIRST, LAST = -342, 340


def leading_bits(q):
    """The most significant 128 bits of 5^q, the first of them 1."""
    power = 5 ** abs(q)
    bits = power.bit_length()
    if q >= 0:
        return power << (128 - bits) if bits <= 128 else power >> (bits - 128)
    quotient = (1 << (bits + 127)) // power
    return quotient + 1 if q >= -27 else quotient


print(f"""/* powers_of_five.h: made by scripts/make_powers.py. The leading 128 bits of 5^q, high and low
 * word, for q from {FIRST} to {LAST}. */
/* clang-format off */
const uint64_t gs_powers_of_five[GS_LAST_POWER - GS_FIRST_POWER + 1][2] = {{""")
for q in range(FIRST, LAST + 1):
    bits = leading_bits(q)
    assert bits.bit_length() == 128
    print(f"    {{0x{bits >> 64:016x}u, 0x{bits & (1 << 64) - 1:016x}u}}, /* {q} */")
print("};\n/* clang-format on */")
