#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy bresenham: the share of random, evenly spread.
exec "${0%/*}/run" "$0"
