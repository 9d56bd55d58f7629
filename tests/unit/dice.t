#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policy core: are the dice fair, and is the share of attempts as asked?.
exec "${0%/*}/run" "$0"
