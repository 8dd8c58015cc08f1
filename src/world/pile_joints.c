// SPDX-License-Identifier: Apache-2.0
// The joints of rigid bodies: rows between two frames, one in each body, with z along the axis.
//
//     position   p0 - p1 = 0 along the axes of the second frame, the slider not along z
//     rotation   rotation vector of q0 q1⁻¹ = 0 along them, the hinge not about z, the ball none
//     limit      hinge: angle about z, slider: shift along z, where it is beyond one of them
//     friction   of the same motion: a force of at most `friction` against it
//
// Like contacts they are implicit and give way a little, in proportion to the mass that they move:
// as light as its two bodies may be, a joint may bear all that hangs together with them, so that it
// is as stiff as the heaviest of these asks for. All joints are solved together
// (solve/sparse_joints.h).
// A handle has the stiffness and damping of its coupling instead: with the handle at x_dev and
// v_dev at the end of the step, λ = -k (x + h v - x_dev) - b (v - v_dev) is the row
//
//     δ = h v + R λ + R (k (x - x_dev) - b v_dev),   R = h / (h k + b)
#include "world/pile.h"

#include "solve/sparse_joints.h"

// Stiffer than contacts: what is jointed is one thing.
static const palContactMaterial jointLaw = {
    .law = pal_contactCompliant,
    .frequency = 400.0,
    .dampingRatio = 2.0,
};

palPileJointDef palDefaultPileJointDef(void)
{
    return (palPileJointDef){
        .bodies = {0, 1},
        .axis = {0.0, 0.0, 1.0},
        .low = -INFINITY,
        .high = INFINITY,
    };
}

// The pose of a body about its centre of mass.
static palPose centrePose(const palPile* pile, int body)
{
    if (body < 0)
        return pal_identityPose;
    return (palPose){pile->bodies[body].state.x, pile->bodies[body].state.q};
}

void palPile_InitJoint(palPile* pile, const palPileJointDef* def)
{
    palVec3 x, y, z = palNormalize(def->axis);
    palTangents(z, &x, &y);
    palPose frame = {def->point, palMakeQuatMat3(palMakeMat3Columns(x, y, z))};
    palPileJoint* joint = &pile->joints[pile->jointCount++];
    *joint = (palPileJoint){
        .kind = def->kind,
        .bodies = {def->bodies[0], def->bodies[1]},
        .low = def->low,
        .high = def->high,
        .friction = def->friction,
        .bears = 1.0,
        .handle = {.x = frame.x, .q = frame.q},
        .row = -1,
    };
    for (int k = 0; k < 2; k++)
        joint->frames[k] = palPose_Between(centrePose(pile, def->bodies[k]), frame);
}

// kg; 0 of what no force moves.
static double massOf(const palPile* pile, int body)
{
    bool isFree = body >= 0 && pile->bodies[body].motion == pal_motionFree;
    return isFree ? pile->bodies[body].inertia.mass : 0.0;
}

static bool areLinked(const palPile* pile, const palPileJoint* a, const palPileJoint* b)
{
    for (int k = 0; k < 4; k++)
        if (a->bodies[k / 2] == b->bodies[k % 2] && massOf(pile, a->bodies[k / 2]) > 0.0)
            return true;
    return false;
}

static bool isLasting(const palPileJoint* joint)
{
    return joint->kind != pal_pileHandle && joint->kind != pal_pileTie;
}

static double heavierOf(const palPile* pile, const palPileJoint* joint)
{
    return fmax(massOf(pile, joint->bodies[0]), massOf(pile, joint->bodies[1]));
}

// Of those that a force moves.
static double lighterOf(const palPile* pile, const palPileJoint* joint)
{
    double a = massOf(pile, joint->bodies[0]), b = massOf(pile, joint->bodies[1]);
    return a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
}

// Passes the largest mass on from joint to joint; false if all have it.
static bool spreadMass(palPile* pile)
{
    bool hasChanged = false;
    for (int i = 0; i < pile->jointCount; i++)
        for (int j = 0; j < pile->jointCount; j++)
        {
            palPileJoint *a = &pile->joints[i], *b = &pile->joints[j];
            if (!isLasting(a) || !isLasting(b) || !(a->bears < b->bears) || !areLinked(pile, a, b))
                continue;
            a->bears = b->bears;
            hasChanged = true;
        }
    return hasChanged;
}

void palPile_WeighJoints(palPile* pile)
{
    // Sweeps alone do not solve stiff joints of light bodies.
    if (pile->jointCount * pal_pileJointRows > pal_jointRowsMax)
        return;
    for (int i = 0; i < pile->jointCount; i++)
        pile->joints[i].bears = heavierOf(pile, &pile->joints[i]);
    while (spreadMass(pile))
        continue;
    for (int i = 0; i < pile->jointCount; i++)
    {
        palPileJoint* joint = &pile->joints[i];
        double own = lighterOf(pile, joint);
        joint->bears = own > 0.0 && isLasting(joint) ? joint->bears / own : 1.0;
    }
}

void palPile_Rejoin(palPile* pile, int body)
{
    for (int i = 0; i < pile->jointCount; i++)
    {
        palPileJoint* joint = &pile->joints[i];
        int end = joint->bodies[0] == body ? 0 : 1;
        if (joint->kind == pal_pileHandle || joint->bodies[end] != body)
            continue;
        palPose frame =
            palMulPose(centrePose(pile, joint->bodies[1 - end]), joint->frames[1 - end]);
        joint->frames[end] = palPose_Between(centrePose(pile, body), frame);
    }
}

void palPile_Tie(palPile* pile, int index, int body, int other)
{
    palPile_Untie(pile, index);
    palPileJoint* joint = &pile->joints[index];
    palPose frame = centrePose(pile, other);
    joint->bodies[0] = body;
    joint->bodies[1] = other;
    joint->frames[0] = palPose_Between(centrePose(pile, body), frame);
    joint->frames[1] = pal_identityPose;
    for (int k = 0; k < pal_pileJointRows; k++)
        joint->lambda[k] = joint->mean[k] = 0.0;
    palPile_RenewPairs(pile, other);
    palPile_Wake(pile, body);
    palPile_Wake(pile, other);
}

void palPile_Untie(palPile* pile, int index)
{
    palPileJoint* joint = &pile->joints[index];
    int other = joint->bodies[1];
    if (other < 0)
        return;
    joint->bodies[0] = joint->bodies[1] = -1;
    palPile_RenewPairs(pile, other);
    palPile_Wake(pile, other);
}

bool palPile_AreTied(const palPile* pile, int body, int other)
{
    for (int i = pile->jointCount - 1; i >= 0 && pile->joints[i].kind == pal_pileTie; i--)
    {
        const int* bodies = pile->joints[i].bodies;
        if ((bodies[0] == body && bodies[1] == other) || (bodies[0] == other && bodies[1] == body))
            return true;
    }
    return false;
}

void palPile_SetHandle(palPile* pile, int index, const palHandle* handle,
                       const palCouplingValues* gains)
{
    pile->joints[index].handle = *handle;
    pile->joints[index].gains = *gains;
    palPile_Wake(pile, pile->joints[index].bodies[0]);
}

// A joint as it is at the start of a step.
typedef struct Joint
{
    palPose frames[2]; // in the world
    palVec3 axes[3];   // of the second
    palVec3 shift;     // p0 - p1, m
    palVec3 turn;      // the rotation vector of q0 q1⁻¹, rad
} Joint;

static Joint jointNow(const palPile* pile, const palPileJoint* joint)
{
    Joint now;
    for (int k = 0; k < 2; k++)
        now.frames[k] = palMulPose(centrePose(pile, joint->bodies[k]), joint->frames[k]);
    if (joint->kind == pal_pileHandle)
        now.frames[1] = (palPose){joint->handle.x, joint->handle.q};
    palMat3 R = palMakeMat3Quat(now.frames[1].q);
    for (int k = 0; k < 3; k++)
        now.axes[k] = palMat3Column(R, k);
    now.shift = palSub(now.frames[0].x, now.frames[1].x);
    now.turn = palRotationVector(palMulQuat(now.frames[0].q, palConjugate(now.frames[1].q)));
    return now;
}

double palPile_JointGap(const palPile* pile, int index)
{
    const palPileJoint* joint = &pile->joints[index];
    Joint now = jointNow(pile, joint);
    if (joint->kind == pal_pileSlider)
        now.shift = palMulAdd(now.shift, -palDot(now.shift, now.axes[2]), now.axes[2]);
    return palLength(now.shift);
}

// J of a row along or about an axis, at the point of the first frame.
static palPairRow makeRow(const palPile* pile, const palPileJoint* joint, const Joint* now,
                          palVec3 axis, bool isAngular)
{
    palPairRow row = {0};
    for (int k = 0; k < 2; k++)
    {
        palVec3 a = k == 0 ? axis : palNeg(axis);
        palVec3 arm = palSub(now->frames[0].x, centrePose(pile, joint->bodies[k]).x);
        row.wrench[k] = isAngular ? (palWrench){pal_zeroVec3, a} : (palWrench){a, palCross(arm, a)};
    }
    return row;
}

// Writes the next row after those of the problem, `offset` rows further; `gap` is what the row is
// off by at the start.
static void writeRow(palPile* pile, palPileJoint* joint, int offset, const palPairRow* J,
                     double gap)
{
    const double h = pile->h;
    int row = pile->rowCount + offset;
    double beta, m = joint->bears / palPile_Mobility(pile, J, joint->bodies);
    palPile_ApplyLaw(&jointLaw, m, h, &beta, &pile->softness[row]);
    pile->J[row] = *J;
    pile->gapFree[row] = beta * gap;
    for (int k = 0; k < 2; k++)
        pile->gapFree[row] += h * palRowDot(J->wrench[k], palPile_Velocity(pile, joint->bodies[k]));
    pile->lambda[row] = joint->lambda[row - joint->row];
}

static void addBilateral(palPile* pile, palPileJoint* joint, const Joint* now)
{
    int positions = joint->kind == pal_pileSlider ? 2 : 3;
    int rotations = joint->kind == pal_pileBall ? 0 : joint->kind == pal_pileHinge ? 2 : 3;
    for (int k = 0; k < positions + rotations; k++)
    {
        bool isAngular = k >= positions;
        palVec3 axis = now->axes[isAngular ? k - positions : k];
        palPairRow J = makeRow(pile, joint, now, axis, isAngular);
        writeRow(pile, joint, k, &J, palDot(axis, isAngular ? now->turn : now->shift));
    }
    const palContactBlock block = {.law = pal_lawBilateral, .size = positions + rotations};
    palPile_AddBlock(pile, block, joint->bodies);
}

// The angle of a hinge, which may be several turns; the shift of a slider.
static double coordinate(palPileJoint* joint, const Joint* now)
{
    if (joint->kind == pal_pileSlider)
        return palDot(now->shift, now->axes[2]);
    const double whole = 6.283185307179586;
    double angle = palDot(now->turn, now->axes[2]);
    joint->angle = angle + whole * round((joint->angle - angle) / whole);
    return joint->angle;
}

// A limit pushes back where it is passed, or would be within the step; friction brakes.
static void addAxis(palPile* pile, palPileJoint* joint, const Joint* now)
{
    bool isAngular = joint->kind == pal_pileHinge;
    palPairRow J = makeRow(pile, joint, now, now->axes[2], isAngular);
    double at = coordinate(joint, now);
    if (isfinite(joint->low) || isfinite(joint->high))
    {
        bool isLow = at - joint->low < joint->high - at;
        palPairRow limit = isLow ? J : makeRow(pile, joint, now, palNeg(now->axes[2]), isAngular);
        double gap = isLow ? at - joint->low : joint->high - at;
        writeRow(pile, joint, 0, &limit, fmin(gap, 0.0));
        if (gap > 0.0) // it closes exactly
        {
            pile->softness[pile->rowCount] = 0.0;
            pile->gapFree[pile->rowCount] += gap;
        }
        const palContactBlock block = {.law = pal_lawUnilateral, .size = 1};
        palPile_AddBlock(pile, block, joint->bodies);
    }
    if (joint->friction > 0.0)
    {
        writeRow(pile, joint, 0, &J, 0.0);
        pile->softness[pile->rowCount] = 0.0;
        const palContactBlock block = {
            .law = pal_lawBox,
            .size = 1,
            .low = -joint->friction,
            .high = joint->friction,
        };
        palPile_AddBlock(pile, block, joint->bodies);
    }
}

static void addHandle(palPile* pile, palPileJoint* joint, const Joint* now)
{
    const double h = pile->h;
    const palCouplingValues* g = &joint->gains;
    const int count = g->turnStiffness > 0.0 || g->turnDamping > 0.0 ? 6 : 3;
    for (int k = 0; k < count; k++)
    {
        bool isAngular = k >= 3;
        double stiffness = isAngular ? g->turnStiffness : g->stiffness;
        double damping = isAngular ? g->turnDamping : g->damping;
        palVec3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        palPairRow J = makeRow(pile, joint, now, axis, isAngular);
        double off = palDot(axis, isAngular ? now->turn : now->shift);
        double speed = palDot(axis, isAngular ? joint->handle.omega : joint->handle.v);
        int row = pile->rowCount + k;
        double R = h / (h * stiffness + damping);
        pile->J[row] = J;
        pile->softness[row] = R;
        pile->gapFree[row] = h * palRowDot(J.wrench[0], palPile_Velocity(pile, joint->bodies[0])) +
                             R * (stiffness * off - damping * speed);
        pile->lambda[row] = joint->lambda[k];
    }
    const palContactBlock block = {.law = pal_lawBilateral, .size = count};
    palPile_AddBlock(pile, block, joint->bodies);
}

static bool isMoving(const palPile* pile, int body)
{
    return body >= 0 && pile->bodies[body].index >= 0;
}

void palPile_AddJoints(palPile* pile)
{
    for (int i = 0; i < pile->jointCount; i++)
    {
        palPileJoint* joint = &pile->joints[i];
        joint->row = pile->rowCount;
        joint->rowCount = 0;
        if (!isMoving(pile, joint->bodies[0]) && !isMoving(pile, joint->bodies[1]))
            continue;
        Joint now = jointNow(pile, joint);
        if (joint->kind == pal_pileHandle)
        {
            addHandle(pile, joint, &now);
        }
        else
        {
            addBilateral(pile, joint, &now);
            if (joint->kind == pal_pileHinge || joint->kind == pal_pileSlider)
                addAxis(pile, joint, &now);
        }
        joint->rowCount = pile->rowCount - joint->row;
    }
}

void palPile_KeepJointForces(palPile* pile)
{
    for (int i = 0; i < pile->jointCount; i++)
    {
        palPileJoint* joint = &pile->joints[i];
        for (int k = 0; k < joint->rowCount; k++)
        {
            double before = pile->substep > 0 ? joint->mean[k] : 0.0;
            joint->lambda[k] = pile->lambda[joint->row + k];
            joint->mean[k] = before + joint->lambda[k] / pile->substeps;
        }
    }
}

palWrench palPile_HandWrench(const palPile* pile, int index)
{
    const double* l = pile->joints[index].mean;
    return (palWrench){palMakeVec3(-l[0], -l[1], -l[2]), palMakeVec3(-l[3], -l[4], -l[5])};
}

palVec3 palPile_JointForce(const palPile* pile, int body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < pile->jointCount; i++)
    {
        const palPileJoint* joint = &pile->joints[i];
        if (joint->kind == pal_pileHandle || (joint->bodies[0] != body && joint->bodies[1] != body))
            continue;
        int end = joint->bodies[1] == body;
        for (int k = 0; k < joint->rowCount; k++)
            sum = palMulAdd(sum, joint->mean[k], pile->J[joint->row + k].wrench[end].force);
    }
    return sum;
}
