#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>

#include "bindings.hpp"
#include "dispatch.hpp"
#include "order_scan.hpp"
#include "plan_reading.hpp"
#include "rounding.hpp"

namespace nb = nanobind;

namespace isotone {
namespace {

template <class T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewLine = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
NewLine<T> hand_over(std::unique_ptr<T[]> values, std::size_t n) {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return NewLine<T>(values.release(), {n}, owner);
}

template <class T, class F>
NewLine<T> mapped(nb::handle activation, Line<T> x, F kernel) {
    const Activation chosen = read_activation(activation);
    auto y = std::make_unique<T[]>(x.shape(0));
    {
        nb::gil_scoped_release release;
        const PlainRounding plain;
        kernel(chosen, static_cast<std::int64_t>(x.shape(0)), x.data(), y.get());
    }
    return hand_over(std::move(y), x.shape(0));
}

void check_lengths(std::size_t n, const Line<float>& b, const Line<float>& c) {
    if (b.shape(0) != n || c.shape(0) != n) throw nb::value_error("fused takes three lines of one length.");
}

std::pair<NewLine<float>, NewLine<float>> activated_pair(nb::handle activation, Line<float> x) {
    const std::size_t n = x.shape(0);
    auto plus = std::make_unique<float[]>(n), minus = std::make_unique<float[]>(n);
    const PlainRounding plain;
    level().elementwise.pair32(read_activation(activation), static_cast<std::int64_t>(n), x.data(), plus.get(),
                               minus.get());
    return {hand_over(std::move(plus), n), hand_over(std::move(minus), n)};
}

NewLine<float> fused_lines(Line<float> a, Line<float> b, Line<float> c) {
    const std::size_t n = a.shape(0);
    check_lengths(n, b, c);
    auto y = std::make_unique<float[]>(n);
    const PlainRounding plain;
    level().elementwise.fused(static_cast<std::int64_t>(n), a.data(), b.data(), c.data(), y.get());
    return hand_over(std::move(y), n);
}

// The C library's own, which is rounded correctly whatever the CPU.
NewLine<float> fused_by_library(Line<float> a, Line<float> b, Line<float> c) {
    const std::size_t n = a.shape(0);
    check_lengths(n, b, c);
    auto y = std::make_unique<float[]>(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = std::fma(a.data()[i], b.data()[i], c.data()[i]);
    return hand_over(std::move(y), n);
}

using Found = std::pair<std::int64_t, std::uint64_t>;

template <class Y>
Found scanned(const OnFloats<Y>& function, std::int64_t first, std::int64_t last) {
    const nb::gil_scoped_release release;
    const PlainRounding plain;
    const Scan found = scan(function, first, last);
    return {found.decreases, found.checksum};
}

Found scan_activation(nb::handle activation, std::int64_t first, std::int64_t last) {
    const Activation chosen = read_activation(activation);
    const auto kernel = level().elementwise.value32;
    return scanned<float>([&](std::int64_t n, const float* x, float* y) { kernel(chosen, n, x, y); }, first, last);
}

Found scan_link(const std::string& link, std::int64_t first, std::int64_t last) {
    if (link != "sigmoid" && link != "exp") throw nb::value_error("only sigmoid and exp are links of one score.");
    const ElementwiseKernels& kernels = level().elementwise;
    return scanned<double>(link == "exp" ? kernels.exp_link : kernels.sigmoid_link, first, last);
}

}  // namespace

void bind_elementwise(nb::module_& module) {
    module.def("activate", [](nb::handle activation, Line<float> x) {
        return mapped(activation, x, level().elementwise.value32); },
        nb::arg("activation"), nb::arg("x").noconvert(), "The activation at every entry of x, with the bits of predict.");
    module.def("activate", [](nb::handle activation, Line<double> x) {
        return mapped(activation, x, level().elementwise.value64); },
        nb::arg("activation"), nb::arg("x").noconvert());
    module.def("slope", [](nb::handle activation, Line<float> x) {
        return mapped(activation, x, level().elementwise.slope32); },
        nb::arg("activation"), nb::arg("x").noconvert(), "The activation's derivative at every entry of x.");
    module.def("slope", [](nb::handle activation, Line<double> x) {
        return mapped(activation, x, level().elementwise.slope64); },
        nb::arg("activation"), nb::arg("x").noconvert());
    module.def("activate_pair", &activated_pair, nb::arg("activation"), nb::arg("x").noconvert(),
               "The unreflected activation at x and at -x, as a post-switch takes them.");
    module.def("fused", &fused_lines, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("c").noconvert(),
               "a * b + c with one rounding.");
    module.def("fused_by_library", &fused_by_library, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
               nb::arg("c").noconvert(), "The same by the C library, to compare with.");
    module.def("scan_activation", &scan_activation, nb::arg("activation"), nb::arg("first"), nb::arg("last"),
               "Decreases and checksum of the activation over the floats of these ranks.");
    module.def("scan_link", &scan_link, nb::arg("link"), nb::arg("first"), nb::arg("last"),
               "Decreases and checksum of a link over the floats of these ranks.");
}

}  // namespace isotone
