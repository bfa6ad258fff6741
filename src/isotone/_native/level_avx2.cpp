#define ISOTONE_LEVEL avx2
#include "level.hpp"
