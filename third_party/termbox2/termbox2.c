#define TB_IMPL
#include "termbox2.h"
