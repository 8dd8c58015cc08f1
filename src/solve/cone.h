// SPDX-License-Identifier: Apache-2.0
// Exact solution of one contact with Coulomb's friction cone.
#ifndef PAL_SOLVE_CONE_H
#define PAL_SOLVE_CONE_H

#include "solve/unit.h"

/// Fills V, β and c of the factor from its A.
void palCone_Prepare(int size, palUnitFactor* factor);

/// The λ of δ = q + A λ and Coulomb's law with friction coefficient mu. `slip` holds the starting
/// guess of |δt|/|λt| while sliding and receives the result. At most 40 Newton steps.
void palCone_Solve(int size, double mu, const palUnitFactor* factor, const double* q, double* slip,
                   double* lambda);

/// Projects x onto the cone |xt| <= mu xn, in place.
void palCone_Project(int size, double mu, double* x);

#endif
