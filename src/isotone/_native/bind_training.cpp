// The training of isotone.training: its data and state come and go as plain numpy arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "plan_reading.hpp"
#include "trainer.hpp"
#include "training_dispatch.hpp"

namespace nb = nanobind;

namespace isotone {
namespace {

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// the columns of a table, each with a stride of its own
using Columns = std::vector<nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>>;
template <class T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewTable = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

const std::vector<std::string> loss_names = {"squared_error", "absolute_error", "huber",    "quantile", "poisson",
                                             "gamma",         "tweedie",        "log_loss", "softmax",  "ordinal"};
const std::vector<std::string> schedule_names = {"constant", "cosine", "one_cycle"};

template <class Choice>
Choice choose(const std::vector<std::string>& names, const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Choice>(i);
    throw std::invalid_argument("the native engine has no '" + name + "'.");
}

template <class T>
NewTable<T> new_table(std::size_t rows, std::size_t columns) {
    auto* data = new T[rows * columns];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return NewTable<T>(data, {rows, columns}, owner);
}

template <class T>
T get(nb::handle object, const char* name) {
    return nb::cast<T>(object.attr(name));
}

Loss read_loss(nb::handle given) {
    return {choose<LossKind>(loss_names, get<std::string>(given, "name")),
            get<std::vector<double>>(given, "parameters")};
}

TrainingSettings read_settings(nb::handle given) {
    TrainingSettings s;
    s.epochs = get<std::int64_t>(given, "epochs");
    s.batch_size = get<std::int64_t>(given, "batch_size");
    s.drop_last = get<bool>(given, "drop_last");
    s.shuffled = get<bool>(given, "shuffle");
    s.decoupled = get<std::string>(given, "optimizer") == "adamw";
    s.weight_decay = get<double>(given, "weight_decay");
    s.first_decay = nb::cast<double>(given.attr("betas")[0]);
    s.second_decay = nb::cast<double>(given.attr("betas")[1]);
    s.epsilon = get<double>(given, "epsilon");
    s.schedule.kind = choose<ScheduleKind>(schedule_names, get<std::string>(given, "schedule"));
    s.schedule.rate = get<double>(given, "learning_rate");
    s.schedule.warm_up = get<double>(given, "warm_up_share");
    if (!given.attr("clip_norm").is_none()) s.clip_norm = get<double>(given, "clip_norm");
    if (!given.attr("patience").is_none()) s.patience = get<std::int64_t>(given, "patience");
    s.tolerance = get<double>(given, "tolerance");
    return s;
}

std::vector<Numbers> read_columns(const Columns& x) {
    std::vector<Numbers> columns;
    columns.reserve(x.size());
    for (const auto& column : x) {
        if (column.shape(0) != x.front().shape(0)) throw std::invalid_argument("the columns differ in length.");
        columns.push_back({column.data(), column.stride(0)});
    }
    return columns;
}

// Target `i` belongs to row `order[i]` of the table.
template <class T>
Examples<T> read_examples(const Plan& plan, const Columns& x, const Line<std::int64_t>& order, const Line<double>& y) {
    if (x.empty() || x.size() != plan.columns.size() || order.shape(0) != y.shape(0))
        throw std::invalid_argument("x, its order and y do not fit the network or each other.");
    const std::int64_t* begin = order.data();
    const std::int64_t* end = begin + order.shape(0);
    const auto rows = static_cast<std::int64_t>(x.front().shape(0));
    if (std::any_of(begin, end, [rows](std::int64_t row) { return row < 0 || row >= rows; }))
        throw std::invalid_argument("the order names rows that x does not have.");
    return {encode_rows<T>(plan, read_columns(x), begin, end - begin),
            std::vector<double>(y.data(), y.data() + y.shape(0))};
}

template <class T>
std::unique_ptr<Trainer<T>> make_trainer(nb::handle architecture, const Columns& x,
                                         const Line<std::int64_t>& order, const Line<double>& y,
                                         const Columns& trial_x, const Line<std::int64_t>& trial_order,
                                         const Line<double>& trial_y, nb::handle loss, nb::handle settings,
                                         std::uint64_t seed) {
    const Plan plan = read_plan(architecture);
    const TrainingKernels<T>& chosen = training_kernels<T>();
    return std::make_unique<Trainer<T>>(Course<T>{lay_out(plan, chosen.lanes), chosen, read_settings(settings),
                                                  read_loss(loss), seed, read_examples<T>(plan, x, order, y),
                                                  read_examples<T>(plan, trial_x, trial_order, trial_y)});
}

// The rows with a weight, and the weights divided by their mean.
std::shared_ptr<const Share> read_share(const Line<double>& weights) {
    auto share = std::make_shared<Share>();
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.shape(0); ++i)
        if (weights(i) > 0.0) {
            share->rows.push_back(static_cast<std::int32_t>(i));
            sum += weights(i);
        }
    if (share->rows.empty()) throw std::invalid_argument("a member has no rows.");
    const double mean = sum / static_cast<double>(share->rows.size());
    for (std::size_t i = 0; i < weights.shape(0); ++i) share->weights.push_back(weights(i) / mean);
    return share;
}

template <class T>
void add_members(Trainer<T>& trainer, int count, const Line<double>& weights,
                 const std::optional<Line<double>>& trials) {
    if (weights.shape(0) != trainer.course().examples.targets.size() ||
        (trials && trials->shape(0) != trainer.course().trials.targets.size()))
        throw std::invalid_argument("there is one weight per row.");
    const std::shared_ptr<const Share> share = read_share(weights), trial = trials ? read_share(*trials) : nullptr;
    for (int i = 0; i < count; ++i) trainer.add_member(share, trial);
}

template <class T>
using Flat = Buffer<T> MemberTraining<T>::*;

template <class T>
Flat<T> flat_of(const std::string& what) {
    if (what == "weights") return &MemberTraining<T>::weights;
    if (what == "first") return &MemberTraining<T>::first;
    if (what == "second") return &MemberTraining<T>::second;
    return &MemberTraining<T>::best;
}

// One (members, numbers) table per array of the parameters.
template <class T, class Source>
std::vector<NewTable<T>> give_arrays(const TrainedNetwork& network, std::size_t members, Source source) {
    std::vector<NewTable<T>> arrays;
    for (const std::vector<std::size_t>& places : network.places) {
        arrays.push_back(new_table<T>(members, places.size()));
        T* to = arrays.back().data();
        for (std::size_t member = 0; member < members; ++member)
            for (const std::size_t place : places) *to++ = source(member)[place];
    }
    return arrays;
}

template <class T>
void take_arrays(Trainer<T>& trainer, const std::string& what, const std::vector<Table<T>>& arrays) {
    const TrainedNetwork& network = trainer.course().network;
    if (arrays.size() != network.places.size()) throw std::invalid_argument("the number of arrays does not fit.");
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const std::vector<std::size_t>& places = network.places[a];
        if (arrays[a].shape(0) != trainer.members().size() || arrays[a].shape(1) != places.size())
            throw std::invalid_argument("an array's shape does not fit.");
        const T* from = arrays[a].data();
        for (MemberTraining<T>& member : trainer.members())
            for (const std::size_t place : places) (member.*flat_of<T>(what))[place] = *from++;
    }
}

// Returns when all is done, or with the Python error that a signal's handler raised.
template <class T>
void run(Trainer<T>& trainer, std::int64_t until, int threads) {
    bool raised = false;
    {
        nb::gil_scoped_release release;
        trainer.run(until, threads, [&raised] {
            nb::gil_scoped_acquire acquire;
            return raised = raised || PyErr_CheckSignals() != 0;
        });
    }
    if (raised) throw nb::python_error();
}

template <class T>
nb::tuple value_and_gradient(Trainer<T>& trainer, int threads) {
    std::vector<Buffer<T>> gradients;
    std::vector<double> values;
    {
        nb::gil_scoped_release release;
        values = trainer.value_and_gradient(threads, gradients);
    }
    return nb::make_tuple(values, give_arrays<T>(trainer.course().network, gradients.size(),
                                                 [&](std::size_t i) -> const Buffer<T>& { return gradients[i]; }));
}

constexpr std::size_t progress_width = 9;

template <class T>
NewTable<double> give_progress(Trainer<T>& trainer) {
    NewTable<double> table = new_table<double>(trainer.members().size(), progress_width);
    double* to = table.data();
    for (const MemberTraining<T>& member : trainer.members()) {
        const Progress& p = member.progress;
        const double line[progress_width] = {double(p.epoch), double(p.step), double(p.batch), double(p.waited),
                                             double(p.best_epoch), double(p.stopped), p.loss_sum, p.weight_sum,
                                             p.best_loss};
        to = std::copy_n(line, progress_width, to);
    }
    return table;
}

template <class T>
void take_progress(Trainer<T>& trainer, const Table<double>& table) {
    if (table.shape(0) != trainer.members().size() || table.shape(1) != progress_width)
        throw std::invalid_argument("the progress does not fit the members.");
    for (std::size_t i = 0; i < table.shape(0); ++i) {
        const double* p = table.data() + i * progress_width;
        trainer.members()[i].resume({std::int64_t(p[0]), std::int64_t(p[1]), std::int64_t(p[2]), std::int64_t(p[3]),
                                     std::int64_t(p[4]), std::int64_t(p[5]), p[6], p[7], p[8]});
    }
}

// Training loss, validation loss and learning rate of each epoch that this trainer has run for a member.
template <class T>
NewTable<double> give_history(Trainer<T>& trainer, std::size_t member) {
    const std::vector<EpochRecord>& records = trainer.members().at(member).history;
    NewTable<double> table = new_table<double>(records.size(), 3);
    double* to = table.data();
    for (const EpochRecord& record : records) {
        *to++ = record.loss;
        *to++ = record.validation;
        *to++ = record.rate;
    }
    return table;
}

template <class T>
void bind_trainer(nb::module_& module, const char* name) {
    using Own = Trainer<T>;
    nb::class_<Own>(module, name)
        .def("add_members", &add_members<T>, nb::arg("count"), nb::arg("weights"), nb::arg("trials").none())
        .def("arrays", [](Own& self, const std::string& what) {
            return give_arrays<T>(self.course().network, self.members().size(),
                [&](std::size_t i) -> const Buffer<T>& { return self.members()[i].*flat_of<T>(what); }); })
        .def("set_arrays", &take_arrays<T>, nb::arg("what"), nb::arg("arrays"))
        .def("progress", &give_progress<T>)
        .def("set_progress", &take_progress<T>, nb::arg("table"))
        .def("history", &give_history<T>, nb::arg("member"))
        .def("run", &run<T>, nb::arg("until"), nb::arg("threads"))
        .def("value_and_gradient", &value_and_gradient<T>, nb::arg("threads"));
}

NewTable<std::int32_t> batch_order(std::uint64_t seed, std::uint64_t member, std::uint64_t epoch,
                                   const nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig>& rows) {
    std::vector<std::int32_t> order(rows.data(), rows.data() + rows.shape(0));
    shuffle(order, seed, member, epoch);
    NewTable<std::int32_t> table = new_table<std::int32_t>(1, order.size());
    std::copy(order.begin(), order.end(), table.data());
    return table;
}

}  // namespace

void bind_training(nb::module_& module) {
    bind_trainer<float>(module, "Trainer32");
    bind_trainer<double>(module, "Trainer64");
    module.def("trainer32", &make_trainer<float>, "Members in training, in float32.");
    module.def("trainer64", &make_trainer<double>, "Members in training, in float64.");
    module.def("batch_order", &batch_order, nb::arg("seed"), nb::arg("member"), nb::arg("epoch"), nb::arg("rows"),
               "The order in which a member sees the rows in an epoch.");
    module.def("learning_rate", [](nb::handle settings, std::int64_t step, std::int64_t total) {
        return rate_at(read_settings(settings).schedule, step, total); },
        "The learning rate of a step, counted from 0.");
}

}  // namespace isotone
