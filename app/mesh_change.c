// SPDX-License-Identifier: Apache-2.0
// palpate mesh --repair and --decimate: changes a surface and says what it did.
#include "mesh_request.h"

#include "base/error.h"
#include "collide/decimate.h"
#include "mesh/holes.h"

static palResult repair(palSurface* surface, const palSurfaceFacts* facts, palMessages* notes,
                        palError* error)
{
    palHolesReport report;
    palResult result = palSurface_FillHoles(surface, &report, error);
    if (result != pal_ok)
        return result;
    if (report.holes == 0)
        palMessages_Add(notes, pal_severityNote, "there is no hole to close");
    else
        palMessages_Add(notes, pal_severityNote,
                        "closed %d hole%s with %d triangles, the widest %.3g mm across; their area "
                        "is %.3g %% of the surface",
                        report.holes, report.holes > 1 ? "s" : "", report.triangles,
                        1e3 * report.widest, 100.0 * report.area / facts->area);
    return pal_ok;
}

static palResult decimate(palSurface* surface, double tolerance, palMessages* notes,
                          palError* error)
{
    palDecimation done;
    palResult result = palSurface_Decimate(surface, tolerance, &done, error);
    if (result == pal_ok)
        palMessages_Add(notes, pal_severityNote,
                        "%d of %d triangles are left; measured, the given surface is at most "
                        "%.3g um from the new one, and that at most %.3g um from it",
                        done.after, done.before, 1e6 * done.fromGiven, 1e6 * done.fromReduced);
    return result;
}

palResult palMeshRequest_Change(const palMeshRequest* request, palSurface* surface,
                                palSurfaceFacts* facts, palMessages* notes, palError* error)
{
    palResult result = pal_ok;
    if (!request->repair && request->decimate == 0.0)
        return pal_ok;
    if (request->repair)
        result = repair(surface, facts, notes, error);
    if (result == pal_ok && request->decimate > 0.0)
        result = decimate(surface, request->decimate, notes, error);
    palSurfaceFacts after;
    if (result == pal_ok)
        result = palSurface_Check(surface, &after, error);
    if (result == pal_ok)
    {
        after.points = facts->points;
        after.lines = facts->lines;
        after.cleaned = facts->cleaned;
        after.oriented = facts->oriented;
        *facts = after;
    }
    return result;
}
