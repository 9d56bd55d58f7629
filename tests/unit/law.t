#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: attempts per second over many windows, against the formula.
exec "${0%/*}/run" "$0"
