// SPDX-License-Identifier: Apache-2.0
#include "body/beam_section.h"

#include "math/vec3.h"

palBeamSection palMakeTubeSection(double outer, double inner, double poisson)
{
    double area = PAL_PI * (outer * outer - inner * inner);
    double inertia = 0.25 * PAL_PI * (pow(outer, 4) - pow(inner, 4));
    double m = inner / outer;
    double spread = (1.0 + m * m) * (1.0 + m * m);
    double kappa = 6.0 * (1.0 + poisson) * spread /
                   ((7.0 + 6.0 * poisson) * spread + (20.0 + 12.0 * poisson) * m * m);
    return (palBeamSection){
        .area = area,
        .inertiaY = inertia,
        .inertiaZ = inertia,
        .torsion = 2.0 * inertia,
        .shearY = kappa * area,
        .shearZ = kappa * area,
        .reach = outer,
    };
}

palBeamSection palMakeRoundSection(double radius, double poisson)
{
    return palMakeTubeSection(radius, 0.0, poisson);
}

// J = (1/3) a b³ (1 - (192/π⁵) (b/a) Σ tanh(n π a / 2 b) / n⁵), n odd, a >= b.
static double boxTorsion(double a, double b)
{
    const int terms = 20; // the next one is below 1e-8 of the first
    double sum = 0.0;
    for (int k = 0; k < terms; k++)
    {
        double n = 2.0 * k + 1.0;
        sum += tanh(0.5 * n * PAL_PI * a / b) / pow(n, 5);
    }
    return a * b * b * b / 3.0 * (1.0 - 192.0 / pow(PAL_PI, 5) * (b / a) * sum);
}

palBeamSection palMakeBoxSection(double sideY, double sideZ, double poisson)
{
    double area = sideY * sideZ;
    double kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    return (palBeamSection){
        .area = area,
        .inertiaY = area * sideZ * sideZ / 12.0,
        .inertiaZ = area * sideY * sideY / 12.0,
        .torsion = boxTorsion(fmax(sideY, sideZ), fmin(sideY, sideZ)),
        .shearY = kappa * area,
        .shearZ = kappa * area,
        .reach = 0.5 * hypot(sideY, sideZ),
    };
}
