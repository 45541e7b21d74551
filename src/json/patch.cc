#include "annex/json/patch.h"
