// The Python face of the native engine: only bindings stand here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace {

// The widest vector instructions of the running CPU that the engine has kernels for.
std::string cpu_level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
    return "baseline";
}

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

NB_MODULE(_native, module) {
    module.doc() = "The native engine of isotone.";
    module.def("cpu_level", &cpu_level, "The widest instruction level that this CPU can run.");
    module.def("build_info", &build_info, "How this extension was compiled.");
}
