#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Engine gate: what it leaves alone, refuses, and puts right after a second look.
exec "${0%/*}/run" "$0"
