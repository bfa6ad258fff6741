#include "predict.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "dispatch.hpp"
#include "rounding.hpp"
#include "threads.hpp"
#include "workspace.hpp"

namespace isotone {
namespace {

// A thread of its own must have this many multiplications to do, or starting it costs more than it saves.
constexpr double work_per_thread = 4e6;
// A job is this many blocks.
constexpr std::int64_t blocks_per_job = 8;

template <class T> const PredictKernels<T>& kernels();
template <> const PredictKernels<float>& kernels() { return level().predict32; }
template <> const PredictKernels<double>& kernels() { return level().predict64; }

template <class T>
bool encode(const PredictKernels<T>& kernel, const Network<T>& network, const float* x, int rows, Workspace<T>& work) {
    return kernel.encode32(network, x, rows, work);
}
template <class T>
bool encode(const PredictKernels<T>& kernel, const Network<T>& network, const double* x, int rows, Workspace<T>& work) {
    return kernel.encode64(network, x, rows, work);
}

// What the values of a column must be, if this one is not; empty if it is.
std::string demand(const Encoding& encoding, double value) {
    if (encoding.categorical) {
        const bool fine = value >= 0 && value < encoding.size && value == std::floor(value);
        return fine ? "" : "codes 0 to " + std::to_string(encoding.size - 1);
    }
    if (std::isfinite(value) || (std::isnan(value) && encoding.missing)) return "";
    return encoding.missing ? "finite or NaN" : "finite, for the column has no missing slot";
}

// Throws, naming the first value that cannot be read.
template <class T, class X>
[[noreturn]] void refuse(const Network<T>& network, const X* x, std::int64_t rows) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (int c = 0; c < network.columns(); ++c) {
            const double value = static_cast<double>(x[r * network.columns() + c]);
            const std::string wanted = demand(network.encodings[static_cast<std::size_t>(c)], value);
            if (!wanted.empty())
                throw std::invalid_argument("x[:, " + std::to_string(c) + "] must be " + wanted + "; got " +
                                            std::to_string(value) + " in row " + std::to_string(r) + ".");
        }
    throw std::logic_error("a value could not be read, and none was found.");
}

template <class T>
double multiplications(const Network<T>& network) {
    double count = 100.0;
    for (const auto* branch : {&network.plan.free, &network.plan.trunk})
        for (const Layer& layer : *branch) count += static_cast<double>(layer.weights());
    return count * network.plan.members;
}

// Calls finish(first row, rows, workspace) for every block after it has been encoded.
template <class T, class X, class F>
void for_blocks(const Network<T>& network, const X* x, std::int64_t rows, int threads, F finish) {
    const PredictKernels<T>& kernel = kernels<T>();
    std::atomic<bool> readable{true};
    const auto run_blocks = [&](std::int64_t first, std::int64_t last, Workspace<T>& work) {
        for (std::int64_t row = first; row < last; row += block_rows) {
            const int count = static_cast<int>(std::min<std::int64_t>(block_rows, last - row));
            if (!encode(kernel, network, x + row * network.columns(), count, work)) readable = false;
            if (!readable) return;
            finish(row, count, work);
        }
    };
    const double wanted = 1.0 + static_cast<double>(rows) * multiplications(network) / work_per_thread;
    threads = static_cast<int>(std::min<double>(threads, wanted));
    if (threads <= 1) {
        const PlainRounding plain;
        run_blocks(0, rows, OwnWorkspace<T>(network).get());
    } else {
        constexpr std::int64_t job_rows = blocks_per_job * block_rows;
        std::vector<std::optional<OwnWorkspace<T>>> workspaces(static_cast<std::size_t>(threads));
        Pool pool(threads);
        pool.run((rows + job_rows - 1) / job_rows, [&](std::int64_t job, int worker) {
            auto& workspace = workspaces[static_cast<std::size_t>(worker)];
            if (!workspace) workspace.emplace(network);
            run_blocks(job * job_rows, std::min(rows, (job + 1) * job_rows), workspace->get());
        });
    }
    if (!readable) refuse(network, x, rows);
}

// Lines of a block to rows of the result.
template <class T>
void write_rows(const T* lines, int count, int rows, T* out) {
    if (count == 1) {
        std::copy(lines, lines + rows, out);
        return;
    }
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < count; ++j) *out++ = lines[j * block_rows + r];
}

}  // namespace

template <class T, class X>
void predict(const Network<T>& network, const X* x, std::int64_t rows, int threads, double* out) {
    const PredictKernels<T>& kernel = kernels<T>();
    const int count = network.plan.predictions();
    for_blocks(network, x, rows, threads, [&](std::int64_t row, int block, Workspace<T>& work) {
        kernel.average(network, block, work);
        kernel.link(network, block, work);
        write_rows(work.predictions, count, block, out + row * count);
    });
}

template <class T, class X>
void member_scores(const Network<T>& network, const X* x, std::int64_t rows, int threads, T* out) {
    const PredictKernels<T>& kernel = kernels<T>();
    const int count = network.plan.outputs;
    for_blocks(network, x, rows, threads, [&](std::int64_t row, int block, Workspace<T>& work) {
        for (int member = 0; member < network.plan.members; ++member) {
            kernel.score(network, member, block, work);
            write_rows(work.sums, count, block, out + (member * rows + row) * count);
        }
    });
}

template <class T, class X>
void input_gradient(const Network<T>& network, const X* x, std::int64_t rows, int threads, double* out) {
    const PredictKernels<T>& kernel = kernels<T>();
    const std::int64_t count = static_cast<std::int64_t>(network.plan.outputs) * network.columns();
    for_blocks(network, x, rows, threads, [&](std::int64_t row, int block, Workspace<T>& work) {
        OwnGradientSpace<T> space(network);
        kernel.gradient(network, block, work, space.get(), out + row * count);
    });
}

template void predict(const Network<float>&, const float*, std::int64_t, int, double*);
template void predict(const Network<float>&, const double*, std::int64_t, int, double*);
template void predict(const Network<double>&, const float*, std::int64_t, int, double*);
template void predict(const Network<double>&, const double*, std::int64_t, int, double*);
template void member_scores(const Network<float>&, const float*, std::int64_t, int, float*);
template void member_scores(const Network<float>&, const double*, std::int64_t, int, float*);
template void member_scores(const Network<double>&, const float*, std::int64_t, int, double*);
template void member_scores(const Network<double>&, const double*, std::int64_t, int, double*);
template void input_gradient(const Network<float>&, const float*, std::int64_t, int, double*);
template void input_gradient(const Network<float>&, const double*, std::int64_t, int, double*);
template void input_gradient(const Network<double>&, const float*, std::int64_t, int, double*);
template void input_gradient(const Network<double>&, const double*, std::int64_t, int, double*);

}  // namespace isotone
