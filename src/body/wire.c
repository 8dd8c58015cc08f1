// SPDX-License-Identifier: Apache-2.0
#include "body/wire.h"

static const double gripLever = 0.01; // m: how far from its middle fingers hold against turning

palBeamCoupling palMakeWireCoupling(int node, double stiffness, double damping)
{
    return (palBeamCoupling){
        .node = node,
        .stiffness = stiffness,
        .damping = damping,
        .rotationStiffness = stiffness * gripLever * gripLever,
        .rotationDamping = damping * gripLever * gripLever,
    };
}

palResult palSteppedWire_Init(palSteppedWire* stepped, const palWire* wire, int body, int maxRows,
                              palError* error)
{
    *stepped = (palSteppedWire){.wire = wire, .body = body};
    palResult result = palBeamState_Init(&stepped->state, wire->model, error);
    if (result == pal_ok)
        result = palBeamWork_Init(&stepped->work, wire->model, maxRows, error);
    if (result != pal_ok)
        palSteppedWire_Free(stepped);
    return result;
}

void palSteppedWire_Free(palSteppedWire* stepped)
{
    palBeamState_Free(&stepped->state);
    palBeamWork_Free(&stepped->work);
    *stepped = (palSteppedWire){0};
}

void palSteppedWire_Archive(palSteppedWire* stepped, palArchive* archive)
{
    palBeamState_Archive(&stepped->state, archive);
    palBeamWork_Archive(&stepped->work, archive);
    PAL_ARCHIVE(archive, stepped->failed);
}

void palSteppedWire_Move(palSteppedWire* stepped, double h, const palBeamHand* hand)
{
    const palWire* wire = stepped->wire;
    const palBeamModel* model = wire->model;
    palBeam_Linearise(model, &stepped->state, &stepped->work);
    if (wire->handNode >= 0 && !wire->isSprung)
        palBeam_Hold(model, wire->handNode, hand->x, hand->q, h, &stepped->state, &stepped->work);
    stepped->failed = !palBeam_Factor(model, h, &stepped->work);
    if (!stepped->failed)
        palBeam_FreeMotion(model, &stepped->state, wire->isSprung ? hand : NULL, &stepped->work);
}
