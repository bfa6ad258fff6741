#include <nanobind/ndarray.h>

#include <memory>

#include "bindings.hpp"
#include "dispatch.hpp"
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

NewLine<float> fused_lines(Line<float> a, Line<float> b, Line<float> c) {
    const std::size_t n = a.shape(0);
    if (b.shape(0) != n || c.shape(0) != n) throw nb::value_error("fused takes three lines of one length.");
    auto y = std::make_unique<float[]>(n);
    const PlainRounding plain;
    level().elementwise.fused(static_cast<std::int64_t>(n), a.data(), b.data(), c.data(), y.get());
    return hand_over(std::move(y), n);
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
    module.def("fused", &fused_lines, nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("c").noconvert(),
               "a * b + c with one rounding.");
}

}  // namespace isotone
