// exp, expm1, log1p and the normal distribution in double, by multiplications and additions only, so that their bits
// are the same at every level. The coefficients are Chebyshev fits; their errors stand beside them.
#pragma once

#include "lanes.hpp"

namespace isotone::ISOTONE_LEVEL {

// Horner's scheme, highest coefficient first.
template <int n>
[[gnu::always_inline]] inline Doubles polynomial(const double (&coefficients)[n], Doubles x) {
    Doubles sum = splat<Doubles>(coefficients[0]);
    for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
    return sum;
}

// exp(x) = power * (1 + part), with power = 2^n and |part| < 0.42.
struct Exponential {
    Doubles power;
    Doubles part;
};

// (expm1(r) - r) / r^2 for |r| <= ln(2) / 2, absolute error 1.1e-16
inline constexpr double expm1_tail[] = {
    0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19, 0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13,
    0x1.6c16c1788bd90p-10, 0x1.11111111109b3p-7,  0x1.5555555553d63p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1,
};
// Arguments are read as within these, so that the power is a normal number.
inline constexpr double exp_floor = -707.0;
inline constexpr double exp_ceiling = 707.0;

[[gnu::always_inline]] inline Exponential exponential(Doubles x) {
    // adding 1.5 * 2^52 rounds to an integer, which then stands in the last bits
    const Doubles shift = splat<Doubles>(0x1.8p52);
    x = max(min(x, splat<Doubles>(exp_ceiling)), splat<Doubles>(exp_floor));
    const Doubles shifted = x * 0x1.71547652b82fep0 + shift;
    const Doubles n = shifted - shift;
    // ln 2 in two parts; the first has 32 bits, so that its product with n is exact
    const Doubles r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    const Longs exponent = bits(shifted) - bits(shift) + 1023;
    return {from_bits(exponent << 52), r + r * r * polynomial(expm1_tail, r)};
}

[[gnu::always_inline]] inline Doubles exp_of(Doubles x) {
    const Exponential e = exponential(x);
    return e.power + e.power * e.part;
}

[[gnu::always_inline]] inline Doubles expm1_of(Doubles x) {
    const Exponential e = exponential(x);
    return e.power * e.part + (e.power - 1.0);
}

// atanh(s) / s by z = s^2 for z <= 1/9, relative error 5e-17
inline constexpr double atanh_ratio[] = {
    0x1.6c26693a7c095p-4, 0x1.94b79523b2fbbp-5, 0x1.1659956da410fp-4, 0x1.3aa5e932d3628p-4, 0x1.74628d4f43596p-4,
    0x1.c71c47af989fdp-4, 0x1.2492498161ca5p-3, 0x1.99999998ca58bp-3, 0x1.5555555555aeep-2, 0x1.0000000000000p+0,
};

// log(1 + u) for 0 <= u <= 1: twice the inverse hyperbolic tangent of u / (2 + u), which never cancels.
[[gnu::always_inline]] inline Doubles log1p_of(Doubles u) {
    const Doubles s = u / (u + 2.0);
    return 2.0 * s * polynomial(atanh_ratio, s * s);
}

// (1 + y) exp(y^2 / 2) P(normal > y) by t = (y - 4) / (y + 4) for 0 <= y <= 49, absolute error 9e-17
inline constexpr double scaled_tail[] = {
    0x1.0efa55f0cb9d3p-28,  0x1.9380d35bf6e1cp-27,  -0x1.2fd0ae33efa1cp-26, -0x1.b32a0b8b8e41cp-24,
    0x1.701ad0c591c3cp-30,  0x1.2396ccd6f1d36p-21,  0x1.b0c61279bdc18p-22,  -0x1.5e080e73d3c45p-19,
    -0x1.cc7d0bc4d4877p-19, 0x1.c92ee7d1bd86ep-17,  0x1.6481daeb4fb9dp-16,  -0x1.707b3a76fca4ap-14,
    -0x1.8c11908247109p-14, 0x1.6c5381061d8bap-11,  -0x1.2b7f5f2c52c51p-12, -0x1.47d5fc6fc79a6p-8,
    0x1.25dd72065b1fbp-6,   -0x1.07c3c258307e9p-5,  0x1.d4969f10dcf30p-6,   0x1.cabd72a60faa1p-7,
    -0x1.8c18f2086e32bp-4,  0x1.e361ea6fba141p-2,
};

// P(normal <= x)
[[gnu::always_inline]] inline Doubles normal_below(Doubles x) {
    const Doubles y = min(magnitude(x), splat<Doubles>(38.0));
    const Doubles above = exp_of(y * y * -0.5) * polynomial(scaled_tail, (y - 4.0) / (y + 4.0)) / (y + 1.0);
    return x > 0.0 ? 1.0 - above : above;
}

// The density of the normal distribution.
[[gnu::always_inline]] inline Doubles normal_density(Doubles x) {
    const Doubles y = min(magnitude(x), splat<Doubles>(37.0));
    return 0x1.9884533d43651p-2 * exp_of(y * y * -0.5);
}

}  // namespace isotone::ISOTONE_LEVEL
