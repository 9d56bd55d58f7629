// SPDX-License-Identifier: GPL-2.0-only
/* Choose the engine: the one that was asked for, or the best that is proved. */
#include "log.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include "engine.h"

const char *const newidle_engine_choices[NEWIDLE_NR_ENGINE_CHOICES] = {
	[NEWIDLE_ENGINE_AUTO] = "auto",
	[NEWIDLE_ENGINE_SWAP] = "swap",
	[NEWIDLE_ENGINE_GATE] = "gate",
};

bool newidle_live __read_mostly;

/* All functions that it hooks must be free. */
static int prove(const struct newidle_engine *engine)
{
	int err = 0, i;

	for (i = 0; !err && i < NEWIDLE_HOOKS; i++)
		if (engine->hooks[i].target)
			err = newidle_function_prove(engine->hooks[i].target);
	return err;
}

static int choose(struct newidle_engine *engine, u32 wanted)
{
	char not_swap[NEWIDLE_WHY], not_gate[NEWIDLE_WHY];
	int err;

	if (wanted != NEWIDLE_ENGINE_GATE) {
		err = newidle_swap_open(engine, not_swap, sizeof(not_swap));
		if (!err)
			return 0;
		if (wanted == NEWIDLE_ENGINE_SWAP) {
			pr_err("engine swap can't work on this kernel: %s\n",
			       not_swap);
			return err;
		}
	}
	err = newidle_gate_open(engine, not_gate, sizeof(not_gate));
	if (err)
		pr_err("engine gate can't work on this kernel: %s\n", not_gate);
	if (wanted == NEWIDLE_ENGINE_AUTO)
		pr_info("not engine swap: %s\n", not_swap);
	return err;
}

/**
 * newidle_engine_open() - choose an engine and make it ready to be hooked
 * @engine: filled
 * @wanted: one of enum newidle_engine_choice
 *
 * Changes nothing in the kernel.
 *
 * Return: 0, or an error that was logged.
 */
int newidle_engine_open(struct newidle_engine *engine, u32 wanted)
{
	int err = choose(engine, wanted);

	return err ?: prove(engine);
}
