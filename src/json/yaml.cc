#include "annex/json/yaml.h"
