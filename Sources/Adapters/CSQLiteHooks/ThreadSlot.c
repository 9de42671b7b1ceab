#include "CSQLiteHooks.h"

static _Thread_local void *slot = 0;

void *results_thread_slot(void) { return slot; }

void results_set_thread_slot(void *value) { slot = value; }
