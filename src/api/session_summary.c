// SPDX-License-Identifier: Apache-2.0
// What came of a session: summary.json, and the verdict on its time budget.
#include "api/session_state.h"

static const char* modeOf(const palSession* session)
{
    if (session->engine->callerTicks > 0)
        return "own_loop";
    return session->mode == pal_modeRealtime ? "realtime" : "lockstep";
}

static void writeScene(const palSession* session, palJson* json)
{
    const palScene* scene = &session->world->scene;
    const palWorldHand* hand = &session->world->hands[0];
    const palRigidDef* tool = &hand->tool.model.def;
    const palPointModel* body = &hand->body;
    bool hasTool = palScene_HandAt(scene, 0)->hasTool;
    palJson_Text(json, "scene", scene->name);
    palJson_Text(json, "file", scene->file);
    palJson_Text(json, "method", scene->method.name);
    palJson_Text(json, "mode", modeOf(session));
    palJson_Whole(json, "seed", scene->seed);
    palJson_BeginObject(json, "versions");
    palJson_Text(json, "palpate", palVersion());
    palJson_BeginArray(json, "with");
    for (int i = 0; palFeature(i) != NULL; i++)
        palJson_Text(json, NULL, palFeature(i));
    palJson_End(json);
    palJson_End(json);
    palJson_Text(json, "device", hand->deviceOps->name);
    palJson_Number(json, "seconds", scene->time.seconds);
    palJson_Bool(json, "complete",
                 session->engine->nextTick >= palEngine_TickCount(session->engine));
    palJson_Number(json, "dt_s", scene->time.dt);
    palJson_Number(json, "low_dt_s", scene->time.lowDt);
    palJson_Number(json, "latency_s", scene->time.latency);
    palJson_Number(json, "coupling_stiffness_N_m", body->stiffness);
    palJson_Number(json, "coupling_damping_Ns_m", body->damping);
    palJson_Number(json, "proxy_mass_kg", hasTool ? tool->mass.mass : body->mass);
    if (hasTool)
    {
        palJson_Number(json, "coupling_turn_stiffness_Nm_rad", tool->rotationStiffness);
        palJson_Number(json, "coupling_turn_damping_Nms_rad", tool->rotationDamping);
        palJson_Whole(json, "tool_triangles", hand->tool.surface.triangleCount);
    }
    int triangles = 0;
    for (int i = 0; i < session->world->bodies.count; i++)
        triangles += session->world->bodies.colliders[i].surface.triangleCount;
    palJson_Whole(json, "objects", session->world->bodies.count);
    palJson_Whole(json, "triangles", triangles);
}

// The rigid objects that move, as they are at the end.
static void writeRigid(const palSession* session, palJson* json)
{
    const palShared* shared = session->engine->methods.shared;
    palRigidTotals totals = {0};
    if (shared->ops->totals != NULL)
        totals = shared->ops->totals(shared);
    if (totals.bodies == 0)
        return;
    palJson_BeginObject(json, "rigid");
    palJson_Whole(json, "bodies", totals.bodies);
    palJson_Whole(json, "awake", totals.bodies - totals.asleep);
    palJson_Whole(json, "at_rest", totals.asleep);
    palJson_Whole(json, "contacts", totals.contacts);
    palJson_Number(json, "kinetic_energy_J", totals.kinetic);
    palJson_Number(json, "potential_energy_J", totals.potential);
    palJson_Number(json, "deepest_overlap_mm", 1e3 * totals.deepest);
    palJson_End(json);
}

// What each object was pushed with, in all.
static void writeBodies(const palSession* session, palJson* json)
{
    palJson_BeginArray(json, "bodies");
    for (int i = 0; i < session->world->bodies.count; i++)
    {
        const palBodyTotal* total = &session->measures[0].bodies[i];
        const palSoftBody* soft = session->world->bodies.colliders[i].soft;
        palVec3 mean = palScale(1.0 / (double)(total->steps > 0 ? total->steps : 1), total->sum);
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "name", session->world->scene.objects[i].name);
        palJson_Bool(json, "soft", soft != NULL);
        if (soft != NULL)
        {
            palJson_Whole(json, "nodes", soft->nodeCount);
            palJson_Whole(json, "elements", soft->tetCount + soft->hexCount);
        }
        palJson_Whole(json, "contact_steps", (int64_t)total->steps);
        palJson_Vec3(json, "mean_force_N", mean);
        palJson_Number(json, "max_force_N", total->largest);
        palJson_End(json);
    }
    palJson_End(json);
}

// The hands besides the first.
static void writeHands(const palSession* session, palJson* json)
{
    const palEngine* engine = session->engine;
    if (engine->def.handCount == 1)
        return;
    palJson_BeginArray(json, "hands");
    for (int i = 1; i < engine->def.handCount; i++)
    {
        const palEngineHandDef* def = &engine->def.hands[i];
        palJson_BeginObject(json, NULL);
        palJson_Whole(json, "hand", i);
        palJson_Text(json, "device", def->deviceOps->name);
        palJson_Number(json, "coupling_stiffness_N_m", def->body.stiffness);
        palJson_Number(json, "coupling_damping_Ns_m", def->body.damping);
        palWriteSafety(&engine->hands[i].safety.counts, json);
        palMeasure_Write(&session->measures[i], json);
        palJson_End(json);
    }
    palJson_End(json);
}

static void writeMessages(const palSession* session, palJson* json)
{
    palJson_BeginArray(json, "messages");
    for (int i = 0; i < session->world->messages.count; i++)
    {
        char text[2048];
        palError_Format(&session->world->messages.items[i].what, text, sizeof text);
        palJson_Text(json, NULL, text);
    }
    palJson_End(json);
}

const char* palSession_Summary(palSession* session)
{
    palJson* json = &session->summary;
    palJson_Free(json);
    session->verdict = palMakeVerdict(session->engine);
    palJson_BeginObject(json, NULL);
    writeScene(session, json);
    palVerdict_Write(&session->verdict, session->engine, json);
    palMeasure_Write(&session->measures[0], json);
    writeHands(session, json);
    writeRigid(session, json);
    writeBodies(session, json);
    writeMessages(session, json);
    palWriteHeld(session->engine, json);
    palJson_End(json);
    return json->failed ? NULL : json->text;
}

const char* palSession_Verdict(palSession* session)
{
    session->verdict = palMakeVerdict(session->engine);
    return session->verdict.text;
}
