// Reads a Python `Architecture`, which has checked itself, into a Plan.
#pragma once

#include <nanobind/nanobind.h>

#include "plan.hpp"

namespace isotone {

Plan read_plan(nanobind::handle architecture);
Activation read_activation(nanobind::handle activation);

}  // namespace isotone
