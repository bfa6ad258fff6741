#define ISOTONE_LEVEL avx512
#include "level.hpp"
