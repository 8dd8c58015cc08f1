// SPDX-License-Identifier: Apache-2.0
// Contacts of meshes as rigid bodies: a part of `palpate bench world`.
#ifndef PAL_BENCH_MESH_H
#define PAL_BENCH_MESH_H

#include "bench.h"

void palBenchMesh_Run(const palBenchSettings* settings, palJson* json);

#endif
