// Each part of the engine adds its functions to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace isotone {

void bind_dispatch(nanobind::module_& module);
void bind_elementwise(nanobind::module_& module);
void bind_prediction(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace isotone
