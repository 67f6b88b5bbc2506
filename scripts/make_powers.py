#!/usr/bin/env python3
"""Prints the two tables of powers of five in io/number.c, for reading and writing decimal numbers.

usage: scripts/make_powers.py

Every power 5^q is the product of a row of the first table, 5^(28 a), and a number of the second
one, 5^b with 0 <= b < 28, which fits in 64 bits. The second table also holds the powers of usual
numbers.
"""

STEP, ROWS, LEAST = 28, range(-13, 13), -44


def leading_bits(q):
    """The most significant 128 bits of 5^q, the first of them 1, cut off."""
    power = 5 ** abs(q)
    bits = power.bit_length()
    if q >= 0:
        return power << (128 - bits) if bits <= 128 else power >> (bits - 128)
    return (1 << (bits + 127)) // power


for a in ROWS:
    power = leading_bits(STEP * a)
    print(f"    {{0x{power >> 64:016x}u, 0x{power & (1 << 64) - 1:016x}u}}, /* 5^{STEP * a} */")
print("    " + ", ".join(f"0x{leading_bits(q) >> 64:016x}u" for q in range(LEAST, STEP)))
