// SPDX-License-Identifier: Apache-2.0
// The options of palpate mesh, and functions shared by its files: surfaces (command_mesh.c), what
// changes them (mesh_change.c), and volumes (mesh_volume.c).
#ifndef PAL_APP_MESH_REQUEST_H
#define PAL_APP_MESH_REQUEST_H

#include "base/json.h"
#include "base/messages.h"
#include "mesh/facts.h"

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
    int voxels;      // 0: none
    double decimate; // m; 0: not
    bool repair;
    bool keepOrientation;
    bool json;
    bool quiet;
} palMeshRequest;

/// Metres per file unit, including the factor of --scale.
palResult palMeshRequest_Scale(const palMeshRequest* request, double* metres, palError* error);

/// Prints the messages, or adds them to the JSON.
void palMeshRequest_PrintNotes(const palMessages* notes);
void palMeshRequest_PutNotes(palJson* json, const palMessages* notes);

/// Closes holes and removes triangles, as the request says; `facts` are then those of the result.
palResult palMeshRequest_Change(const palMeshRequest* request, palSurface* surface,
                                palSurfaceFacts* facts, palMessages* notes, palError* error);

/// Whether the request is about a volume: a volume file or one of the generated volumes.
bool palMeshRequest_IsVolume(const palMeshRequest* request);

/// Executes a request for a volume. Returns the exit code.
int palMeshRequest_RunVolume(const palMeshRequest* request);

/// Embeds a surface in voxels (--voxels) and prints the report, including `notes`. Returns the exit
/// code.
int palMeshRequest_RunVoxels(const palMeshRequest* request, const palSurface* surface,
                             palMessages* notes);

#endif
