#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dispatch.hpp"

namespace nb = nanobind;

namespace isotone {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

nb::dict build_info() {
    nb::dict info;
    info["compiler"] = kCompiler;
    info["cxx"] = static_cast<long>(__cplusplus);
#if defined(__SANITIZE_ADDRESS__)
    info["sanitized"] = true;
#else
    info["sanitized"] = false;
#endif
    return info;
}

}  // namespace

void bind_dispatch(nb::module_& module) {
    module.def("cpu_level", [] { return level_names().front(); }, "The widest instruction level that this CPU can run.");
    module.def("levels", &level_names, "The instruction levels that this CPU can run, widest first.");
    module.def("level", [] { return std::string(level().name); }, "The instruction level in use.");
    module.def("use_level", &use_level, nb::arg("name"), "Use an instruction level from now on; for tests.");
    module.def("build_info", &build_info, "How this extension was compiled.");
}

}  // namespace isotone
