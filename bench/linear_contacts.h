// SPDX-License-Identifier: Apache-2.0
// `linear` with many contacts: a flat plate pressed on the block, with meshes of the plate that
// give more and more contacts, with friction.
#ifndef PAL_BENCH_LINEAR_CONTACTS_H
#define PAL_BENCH_LINEAR_CONTACTS_H

#include "bench.h"

/// A row for each number of contacts: the whole low-rate step, its parts, and the tick.
palResult palBench_LinearContacts(const palBenchSettings* settings, palJson* json);

#endif
