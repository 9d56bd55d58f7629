#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Engines: both make the same decisions of the same events.
exec "${0%/*}/run" "$0"
