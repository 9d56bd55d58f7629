// SPDX-License-Identifier: GPL-2.0-only
/* Wrong: as thunk.c, compiled to a bare indirect call (see Kbuild). */
#include "thunk.c"
