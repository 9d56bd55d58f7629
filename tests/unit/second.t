#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The second look (knob retry): each of its conditions.
exec "${0%/*}/run" "$0"
