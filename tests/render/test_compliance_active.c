// SPDX-License-Identifier: Apache-2.0
// The tick of `compliance` solves for the contacts that may act: its forces are those of the
// problem of all contacts.
#include "check.h"

#include "../../bench/wire_press.h"

static const double tolerance = 1e-8; // of the solver

// Down by 6 mm in half a second, then up and down by 4 mm: contacts open and close.
static double path(const void* user, double t)
{
    (void)user;
    return 6e-3 * fmin(1.0, t / 0.5) + (t > 0.6 ? 4e-3 * sin(40.0 * (t - 0.6)) : 0.0);
}

// The residual of λ in the problem of all contacts of the last tick, m.
static double wholeResidual(palCompliance* compliance, palSolveInfo* info)
{
    palRows* rows = compliance->rows;
    double gap[1024];
    assert_true(rows->count <= 1024);
    palRows_TakeAll(rows);
    palRows_AddCompliance(rows, compliance->wires, compliance->wireCount);
    palCompliance_AddCompliance(compliance, 0, compliance->slow[0]);
    palContactProblem whole = palRows_Problem(rows);
    palContactProblem_Residual(&whole, rows->lambda, gap, info);
    return info->residual;
}

static void press(double friction)
{
    palWirePressDef def = palDefaultWirePressDef();
    def.lying = true;
    def.friction = friction;
    def.elements = 30;
    def.path = path;
    palWirePress* wire;
    assert_int_equal(palWirePress_Create(&def, false, &wire, NULL), pal_ok);
    palCompliance* compliance = (palCompliance*)wire->engine->methods.shared;
    const palRows* rows = compliance->rows;
    long taken = 0, near = 0, solved = 0, again = 0;
    for (int k = 0; k < 900; k++)
    {
        palWirePress_Step(wire);
        palSolveInfo found = rows->info, whole;
        taken += rows->takenCount;
        near += rows->count;
        again += rows->round > 2;
        double residual = wholeResidual(compliance, &whole);
        if (!(found.flags & pal_solveConverged))
            continue;
        solved++;
        ASSERT_BELOW(residual, fmax(tolerance * found.scale, 2.0 * PAL_GAP_ROUNDING));
    }
    print_message("friction %g: %ld of %ld rows, %ld of 900 converged, %ld grew after a solve\n",
                  friction, taken, near, solved, again);
    assert_true(solved > 850);
    assert_true(2 * taken < near);
    assert_true(again > 0);
    palWirePress_Free(wire);
}

static void forces_of_active_contacts_solve_the_problem_of_all(void** state)
{
    (void)state;
    SKIP_SLOWED();
    press(0.0);
    press(0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_active_contacts_solve_the_problem_of_all),
    };
    return RUN(tests);
}
