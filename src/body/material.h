// SPDX-License-Identifier: Apache-2.0
// An isotropic linear elastic material: engineering constants and Lamé's constants.
#ifndef PAL_BODY_MATERIAL_H
#define PAL_BODY_MATERIAL_H

typedef struct palMaterial
{
    double young;   // E, Pa
    double poisson; // ν
    double density; // ρ, kg/m³
} palMaterial;

/// Lamé's constants, Pa.
typedef struct palLame
{
    double lambda;
    double mu;
} palLame;

static inline palLame palMaterial_Lame(const palMaterial* material)
{
    double E = material->young;
    double nu = material->poisson;
    return (palLame){
        .lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
        .mu = E / (2.0 * (1.0 + nu)),
    };
}

/// Young's modulus, Pa.
static inline double palLame_Young(palLame lame)
{
    return lame.mu * (3.0 * lame.lambda + 2.0 * lame.mu) / (lame.lambda + lame.mu);
}

#endif
