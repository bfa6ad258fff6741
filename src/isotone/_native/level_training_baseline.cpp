#define ISOTONE_LEVEL baseline
#include "training_level.hpp"
