// SPDX-License-Identifier: Apache-2.0
// Two beams joined end to end, one at the high rate in the hand and one at the low rate, clamped:
// experiment (a) of Dervaux et al. 2013. The joint is a weld of six rows.
#include "wire_rig.h"

#include "base/random.h"

// One beam from x = 0 to 0.2, clamped at 0, and one from 0.2 to 0.4, in the hand at 0.4.
static void makeBeams(wireRig* r, int lowLoop, palLinkKind joint)
{
    wireRigInit(r);
    wireRigDef low = wireRigRubber();
    low.heldStart = true;
    low.loop = lowLoop;
    wireRigDef high = wireRigRubber();
    high.start = palMakeVec3(0.2, 0, 0);
    high.end = palMakeVec3(0.4, 0, 0);
    high.hand = 1;
    int a = wireRigAdd(r, &low);
    int b = wireRigAdd(r, &high);
    wireRigJoin(r, joint, b, (palBeamPlace){.element = 0, .s = 0.0}, a,
                (palBeamPlace){.element = 9, .s = 1.0});
}

// The same as one beam without a joint: the single-rate solution, from the beam alone.
static void makeWhole(wireRig* r)
{
    wireRigInit(r);
    wireRigDef whole = wireRigRubber();
    whole.end = palMakeVec3(0.4, 0, 0);
    whole.elements = 20;
    whole.heldStart = true;
    whole.hand = 1;
    wireRigAdd(r, &whole);
}

static palVec3 randomVector(palRandom* random, double largest)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = palRandom_Range(random, -largest, largest);
    return palMakeVec3(v[0], v[1], v[2]);
}

// Moves the hand to a pose within 0.3 s and waits until all is at rest.
static palTickRecord settle(wireRig* r, palVec3 to, palVec3 turn, double seconds)
{
    const int ticks = 300;
    palTickRecord record;
    for (int k = 1; k <= ticks; k++)
    {
        double share = (double)k / ticks;
        r->device.position = palScale(share, to);
        r->device.orientation = palMakeQuatRotationVector(palScale(share, turn));
        palLockstep_Step(r->engine, &record);
    }
    return wireRigRun(r, seconds);
}

static void settles_where_one_beam_does(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    for (int pose = 0; pose < 20; pose++)
    {
        palVec3 to = randomVector(&random, 0.05);
        palVec3 turn = randomVector(&random, 0.5);
        wireRig whole;
        makeWhole(&whole);
        wireRigStart(&whole);
        settle(&whole, to, turn, 4.0);
        const palBeamState* truth = wireRigState(&whole, 0);
        static const int ratios[] = {1, 10, 20, 50};
        double largest = 0.0;
        for (int i = 0; i <= 20; i++)
            largest = fmax(largest, palDistance(truth->x[i], palMakeVec3(0.02 * i, 0, 0)));
        for (int k = 0; k < 4; k++)
        for (int frozen = 0; frozen < 2; frozen++)
        {
            wireRig r;
            makeBeams(&r, 1, pal_linkWeld);
            r.def.lowDt = 1e-3 * ratios[k];
            r.def.latency = r.def.dt;
            r.def.methodDef.frozenResponse = frozen;
            wireRigStart(&r);
            settle(&r, to, turn, 4.0);
            double worst = 0.0;
            for (int i = 0; i <= 20; i++)
            {
                palVec3 x = i <= 10 ? wireRigState(&r, 0)->x[i] : wireRigState(&r, 1)->x[i - 10];
                worst = fmax(worst, palDistance(x, truth->x[i]));
            }
            palCompliance* c = wireRigMethod(&r);
            double dl = 0, l = 0;
            for (int i = 0; i < 6; i++) { dl = fmax(dl, fabs(c->rows->lambda[i] - c->loops[0]->rows->lambda[i])); l = fmax(l, fabs(c->rows->lambda[i])); }
            printf("pose %d ratio %d frozen %d: worst %.3g of %.3g (%.3f %%) lambda %.4g diff %.3g\n", pose, ratios[k], frozen, worst, largest, 100 * worst / largest, l, dl);
            wireRigFree(&r);
        }
        wireRigFree(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles_where_one_beam_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
