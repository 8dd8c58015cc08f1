// SPDX-License-Identifier: Apache-2.0
// What palpate mesh is asked for, and what its two halves share: surfaces (command_mesh.c) and
// volumes (mesh_volume.c).
#ifndef PAL_APP_MESH_REQUEST_H
#define PAL_APP_MESH_REQUEST_H

#include "base/json.h"
#include "base/messages.h"
#include "mesh/surface.h"

typedef struct palMeshRequest
{
    const char* in; // operand, or NULL
    const char* out;
    const char* generate;
    const char* unit;
    const char* cells; // of a generated volume: five, six or hex
    const char* msh;   // version to write: 2.2 or 4.1
    double scale;
    double weld;
    double size;
    int resolution;
    int voxels; // 0: none
    bool keepOrientation;
    bool json;
    bool quiet;
} palMeshRequest;

/// Metres a unit of the file, with the factor of --scale.
palResult palMeshRequest_Scale(const palMeshRequest* request, double* metres, palError* error);

/// Prints the messages, or puts them into JSON.
void palMeshRequest_PrintNotes(const palMessages* notes);
void palMeshRequest_PutNotes(palJson* json, const palMessages* notes);

/// Whether the request is about a volume: a volume file or one of the generated volumes.
bool palMeshRequest_IsVolume(const palMeshRequest* request);

/// Answers a request about a volume. Returns the exit code.
int palMeshRequest_AnswerVolume(const palMeshRequest* request);

/// Embeds a surface into voxels and tells about them, with --voxels. Takes over `notes`' printing.
/// Returns the exit code.
int palMeshRequest_AnswerVoxels(const palMeshRequest* request, const palSurface* surface,
                                palMessages* notes);

#endif
