// SPDX-License-Identifier: Apache-2.0
#include "body/rigid.h"

#include "base/error.h"

// The usual coupling of a desktop device, the same as for a point.
static const double usualStiffness = 1000.0; // N/m
static const double usualDamping = 0.8;      // N·s/m
static const double usualLever = 0.02;       // m: half the width of a hand's grip on a stylus

// [a]×, so that [a]× b = a × b.
static palMat3 crossMatrix(palVec3 a)
{
    return (palMat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

palRigidDef palDefaultRigidDef(void)
{
    const double mass = 0.05; // kg
    return (palRigidDef){
        // A ball of 20 mm radius: 2/5 m r².
        .mass = {.mass = mass, .inertia = palMakeMat3Scale(0.4 * mass * 0.02 * 0.02)},
        .gripOrientation = pal_identityQuat,
        .stiffness = usualStiffness,
        .damping = usualDamping,
        .rotationStiffness = usualStiffness * usualLever * usualLever,
        .rotationDamping = usualDamping * usualLever * usualLever,
        .tangent = pal_tangentSafe,
    };
}

static bool isGain(double value)
{
    return value >= 0.0 && isfinite(value);
}

palResult palRigidModel_Init(palRigidModel* model, const palRigidDef* def, palError* error)
{
    *model = (palRigidModel){0};
    palResult result = palMass_Check(&def->mass, error);
    if (result != pal_ok)
        return result;
    if (!isGain(def->stiffness) || !isGain(def->damping) || !isGain(def->rotationStiffness) ||
        !isGain(def->rotationDamping))
    {
        palError_Set(error, pal_errorInput,
                     "the coupling has %g N/m, %g N·s/m, %g N·m/rad and %g N·m·s/rad",
                     def->stiffness, def->damping, def->rotationStiffness, def->rotationDamping);
        return palError_Remedy(error, "use numbers that are finite and not negative");
    }
    if (!palIsFinite(def->gripPosition) || !palIsFinite(def->gravity))
    {
        palError_Set(error, pal_errorInput, "the tool's grip or gravity is not finite");
        return palError_Remedy(error, "use finite numbers");
    }
    model->def = *def;
    model->def.gripOrientation = palNormalizeQuat(def->gripOrientation);
    model->grip = palSub(def->gripPosition, def->mass.centre);
    model->inertia = palMakeInertia(&def->mass);
    return pal_ok;
}

palRigidState palRigid_AtHandle(const palRigidModel* model, const palHandle* handle)
{
    palQuat q = palMulQuat(handle->q, palConjugate(model->def.gripOrientation));
    palVec3 r = palRotate(q, model->grip);
    return (palRigidState){
        .x = palSub(handle->x, r),
        .q = palNormalizeQuat(q),
        .v = palSub(handle->v, palCross(handle->omega, r)),
        .L = palMat3Apply(palTurnedMat3(q, model->def.mass.inertia), handle->omega),
    };
}

palVec3 palRigid_Omega(const palRigidModel* model, const palRigidState* state)
{
    return palInertia_Omega(&model->inertia, state);
}

double palRigid_Energy(const palRigidModel* model, const palRigidState* state)
{
    return palInertia_Energy(&model->inertia, state);
}

palVec3 palRigid_Point(const palRigidModel* model, const palRigidState* state, palVec3 point)
{
    return palAdd(state->x, palRotate(state->q, palSub(point, model->def.mass.centre)));
}

void palRigid_Place(const palRigidModel* model, const palRigidState* state, int count,
                    const palVec3* points, palVec3* world)
{
    palMat3 R = palMakeMat3Quat(state->q);
    for (int i = 0; i < count; i++)
        world[i] = palAdd(state->x, palMat3Apply(R, palSub(points[i], model->def.mass.centre)));
}

// The coupling as it is at some state.
typedef struct Grip
{
    palVec3 r;     // from the centre of mass, world frame, m
    palVec3 omega; // of the tool, rad/s
    palVec3 theta; // rad
    palVec3 f;     // N
    palVec3 tau;   // N·m
} Grip;

static Grip gripOf(const palRigidModel* model, const palRigidState* state, const palHandle* handle)
{
    const palRigidDef* def = &model->def;
    Grip grip = {
        .r = palRotate(state->q, model->grip),
        .omega = palRigid_Omega(model, state),
    };
    palVec3 offset = palSub(palAdd(state->x, grip.r), handle->x);
    palVec3 slip = palSub(palAdd(state->v, palCross(grip.omega, grip.r)), handle->v);
    palQuat q = palMulQuat(state->q, def->gripOrientation);
    grip.theta = palRotationVector(palMulQuat(q, palConjugate(handle->q)));
    grip.f = palMulAdd(palScale(-def->stiffness, offset), -def->damping, slip);
    grip.tau = palMulAdd(palScale(-def->rotationStiffness, grip.theta), -def->rotationDamping,
                         palSub(grip.omega, handle->omega));
    return grip;
}

palWrench palRigid_Coupling(const palRigidModel* model, const palRigidState* state,
                            const palHandle* handle)
{
    Grip grip = gripOf(model, state, handle);
    return (palWrench){grip.f, palAdd(grip.tau, palCross(grip.r, grip.f))};
}

palWrench palRigid_HandWrench(const palRigidModel* model, const palRigidState* state,
                              const palHandle* handle)
{
    Grip grip = gripOf(model, state, handle);
    return (palWrench){palNeg(grip.f), palNeg(grip.tau)};
}

// ∂θ/∂φ for a further small rotation φ in the world frame, the inverse of the left Jacobian of the
// exponential: 1 - [θ]×/2 + c [θ]×², c = (1 - (|θ|/2) cot(|θ|/2)) / |θ|². The symmetric part has
// the eigenvalues 1 and, twice, (|θ|/2) cot(|θ|/2), which falls to 0 at half a turn.
// Source: Barfoot, "State Estimation for Robotics", 2017, section 7.1.5.
static palMat3 rotationDerivative(palVec3 theta, palTangent tangent)
{
    double angle = palLength(theta);
    double half = 0.5 * angle;
    // 1/12 + |θ|²/720: the series, where the quotient would lose digits.
    double c = angle > 1e-3 ? (1.0 - half / tan(half)) / (angle * angle)
                            : 1.0 / 12.0 + angle * angle / 720.0;
    palMat3 cross = crossMatrix(theta);
    palMat3 G = palMat3MulAdd(pal_identityMat3, c, palMat3Mul(cross, cross));
    return tangent == pal_tangentExact ? palMat3MulAdd(G, -0.5, cross) : G;
}

static void differentiate(const palRigidModel* model, const Grip* grip, palTangent tangent,
                          palMat3 K[2][2], palMat3 D[2][2])
{
    const palRigidDef* def = &model->def;
    palMat3 r = crossMatrix(grip->r);
    palMat3 rr = palMat3Mul(r, r);
    palMat3 G = rotationDerivative(grip->theta, tangent);

    // The grip moves by x - [r]× φ, and a force on it has the torque [r]× f.
    double b = def->damping, k = def->stiffness;
    D[0][0] = palMakeMat3Scale(b);
    D[0][1] = palMat3MulAdd((palMat3){0}, -b, r);
    D[1][0] = palMat3MulAdd((palMat3){0}, b, r);
    D[1][1] = palMat3MulAdd(palMakeMat3Scale(def->rotationDamping), -b, rr);
    K[0][0] = palMakeMat3Scale(k);
    K[0][1] = palMat3MulAdd((palMat3){0}, -k, r);
    K[1][0] = palMat3MulAdd((palMat3){0}, k, r);
    K[1][1] = palMat3MulAdd((palMat3){0}, def->rotationStiffness, G);
    K[1][1] = palMat3MulAdd(K[1][1], -k, rr);
    if (tangent == pal_tangentSafe)
        return;

    // r turns by φ × r = -[r]× φ: the damper sees -b ω × (φ × r), the lever (φ × r) × f.
    palMat3 turning = palMat3Mul(crossMatrix(grip->omega), r);
    K[0][1] = palMat3MulAdd(K[0][1], -b, turning);
    K[1][1] = palMat3MulAdd(K[1][1], -b, palMat3Mul(r, turning));
    K[1][1] = palMat3MulAdd(K[1][1], -1.0, palMat3Mul(crossMatrix(grip->f), r));
}

void palRigid_Derivatives(const palRigidModel* model, const palRigidState* state,
                          const palHandle* handle, palTangent tangent, palMat3 K[2][2],
                          palMat3 D[2][2])
{
    Grip grip = gripOf(model, state, handle);
    differentiate(model, &grip, tangent, K, D);
}

// A⁻¹ by the Schur complement S = A_ωω - A_ωv A_vω / p of the first block, p times the identity.
// Returns false where S is singular, which the safe tangent never makes it.
static bool invertA(palRigidStep* step, const palRigidModel* model, palMat3 K[2][2],
                    palMat3 D[2][2])
{
    double h = step->h;
    double p = model->def.mass.mass + h * D[0][0].m[0][0] + h * h * K[0][0].m[0][0];
    palMat3 Q = palMat3MulAdd(palMat3MulAdd((palMat3){0}, h, D[0][1]), h * h, K[0][1]);
    palMat3 P = palMat3MulAdd(palMat3MulAdd((palMat3){0}, h, D[1][0]), h * h, K[1][0]);
    palMat3 S = palMat3MulAdd(palMat3MulAdd(step->inertia, h, D[1][1]), h * h, K[1][1]);
    S = palMat3MulAdd(S, -1.0 / p, palMat3Mul(P, Q));
    palMat3 inverse;
    if (!palMat3Inverse(S, &inverse))
        return false;
    palMat3 QS = palMat3Mul(Q, inverse);
    step->inverse[1][1] = inverse;
    step->inverse[0][1] = palMat3MulAdd((palMat3){0}, -1.0 / p, QS);
    step->inverse[1][0] = palMat3MulAdd((palMat3){0}, -1.0 / p, palMat3Mul(inverse, P));
    step->inverse[0][0] =
        palMat3MulAdd(palMakeMat3Scale(1.0 / p), 1.0 / (p * p), palMat3Mul(QS, P));
    return true;
}

palRigidStep palRigid_Free(const palRigidModel* model, const palRigidState* state,
                           const palHandle* handle, double h)
{
    palRigidStep step = {
        .h = h,
        .start = *state,
        .inertia = palTurnedMat3(state->q, model->def.mass.inertia),
    };
    Grip grip = gripOf(model, state, handle);
    palMat3 K[2][2], D[2][2];
    differentiate(model, &grip, model->def.tangent, K, D);
    if (!invertA(&step, model, K, D))
    {
        differentiate(model, &grip, pal_tangentSafe, K, D);
        invertA(&step, model, K, D);
    }
    // F̃ = F + m v / h + D u, and T̃ likewise.
    double m = model->def.mass.mass;
    palVec3 F = palMulAdd(palMulAdd(grip.f, m, model->def.gravity), m / h, state->v);
    palVec3 T = palMulAdd(palAdd(grip.tau, palCross(grip.r, grip.f)), 1.0 / h, state->L);
    F = palAdd(F, palMat3Apply(D[0][0], state->v));
    T = palAdd(T, palMat3Apply(D[1][0], state->v));
    step.discrete.force = palAdd(F, palMat3Apply(D[0][1], grip.omega));
    step.discrete.torque = palAdd(T, palMat3Apply(D[1][1], grip.omega));
    palTwist response = palRigidStep_Response(&step, step.discrete);
    step.free = (palTwist){palScale(h, response.v), palScale(h, response.omega)};
    return step;
}

palTwist palRigidStep_Response(const palRigidStep* step, palWrench w)
{
    const palMat3(*inverse)[2] = step->inverse;
    return (palTwist){
        palAdd(palMat3Apply(inverse[0][0], w.force), palMat3Apply(inverse[0][1], w.torque)),
        palAdd(palMat3Apply(inverse[1][0], w.force), palMat3Apply(inverse[1][1], w.torque)),
    };
}

palTwist palRigidStep_Correct(const palRigidStep* step, palWrench w)
{
    palTwist response = palRigidStep_Response(step, w);
    return (palTwist){
        palMulAdd(step->free.v, step->h, response.v),
        palMulAdd(step->free.omega, step->h, response.omega),
    };
}

palRigidState palRigidStep_Integrate(const palRigidStep* step, const palRigidModel* model,
                                     palTwist u)
{
    palRigidState state = {
        .x = step->start.x,
        .q = step->start.q,
        .v = u.v,
        .L = palMat3Apply(step->inertia, u.omega),
    };
    return palInertia_Move(&model->inertia, state, step->h);
}
