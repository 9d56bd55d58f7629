#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: the rate term, odd clocks, and a window changed under way.
exec "${0%/*}/run" "$0"
