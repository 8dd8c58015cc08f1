// SPDX-License-Identifier: Apache-2.0
// What the hands share under `accurate`, `standard` and `penalty`, with points and with tools: the
// soft bodies and wires that they touch (touch/soft_contact.h).
#ifndef PAL_RENDER_SOFT_SHARED_H
#define PAL_RENDER_SOFT_SHARED_H

#include "render/method.h"
#include "touch/soft_contact.h"

typedef struct palSoftShared
{
    palShared shared;
    palSoftContact* contact; // owned; NULL where nothing is soft
} palSoftShared;

static inline palSoftContact* palSoftShared_Contact(const palMethod* method)
{
    return ((const palSoftShared*)method->shared)->contact;
}

extern const palSharedOps pal_sharedSoft;

#endif
