// SPDX-License-Identifier: Apache-2.0
#include "body/mass.h"

#include "base/error.h"

// Rounding that a measured inertia may carry, relative to its trace.
static const double inertiaSlack = 1e-9;

// The integrals of 1, x and x xᵀ over a solid.
typedef struct Moments
{
    double volume;  // m³
    palVec3 first;  // m⁴
    palMat3 second; // m⁵
} Moments;

// Adds the tetrahedron (0, a, b, c) of volume V. With s = a + b + c the integral of x is V s / 4
// and that of x xᵀ is V (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20.
static void addTetrahedron(Moments* moments, palVec3 a, palVec3 b, palVec3 c)
{
    double V = palDot(a, palCross(b, c)) / 6.0;
    palVec3 s = palAdd(a, palAdd(b, c));
    moments->volume += V;
    moments->first = palMulAdd(moments->first, V / 4.0, s);
    moments->second = palMat3MulAdd(moments->second, V / 20.0, palOuter(a, a));
    moments->second = palMat3MulAdd(moments->second, V / 20.0, palOuter(b, b));
    moments->second = palMat3MulAdd(moments->second, V / 20.0, palOuter(c, c));
    moments->second = palMat3MulAdd(moments->second, V / 20.0, palOuter(s, s));
}

// tr(C) I - C: the inertia of a body with the second moments C, and also the way back, halved.
static palMat3 turnOver(palMat3 C)
{
    double trace = C.m[0][0] + C.m[1][1] + C.m[2][2];
    return palMat3MulAdd(palMakeMat3Scale(trace), -1.0, C);
}

palResult palMass_FromSurface(const palSurface* surface, double density, palMass* mass,
                              palError* error)
{
    *mass = (palMass){0};
    if (!(density > 0.0) || !isfinite(density))
    {
        palError_Set(error, pal_errorInput, "the density is %g kg/m³", density);
        return palError_Remedy(error, "use a positive one; water has 1000 kg/m³");
    }
    // About the middle of the surface, so that a far one keeps its digits.
    palBounds bounds = palSurface_Bounds(surface);
    palVec3 origin = palLerp(bounds.low, bounds.high, 0.5);
    Moments moments = {0};
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = palSub(surface->vertices[surface->triangles[t][k]], origin);
        addTetrahedron(&moments, p[0], p[1], p[2]);
    }
    palVec3 extent = palSub(bounds.high, bounds.low);
    const double leastShare = 1e-9; // of the cube about the surface; thinner is rounding noise
    double cube = pow(fmax(extent.x, fmax(extent.y, extent.z)), 3.0);
    if (!(moments.volume > leastShare * cube))
    {
        palError_Set(error, pal_errorInput, "the surface holds a volume of %g m³", moments.volume);
        return palError_Remedy(error, "give a closed surface whose triangles are counter-clockwise "
                                      "from outside, or give mass, centre and inertia");
    }
    palVec3 centre = palScale(1.0 / moments.volume, moments.first);
    palMat3 about = palMat3MulAdd(moments.second, -moments.volume, palOuter(centre, centre));
    *mass = (palMass){
        .mass = density * moments.volume,
        .centre = palAdd(origin, centre),
        .inertia = palMat3Mul(palMakeMat3Scale(density), turnOver(about)),
    };
    return pal_ok;
}

palMass palMass_Moved(palMass mass, palQuat rotation, palVec3 position)
{
    palMat3 R = palMakeMat3Quat(rotation);
    mass.centre = palAdd(position, palRotate(rotation, mass.centre));
    mass.inertia = palMat3Mul(palMat3Mul(R, mass.inertia), palMat3Transpose(R));
    return mass;
}

palMass palMass_Sum(const palMass* masses, int count)
{
    palMass sum = {0};
    for (int i = 0; i < count; i++)
    {
        sum.mass += masses[i].mass;
        sum.centre = palMulAdd(sum.centre, masses[i].mass, masses[i].centre);
    }
    sum.centre = palScale(sum.mass > 0.0 ? 1.0 / sum.mass : 0.0, sum.centre);
    for (int i = 0; i < count; i++)
    {
        // By the parallel axis theorem.
        palVec3 d = palSub(masses[i].centre, sum.centre);
        sum.inertia = palMat3MulAdd(sum.inertia, 1.0, masses[i].inertia);
        sum.inertia = palMat3MulAdd(sum.inertia, masses[i].mass, turnOver(palOuter(d, d)));
    }
    return sum;
}

// Positive definite by its leading minors.
static bool isPositive(palMat3 a, double least)
{
    double minor = a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0];
    return a.m[0][0] > least && minor > least * least &&
           palMat3Determinant(a) > least * least * least;
}

palResult palMass_Check(const palMass* mass, palError* error)
{
    if (!(mass->mass > 0.0) || !isfinite(mass->mass) || !palIsFinite(mass->centre))
    {
        palError_Set(error, pal_errorInput, "a mass of %g kg at (%g, %g, %g)", mass->mass,
                     mass->centre.x, mass->centre.y, mass->centre.z);
        return palError_Remedy(error, "use a positive mass and a finite centre");
    }
    palMat3 I = mass->inertia;
    double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
    double slack = inertiaSlack * trace;
    bool symmetric = fabs(I.m[0][1] - I.m[1][0]) <= slack && fabs(I.m[0][2] - I.m[2][0]) <= slack &&
                     fabs(I.m[1][2] - I.m[2][1]) <= slack;
    // The second moments 2C = tr(I) 1 - 2 I must be those of some distribution of mass.
    palMat3 second = palMat3MulAdd(palMakeMat3Scale(trace + slack), -2.0, I);
    if (symmetric && isfinite(trace) && isPositive(I, slack) && isPositive(second, 0.0))
        return pal_ok;
    palError_Set(error, pal_errorInput, "no body has the inertia (%g, %g, %g) kg·m² about its axes",
                 I.m[0][0], I.m[1][1], I.m[2][2]);
    return palError_Remedy(error, "inertia is a symmetric positive definite matrix, and no "
                                  "principal moment exceeds the sum of the two others");
}
