// common.h and Catch2.
#include "common.h"

#include <catch2/catch.hpp>
