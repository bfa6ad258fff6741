// exp, expm1 and log(1 + u) as training uses them: in float by float arithmetic, within a few units of the last place;
// in double by the functions that prediction uses. Nothing here is promised to keep order; `elementwise.hpp` is.
#pragma once

#include "exponential.hpp"
#include "signs.hpp"

namespace isotone::ISOTONE_LEVEL {

// exp(x) and exp(x) - 1, the latter exact near 0.
template <class V>
struct Grown {
    V exp, expm1;
};

[[gnu::always_inline]] inline Grown<Doubles> grow(Doubles x) {
    const Exponential e = exponential(x);
    return {e.power + e.power * e.part, e.power * e.part + (e.power - 1.0)};
}

// x = n ln 2 + r; expm1(r) by its Taylor series, whose rest is below r^9 / 9! < 2e-10 for |r| < 0.35.
[[gnu::always_inline]] inline Grown<Floats> grow(Floats x) {
    const Floats shift = all<Floats>(0x1.8p23f);
    // so that 2^n is a normal number
    x = max(min(x, all<Floats>(88.0f)), all<Floats>(-87.0f));
    const Floats shifted = multiply_add(x, all<Floats>(0x1.715476p0f), shift), n = shifted - shift;
    const Floats r = multiply_add(n, all<Floats>(0x1.05c610p-29f), multiply_add(n, all<Floats>(-0x1.62e430p-1f), x));
    const Floats power = from_bits((bits(shifted) + 127) << 23);
    Floats tail = all<Floats>(1.0f / 40320);
    for (const float c : {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f})
        tail = multiply_add(tail, r, all<Floats>(c));
    const Floats part = multiply_add(r * r, tail, r);
    return {multiply_add(power, part, power), multiply_add(power, part, power - 1.0f)};
}

// log(1 + u) for 0 <= u <= 1.
[[gnu::always_inline]] inline Doubles log_above_one(Doubles u) { return log1p_of(u); }

// Twice the inverse hyperbolic tangent of u / (2 + u) by its series, whose rest is below (1/9)^8 / 17 < 2e-9.
[[gnu::always_inline]] inline Floats log_above_one(Floats u) {
    const Floats s = u / (u + 2.0f), z = s * s;
    Floats sum = all<Floats>(1.0f / 15);
    for (const float c : {1.0f / 13, 1.0f / 11, 1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3, 1.0f})
        sum = multiply_add(sum, z, all<Floats>(c));
    return (s + s) * sum;
}

}  // namespace isotone::ISOTONE_LEVEL
