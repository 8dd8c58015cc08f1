// SPDX-License-Identifier: Apache-2.0
#include "embree.h"

#ifdef PAL_HAVE_EMBREE

#include <embree3/rtcore.h>

#include <stdlib.h>
#include <string.h>

struct palEmbree
{
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    float (*vertices)[4];     // borrowed from the geometry, xyz and padding
    unsigned (*triangles)[3]; // borrowed from the geometry
    int vertexCount;
};

// State of a query, passed to its callback.
typedef struct pointQuery
{
    const palEmbree* embree;
    float best; // squared distance
    int triangle;
    int capacity; // of a radius query
    int count;
    int* triangles;
} pointQuery;

typedef struct vec3f
{
    float x, y, z;
} vec3f;

static inline vec3f corner(const palEmbree* e, unsigned triangle, int k)
{
    const float* v = e->vertices[e->triangles[triangle][k]];
    return (vec3f){v[0], v[1], v[2]};
}

static inline vec3f subf(vec3f a, vec3f b)
{
    return (vec3f){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline float dotf(vec3f a, vec3f b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline float lengthAlong(vec3f a, vec3f e, float t, vec3f f, float s)
{
    vec3f q = {a.x + t * e.x + s * f.x, a.y + t * e.y + s * f.y, a.z + t * e.z + s * f.z};
    return dotf(q, q);
}

// The squared distance from p to a triangle by its Voronoi regions: that of the first corner or
// edge whose region contains p, otherwise of the face.
static float distanceSquared(vec3f p, vec3f a, vec3f b, vec3f c)
{
    const vec3f none = {0.0f, 0.0f, 0.0f};
    vec3f ab = subf(b, a), ac = subf(c, a);
    vec3f pa = subf(a, p), pb = subf(b, p), pc = subf(c, p);
    float d1 = -dotf(ab, pa), d2 = -dotf(ac, pa);
    if (d1 <= 0.0f && d2 <= 0.0f)
        return dotf(pa, pa);
    float d3 = -dotf(ab, pb), d4 = -dotf(ac, pb);
    if (d3 >= 0.0f && d4 <= d3)
        return dotf(pb, pb);
    float d5 = -dotf(ab, pc), d6 = -dotf(ac, pc);
    if (d6 >= 0.0f && d5 <= d6)
        return dotf(pc, pc);
    float w = d1 * d4 - d3 * d2;
    if (w <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        return lengthAlong(pa, ab, d1 / (d1 - d3), none, 0.0f);
    float v = d5 * d2 - d1 * d6;
    if (v <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        return lengthAlong(pa, ac, d2 / (d2 - d6), none, 0.0f);
    float u = d3 * d6 - d5 * d4;
    if (u <= 0.0f && d4 >= d3 && d5 >= d6)
        return lengthAlong(pb, subf(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)), none, 0.0f);
    float scale = 1.0f / (u + v + w);
    return lengthAlong(pa, ab, v * scale, ac, w * scale);
}

static float measure(const pointQuery* query, const struct RTCPointQueryFunctionArguments* args)
{
    vec3f p = {args->query->x, args->query->y, args->query->z};
    const palEmbree* e = query->embree;
    return distanceSquared(p, corner(e, args->primID, 0), corner(e, args->primID, 1),
                           corner(e, args->primID, 2));
}

static bool shrink(struct RTCPointQueryFunctionArguments* args)
{
    pointQuery* query = args->userPtr;
    float d = measure(query, args);
    if (!(d < query->best))
        return false;
    query->best = d;
    query->triangle = (int)args->primID;
    args->query->radius = sqrtf(d);
    return true;
}

static bool collect(struct RTCPointQueryFunctionArguments* args)
{
    pointQuery* query = args->userPtr;
    if (measure(query, args) <= query->best)
    {
        if (query->count < query->capacity)
            query->triangles[query->count] = (int)args->primID;
        query->count++;
    }
    return false;
}

static void runQuery(pointQuery* query, palVec3 point, double radius,
                     RTCPointQueryFunction function)
{
    struct RTCPointQuery at = {
        .x = (float)point.x, .y = (float)point.y, .z = (float)point.z, .radius = (float)radius};
    query->best = at.radius * at.radius;
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(query->embree->scene, &at, &context, function, query);
}

static void setVertices(palEmbree* e, const palVec3* vertices)
{
    for (int i = 0; i < e->vertexCount; i++)
    {
        e->vertices[i][0] = (float)vertices[i].x;
        e->vertices[i][1] = (float)vertices[i].y;
        e->vertices[i][2] = (float)vertices[i].z;
    }
}

static void destroy(palEmbree* e)
{
    if (e == NULL)
        return;
    rtcReleaseScene(e->scene);
    rtcReleaseGeometry(e->geometry);
    rtcReleaseDevice(e->device);
    free(e);
}

static palEmbree* create(const palSurface* surface)
{
    palEmbree* e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->device = rtcNewDevice("threads=1");
    e->scene = rtcNewScene(e->device);
    e->geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    e->vertexCount = surface->vertexCount;
    e->vertices = rtcSetNewGeometryBuffer(e->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                          sizeof e->vertices[0], (size_t)surface->vertexCount);
    e->triangles = rtcSetNewGeometryBuffer(e->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                           sizeof e->triangles[0], (size_t)surface->triangleCount);
    if (e->vertices == NULL || e->triangles == NULL)
    {
        destroy(e);
        return NULL;
    }
    setVertices(e, surface->vertices);
    memcpy(e->triangles, surface->triangles, (size_t)surface->triangleCount * sizeof(int[3]));
    rtcCommitGeometry(e->geometry);
    rtcAttachGeometry(e->scene, e->geometry);
    rtcCommitScene(e->scene);
    return e;
}

// Embree's interface for moved vertices; a scene with one geometry is nevertheless rebuilt.
static void refit(palEmbree* e, const palVec3* vertices)
{
    setVertices(e, vertices);
    rtcSetGeometryBuildQuality(e->geometry, RTC_BUILD_QUALITY_REFIT);
    rtcUpdateGeometryBuffer(e->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(e->geometry);
    rtcCommitScene(e->scene);
}

static double closest(palEmbree* e, palVec3 point, double maxDistance, int* triangle)
{
    pointQuery query = {.embree = e, .triangle = -1};
    runQuery(&query, point, maxDistance, shrink);
    *triangle = query.triangle;
    return sqrt((double)query.best);
}

static int within(palEmbree* e, palVec3 centre, double radius, int capacity, int* triangles)
{
    pointQuery query = {.embree = e, .triangle = -1, .capacity = capacity, .triangles = triangles};
    runQuery(&query, centre, radius, collect);
    return query.count;
}

static const palEmbreeOps ops = {
    .name = "Embree " RTC_VERSION_STRING,
    .create = create,
    .destroy = destroy,
    .refit = refit,
    .closest = closest,
    .within = within,
};

const palEmbreeOps* palEmbreeBaseline(void)
{
    return &ops;
}

#else

const palEmbreeOps* palEmbreeBaseline(void)
{
    return NULL;
}

#endif
