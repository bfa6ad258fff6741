#define ISOTONE_LEVEL avx512
#include "training_level.hpp"
