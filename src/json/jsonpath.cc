#include "annex/json/jsonpath.h"
