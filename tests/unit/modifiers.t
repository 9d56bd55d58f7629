#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Knobs that work with every policy: max_level, cost_bump.
exec "${0%/*}/run" "$0"
