#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: side by side with a plain second implementation.
exec "${0%/*}/run" "$0"
