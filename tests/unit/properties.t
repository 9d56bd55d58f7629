#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: what must hold whatever happens.
exec "${0%/*}/run" "$0"
