// SPDX-License-Identifier: Apache-2.0
#include "body/beam_element.h"

enum
{
    strains = pal_beamStrains,
    columns = pal_beamColumns,
};

palBeamElement palMakeBeamElement(double length, const palBeamSection* section,
                                  const palMaterial* material)
{
    double E = material->young;
    double G = palMaterial_Lame(material).mu;
    double inertia[2] = {section->inertiaY, section->inertiaZ};
    double shear[2] = {section->shearZ, section->shearY}; // bending about y shears along z
    palBeamElement element = {
        .length = length,
        .restRotation = {pal_identityQuat, pal_identityQuat},
        .axial = E * section->area / length,
        .twist = G * section->torsion / length,
        .mass = material->density * section->area * length,
        .rotary = {material->density * length * (inertia[0] + inertia[1]),
                   material->density * length * inertia[0],
                   material->density * length * inertia[1]},
    };
    for (int k = 0; k < 2; k++)
    {
        double phi = 12.0 * E * inertia[k] / (G * shear[k] * length * length);
        double bending = E * inertia[k] / (length * (1.0 + phi));
        element.phi[k] = phi;
        element.direct[k] = (4.0 + phi) * bending;
        element.carryOver[k] = (2.0 - phi) * bending;
    }
    return element;
}

palMat3 palBeamElement_Frame(palVec3 xa, palVec3 xb, palVec3 ya, palVec3 yb)
{
    palVec3 e1 = palNormalize(palSub(xb, xa));
    palVec3 e3 = palNormalize(palCross(e1, palAdd(ya, yb)));
    return palMakeMat3Columns(e1, palCross(e3, e1), e3);
}

// Eᵀ a
static palVec3 toLocal(palMat3 E, palVec3 a)
{
    return palMakeVec3(palDot(palMat3Column(E, 0), a), palDot(palMat3Column(E, 1), a),
                       palDot(palMat3Column(E, 2), a));
}

// The rotation vector of the rotation matrix R, for angles below π.
static palVec3 rotationVector(palMat3 R)
{
    palVec3 w = palScale(
        0.5, palMakeVec3(R.m[2][1] - R.m[1][2], R.m[0][2] - R.m[2][0], R.m[1][0] - R.m[0][1]));
    double s = palLength(w);
    double c = 0.5 * (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1.0);
    return palScale(s > 1e-9 ? atan2(s, c) / s : 1.0, w);
}

// T of dθ = T dφ, where dφ rotates exp θ from the left:
//
//     T = I - ½ [θ]× + c [θ]×²,   c = (1 - ½|θ| cot ½|θ|) / |θ|²
static palMat3 rotationToVector(palVec3 theta)
{
    double angle = palLength(theta);
    double c = angle > 1e-4 ? (1.0 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle)
                            : 1.0 / 12.0 + angle * angle / 720.0;
    palMat3 T = palMat3MulAdd(palMakeMat3Scale(1.0 - c * angle * angle), c,
                              palOuter(theta, theta)); // [θ]×² = θ θᵀ - |θ|² I
    T.m[0][1] += 0.5 * theta.z, T.m[1][0] -= 0.5 * theta.z;
    T.m[0][2] -= 0.5 * theta.y, T.m[2][0] += 0.5 * theta.y;
    T.m[1][2] += 0.5 * theta.x, T.m[2][1] -= 0.5 * theta.x;
    return T;
}

palBeamPose palBeamElement_Strain(const palBeamElement* element, const palVec3 x[2],
                                  const palQuat q[2])
{
    palBeamPose pose = {.x = {x[0], x[1]}, .chord = palDistance(x[0], x[1])};
    palMat3 R[2];
    for (int k = 0; k < 2; k++)
        R[k] = palMakeMat3Quat(palMulQuat(q[k], element->restRotation[k]));
    pose.E = palBeamElement_Frame(x[0], x[1], palMat3Column(R[0], 1), palMat3Column(R[1], 1));
    pose.d[0] = pose.chord - element->length;
    for (int k = 0; k < 2; k++)
    {
        palVec3 theta = rotationVector(palMat3Mul(palMat3Transpose(pose.E), R[k]));
        pose.y[k] = toLocal(pose.E, palMat3Column(R[k], 1));
        pose.d[1 + 3 * k] = theta.x;
        pose.d[2 + 3 * k] = theta.y;
        pose.d[3 + 3 * k] = theta.z;
    }
    return pose;
}

// ψ, the rotation of E in E, by the nodes' motion in E. With e1 = (xb - xa) / l and q of the
// header,
//
//     ψ2 = -(zb - za) / l,   ψ3 = (yb - ya) / l
//     ψ1 = (δq·e3 - q1 δe1·e3) / q2,   δq = ½ (φa × qa + φb × qb)
static void findSpin(const palBeamPose* pose, double spin[3][columns])
{
    palVec3 ya = pose->y[0];
    palVec3 yb = pose->y[1];
    double perChord = 1.0 / pose->chord;
    double perQ2 = 1.0 / (ya.y + yb.y); // 1 / (2 q2)
    double slope = (ya.x + yb.x) * perQ2 * perChord;
    spin[0][2] = slope, spin[0][8] = -slope;
    spin[0][3] = ya.y * perQ2, spin[0][4] = -ya.x * perQ2;
    spin[0][9] = yb.y * perQ2, spin[0][10] = -yb.x * perQ2;
    spin[1][2] = perChord, spin[1][8] = -perChord;
    spin[2][1] = -perChord, spin[2][7] = perChord;
}

// Transforms a row of coefficients of motions in E into one of motions in the world.
static void toWorld(palMat3 E, double row[columns])
{
    for (int k = 0; k < columns; k += 3)
    {
        palVec3 c = palMat3Apply(E, palMakeVec3(row[k], row[k + 1], row[k + 2]));
        row[k] = c.x, row[k + 1] = c.y, row[k + 2] = c.z;
    }
}

palBeamPose palBeamElement_Pose(const palBeamElement* element, const palVec3 x[2],
                                const palQuat q[2])
{
    palBeamPose pose = palBeamElement_Strain(element, x, q);
    findSpin(&pose, pose.spin);
    pose.B[0][0] = -1.0, pose.B[0][6] = 1.0;
    // dθ = T (Eᵀ φ - ψ)
    for (int k = 0; k < 2; k++)
    {
        const double* d = pose.d + 1 + 3 * k;
        palMat3 T = rotationToVector(palMakeVec3(d[0], d[1], d[2]));
        for (int r = 0; r < 3; r++)
        {
            double* row = pose.B[1 + 3 * k + r];
            for (int c = 0; c < columns; c++)
                row[c] = -(T.m[r][0] * pose.spin[0][c] + T.m[r][1] * pose.spin[1][c] +
                           T.m[r][2] * pose.spin[2][c]);
            for (int c = 0; c < 3; c++)
                row[3 + 6 * k + c] += T.m[r][c];
        }
    }
    for (int r = 0; r < 3; r++)
        toWorld(pose.E, pose.spin[r]);
    for (int r = 0; r < strains; r++)
        toWorld(pose.E, pose.B[r]);
    return pose;
}

void palBeamElement_Stress(const palBeamElement* element, const double d[strains],
                           double stress[strains])
{
    stress[0] = element->axial * d[0];
    stress[1] = element->twist * (d[1] - d[4]);
    stress[4] = -stress[1];
    for (int k = 0; k < 2; k++)
    {
        stress[2 + k] = element->direct[k] * d[2 + k] + element->carryOver[k] * d[5 + k];
        stress[5 + k] = element->carryOver[k] * d[2 + k] + element->direct[k] * d[5 + k];
    }
}

void palBeamElement_AddForce(const palBeamElement* element, const palBeamPose* pose, double* force)
{
    double stress[strains];
    palBeamElement_Stress(element, pose->d, stress);
    for (int r = 0; r < strains; r++)
        for (int c = 0; c < columns; c++)
            force[c] -= pose->B[r][c] * stress[r];
}

// Adds B[:, row..row+5]ᵀ C[:, column..column+5].
static void addProduct(const double B[strains][columns], const double C[strains][columns], int row,
                       int column, palBlock6* block)
{
    for (int k = 0; k < strains; k++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                block->m[r][c] += B[k][row + r] * C[k][column + c];
}

void palBeamElement_AddStiffness(const palBeamElement* element, const palBeamPose* pose,
                                 palBlock6* aa, palBlock6* ba, palBlock6* bb)
{
    double C[strains][columns]; // k B
    const double(*B)[columns] = pose->B;
    for (int c = 0; c < columns; c++)
    {
        C[0][c] = element->axial * B[0][c];
        C[1][c] = element->twist * (B[1][c] - B[4][c]);
        C[4][c] = -C[1][c];
        for (int k = 0; k < 2; k++)
        {
            C[2 + k][c] = element->direct[k] * B[2 + k][c] + element->carryOver[k] * B[5 + k][c];
            C[5 + k][c] = element->carryOver[k] * B[2 + k][c] + element->direct[k] * B[5 + k][c];
        }
    }
    addProduct(B, (const double(*)[columns])C, 0, 0, aa);
    addProduct(B, (const double(*)[columns])C, 6, 0, ba);
    addProduct(B, (const double(*)[columns])C, 6, 6, bb);
}

palMat3 palBeamPose_Tension(const palBeamPose* pose)
{
    double tension = fmax(pose->tension, 0.0) / pose->chord;
    palVec3 e1 = palMat3Column(pose->E, 0);
    return palMat3MulAdd(palMakeMat3Scale(tension), -tension, palOuter(e1, e1));
}

// Deflection N and rotation G at s of a unit deflection and a unit rotation of the first end, then
// of the second (Friedman and Kosmatka 1993).
static void findShape(double length, double phi, double s, double N[4], double G[4])
{
    double k = 1.0 / (1.0 + phi);
    N[2] = k * (s * s * (3.0 - 2.0 * s) + phi * s);
    N[0] = 1.0 - N[2];
    N[1] = k * length * s * (1.0 - s) * (1.0 - s + 0.5 * phi);
    N[3] = -k * length * s * (1.0 - s) * (s + 0.5 * phi);
    G[0] = -6.0 * k / length * s * (1.0 - s);
    G[2] = -G[0];
    G[1] = k * (1.0 - s) * (1.0 - 3.0 * s + phi);
    G[3] = k * s * (3.0 * s - 2.0 + phi);
}

palBeamShape palMakeBeamShape(double length, double phi, double s)
{
    double N[4], G[4];
    findShape(length, phi, s, N, G);
    return (palBeamShape){.n = {N[1], N[3]}, .g = {G[1], G[3]}};
}

// Adds weight r rᵀ for the row r with `count` entries at `places`.
static void addSquare(double weight, int count, const int* places, const double* r,
                      double mass[columns][columns])
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            mass[places[i]][places[j]] += weight * r[i] * r[j];
}

void palBeamElement_Mass(const palBeamElement* element, double mass[12][12])
{
    // Four-point Gauss quadrature on 0..1, exact for the sixth powers that occur.
    static const double points[2] = {0.33998104358485626, 0.86113631159405258};
    static const double weights[2] = {0.65214515486254614, 0.34785484513745386};
    static const int along[2] = {0, 6}, twist[2] = {3, 9};
    static const int planeY[4] = {2, 4, 8, 10}, planeZ[4] = {1, 5, 7, 11};
    static const double signs[4] = {1.0, -1.0, 1.0, -1.0}; // a rotation about +y deflects along -z
    for (int i = 0; i < columns * columns; i++)
        mass[i / columns][i % columns] = 0.0;
    for (int p = 0; p < 4; p++)
    {
        double s = 0.5 + 0.5 * (p % 2 ? -1.0 : 1.0) * points[p / 2];
        double weight = 0.5 * weights[p / 2];
        double linear[2] = {1.0 - s, s};
        addSquare(weight * element->mass, 2, along, linear, mass);
        addSquare(weight * element->rotary[0], 2, twist, linear, mass);
        double N[4], G[4];
        findShape(element->length, element->phi[1], s, N, G);
        addSquare(weight * element->mass, 4, planeZ, N, mass);
        addSquare(weight * element->rotary[2], 4, planeZ, G, mass);
        findShape(element->length, element->phi[0], s, N, G);
        for (int i = 0; i < 4; i++)
        {
            N[i] *= signs[i];
            G[i] *= -signs[i];
        }
        addSquare(weight * element->mass, 4, planeY, N, mass);
        addSquare(weight * element->rotary[1], 4, planeY, G, mass);
    }
}
