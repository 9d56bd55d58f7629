/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies with their knobs, as words. */
#ifndef NEWIDLE_VARIANTS_H
#define NEWIDLE_VARIANTS_H

#include <stddef.h>
#include "policy.h"

/* What is played unless the user says something else. */
extern const char *const usual_variants[];
extern const int nr_usual_variants;

const char *native_words(const char *native, size_t length);
const char *variant_parse(const char *words, const char *native, size_t length,
			  struct newidle_settings *set);

#endif /* NEWIDLE_VARIANTS_H */
