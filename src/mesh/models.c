// SPDX-License-Identifier: Apache-2.0
#include "mesh/models.h"

// clang-format off
// Lengths in units of the height. The crown of the taller figure is at y = 1.
static const palPart statueParts[] = {
    {.kind = pal_partDisc, .a = {0, -0.1, 0}, .b = {0, 0.08, 0}, .radius = 0.3, .edge = 0.03},

    // The taller figure: robe, torso, shoulders, neck, head.
    {.kind = pal_partCone, .a = {-0.13, 0.1, 0}, .b = {-0.15, 0.38, 0}, .radius = 0.125,
     .radiusB = 0.085, .blend = 0.08},
    {.kind = pal_partCone, .a = {-0.15, 0.38, 0}, .b = {-0.115, 0.63, 0}, .radius = 0.07,
     .radiusB = 0.085, .blend = 0.06},
    {.kind = pal_partCone, .a = {-0.115, 0.655, -0.085}, .b = {-0.115, 0.655, 0.085},
     .radius = 0.042, .radiusB = 0.042, .blend = 0.05},
    {.kind = pal_partCone, .a = {-0.11, 0.68, 0}, .b = {-0.085, 0.82, 0}, .radius = 0.032,
     .radiusB = 0.028, .blend = 0.04},
    {.kind = pal_partCone, .a = {-0.078, 0.86, 0}, .b = {-0.08, 0.93, 0}, .radius = 0.055,
     .radiusB = 0.07, .blend = 0.03},

    // The smaller figure.
    {.kind = pal_partCone, .a = {0.14, 0.1, 0}, .b = {0.15, 0.33, 0}, .radius = 0.115,
     .radiusB = 0.08, .blend = 0.08},
    {.kind = pal_partCone, .a = {0.15, 0.33, 0}, .b = {0.125, 0.52, 0}, .radius = 0.065,
     .radiusB = 0.072, .blend = 0.05},
    {.kind = pal_partCone, .a = {0.122, 0.54, -0.075}, .b = {0.122, 0.54, 0.075}, .radius = 0.038,
     .radiusB = 0.038, .blend = 0.05},
    {.kind = pal_partCone, .a = {0.118, 0.56, 0}, .b = {0.1, 0.69, 0}, .radius = 0.028,
     .radiusB = 0.025, .blend = 0.04},
    {.kind = pal_partCone, .a = {0.094, 0.72, 0}, .b = {0.095, 0.785, 0}, .radius = 0.048,
     .radiusB = 0.062, .blend = 0.03},

    // The arms of the taller one reach around the smaller one's front and waist.
    {.kind = pal_partTube, .a = {-0.115, 0.655, 0.09}, .b = {0.02, 0.58, 0.19},
     .c = {0.125, 0.44, 0.06}, .radius = 0.018, .blend = 0.03},
    {.kind = pal_partTube, .a = {-0.115, 0.655, -0.09}, .b = {0.0, 0.49, -0.2},
     .c = {0.15, 0.36, -0.06}, .radius = 0.018, .blend = 0.03},

    // The smaller one has one hand on the taller one's cheek and the other on its own hip.
    {.kind = pal_partTube, .a = {0.122, 0.54, -0.08}, .b = {0.07, 0.75, -0.15},
     .c = {-0.07, 0.86, -0.04}, .radius = 0.018, .blend = 0.03},
    {.kind = pal_partTube, .a = {0.13, 0.54, 0.08}, .b = {0.27, 0.42, 0.11},
     .c = {0.165, 0.29, 0.06}, .radius = 0.018, .blend = 0.03},

    // Flat bottom.
    {.kind = pal_partDisc, .cut = true, .a = {0, -0.5, 0}, .b = {0, 0, 0}, .radius = 1,
     .blend = 0.03},
};

static const palBounds statueBounds = {{-0.31, 0.0, -0.31}, {0.31, 1.0, 0.31}};

// Lengths in units of the length. The bosses at the ends reach to x = -0.5 and x = 0.5.
static const palPart rockerParts[] = {
    // The arm and the rib along it.
    {.kind = pal_partPlate, .a = {-0.41, -0.07, 0}, .b = {0, 0.06, 0}, .c = {0.41, -0.05, 0},
     .radius = 0.032, .width = 0.07, .edge = 0.02},
    {.kind = pal_partPlate, .a = {-0.36, -0.04, 0}, .b = {0, 0.09, 0}, .c = {0.36, -0.02, 0},
     .radius = 0.075, .width = 0.018, .edge = 0.015, .blend = 0.04},

    // The pivot, the fork end and the upright adjuster boss.
    {.kind = pal_partDisc, .a = {0, 0.03, -0.14}, .b = {0, 0.03, 0.14}, .radius = 0.15,
     .edge = 0.015, .blend = 0.05},
    {.kind = pal_partDisc, .a = {-0.41, -0.07, -0.1}, .b = {-0.41, -0.07, 0.1}, .radius = 0.09,
     .edge = 0.012, .blend = 0.04},
    {.kind = pal_partDisc, .a = {0.41, -0.16, 0}, .b = {0.41, 0.05, 0}, .radius = 0.09,
     .edge = 0.012, .blend = 0.04},

    // Their holes.
    {.kind = pal_partDisc, .cut = true, .a = {0, 0.03, -0.3}, .b = {0, 0.03, 0.3}, .radius = 0.085,
     .blend = 0.025},
    {.kind = pal_partDisc, .cut = true, .a = {-0.41, -0.07, -0.3}, .b = {-0.41, -0.07, 0.3},
     .radius = 0.045, .blend = 0.025},
    {.kind = pal_partDisc, .cut = true, .a = {0.41, -0.4, 0}, .b = {0.41, 0.3, 0}, .radius = 0.045,
     .blend = 0.025},
};

// Lengths in units of the length.
static const palPart organParts[] = {
    // The right lobe, thick, and the left one, thinner and narrower.
    {.kind = pal_partPlate, .a = {-0.358, -0.03, 0.02}, .b = {-0.12, 0.06, 0}, .c = {0.14, 0.03, 0},
     .radius = 0.14, .width = 0.25, .edge = 0.13},
    {.kind = pal_partPlate, .a = {0.02, 0.05, -0.04}, .b = {0.24, 0.06, -0.05},
     .c = {0.436, 0.0, -0.06}, .radius = 0.06, .width = 0.17, .edge = 0.058, .blend = 0.16},

    // The lower lobe, and the fissure between the two lobes, open to the front.
    {.kind = pal_partCone, .a = {-0.3, -0.1, 0.1}, .b = {-0.12, -0.11, 0.14}, .radius = 0.11,
     .radiusB = 0.07, .blend = 0.1},
    {.kind = pal_partCone, .cut = true, .a = {0.17, 0.0, 0.34}, .b = {0.12, 0.02, 0.2},
     .radius = 0.11, .radiusB = 0.05, .blend = 0.08},

    // Flattened underside.
    {.kind = pal_partDisc, .cut = true, .a = {0, -0.6, 0}, .b = {0, -0.15, 0}, .radius = 1,
     .blend = 0.06},
};

static const palBounds organBounds = {{-0.51, -0.2, -0.32}, {0.51, 0.25, 0.32}};

// Lengths in units of the width.
static const palPart polypParts[] = {
    {.kind = pal_partDisc, .a = {0, -0.1, 0}, .b = {0, 0.15, 0}, .radius = 0.5, .edge = 0.04},

    // The stalk, leaning, and the bulb with a second one grown out of it.
    {.kind = pal_partCone, .a = {0, 0.1, 0}, .b = {0.04, 0.4, 0}, .radius = 0.09, .radiusB = 0.075,
     .blend = 0.12},
    {.kind = pal_partCone, .a = {0.05, 0.58, 0}, .b = {0.06, 0.7, 0.02}, .radius = 0.19,
     .radiusB = 0.18, .blend = 0.08},
    {.kind = pal_partCone, .a = {0.16, 0.62, 0.1}, .b = {0.18, 0.66, 0.12}, .radius = 0.11,
     .radiusB = 0.1, .blend = 0.06},

    {.kind = pal_partDisc, .cut = true, .a = {0, -0.5, 0}, .b = {0, 0, 0}, .radius = 1,
     .blend = 0.03},
};

static const palBounds polypBounds = {{-0.505, -0.01, -0.505}, {0.505, 0.9, 0.505}};

// clang-format on
static const palBounds rockerBounds = {{-0.5, -0.19, -0.15}, {0.5, 0.21, 0.15}};

palSolid palMakeStatue(double height)
{
    int count = (int)(sizeof statueParts / sizeof statueParts[0]);
    return palMakeSolid(statueParts, count, statueBounds, height);
}

palSolid palMakeRocker(double length)
{
    int count = (int)(sizeof rockerParts / sizeof rockerParts[0]);
    return palMakeSolid(rockerParts, count, rockerBounds, length);
}

palSolid palMakeOrgan(double length)
{
    int count = (int)(sizeof organParts / sizeof organParts[0]);
    return palMakeSolid(organParts, count, organBounds, length);
}

palSolid palMakePolyp(double width)
{
    int count = (int)(sizeof polypParts / sizeof polypParts[0]);
    return palMakeSolid(polypParts, count, polypBounds, width);
}
