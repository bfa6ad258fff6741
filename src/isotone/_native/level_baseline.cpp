#define ISOTONE_LEVEL baseline
#include "level.hpp"
