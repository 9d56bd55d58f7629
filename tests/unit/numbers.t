#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: the numbers of the policies, one by one.
exec "${0%/*}/run" "$0"
