#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "plan_reading.hpp"
#include "predict.hpp"
#include "prepare.hpp"

namespace nb = nanobind;

namespace isotone {
namespace {

template <class X>
using Rows = nb::ndarray<const X, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> hand_over(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(values.release(), shape, owner);
}

// A network ready for prediction, beside the arrays it was made from.
template <class T>
class Compiled {
public:
    Compiled(nb::handle architecture, std::vector<Array<T>> arrays) : arrays_(std::move(arrays)) {
        const Plan plan = read_plan(architecture);
        check_sizes(plan);
        for (const Array<T>& array : arrays_) copies_.emplace_back(array.data(), array.data() + array.size());
        std::vector<const T*> numbers;
        for (const auto& copy : copies_) numbers.push_back(copy.data());
        network_ = prepare(plan, numbers);
    }

    // Whether the arrays still hold what they held.
    bool current() const {
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            if (std::memcmp(arrays_[i].data(), copies_[i].data(), copies_[i].size() * sizeof(T)) != 0) return false;
        return true;
    }

    nb::ndarray<nb::numpy, double> cuts() const {
        std::unique_ptr<double[]> out(new double[network_.cuts.size()]);
        std::copy(network_.cuts.begin(), network_.cuts.end(), out.get());
        return hand_over(std::move(out), {network_.cuts.size()});
    }

    template <class X>
    nb::ndarray<nb::numpy, double> predict_rows(Rows<X> x, int threads) const {
        const std::size_t rows = checked_rows(x), count = static_cast<std::size_t>(network_.plan.predictions());
        std::unique_ptr<double[]> out(new double[rows * count]);
        {
            const nb::gil_scoped_release release;
            predict(network_, x.data(), static_cast<std::int64_t>(rows), threads, out.get());
        }
        return hand_over(std::move(out), {rows, count});
    }

    template <class X>
    nb::ndarray<nb::numpy, T> score_rows(Rows<X> x, int threads) const {
        const std::size_t rows = checked_rows(x), count = static_cast<std::size_t>(network_.plan.outputs);
        const auto members = static_cast<std::size_t>(network_.plan.members);
        std::unique_ptr<T[]> out(new T[members * rows * count]);
        {
            const nb::gil_scoped_release release;
            member_scores(network_, x.data(), static_cast<std::int64_t>(rows), threads, out.get());
        }
        return hand_over(std::move(out), {members, rows, count});
    }

    template <class X>
    nb::ndarray<nb::numpy, double> gradient_rows(Rows<X> x, int threads) const {
        const std::size_t rows = checked_rows(x), count = static_cast<std::size_t>(network_.plan.outputs);
        std::unique_ptr<double[]> out(new double[rows * count * x.shape(1)]);
        {
            const nb::gil_scoped_release release;
            input_gradient(network_, x.data(), static_cast<std::int64_t>(rows), threads, out.get());
        }
        return hand_over(std::move(out), {rows, count, x.shape(1)});
    }

private:
    void check_sizes(const Plan& plan) const {
        const std::vector<std::size_t> sizes = array_sizes(plan);
        bool fits = sizes.size() == arrays_.size();
        for (std::size_t i = 0; fits && i < sizes.size(); ++i) fits = sizes[i] == arrays_[i].size();
        if (!fits) throw nb::value_error("the arrays do not have the sizes of the architecture's parameters.");
    }

    template <class X>
    std::size_t checked_rows(const Rows<X>& x) const {
        if (x.shape(1) != network_.encodings.size())
            throw nb::value_error(("x has " + std::to_string(x.shape(1)) + " columns; the architecture has " +
                                   std::to_string(network_.encodings.size()) + ".").c_str());
        return x.shape(0);
    }

    std::vector<Array<T>> arrays_;
    std::vector<std::vector<T>> copies_;
    Network<T> network_;
};

template <class T>
void bind_compiled(nb::module_& module, const char* name) {
    using Class = Compiled<T>;
    nb::class_<Class>(module, name)
        .def(nb::init<nb::handle, std::vector<Array<T>>>(), nb::arg("architecture"), nb::arg("arrays").noconvert())
        .def("current", &Class::current, "Whether the arrays still hold what they held.")
        .def("cuts", &Class::cuts, "The shared cut points.")
        .def("predict", &Class::template predict_rows<double>, nb::arg("x").noconvert(), nb::arg("threads"))
        .def("predict", &Class::template predict_rows<float>, nb::arg("x").noconvert(), nb::arg("threads"))
        .def("input_gradient", &Class::template gradient_rows<double>, nb::arg("x").noconvert(), nb::arg("threads"))
        .def("input_gradient", &Class::template gradient_rows<float>, nb::arg("x").noconvert(), nb::arg("threads"))
        .def("member_scores", &Class::template score_rows<double>, nb::arg("x").noconvert(), nb::arg("threads"))
        .def("member_scores", &Class::template score_rows<float>, nb::arg("x").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_prediction(nb::module_& module) {
    bind_compiled<float>(module, "Compiled32");
    bind_compiled<double>(module, "Compiled64");
}

}  // namespace isotone
