#define ISOTONE_LEVEL avx2
#include "training_level.hpp"
