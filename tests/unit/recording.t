#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings: written, read, and damaged in all ways.
exec "${0%/*}/run" "$0"
