#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Engine swap: side by side with a kernel's own new-idle balance.
exec "${0%/*}/run" "$0"
