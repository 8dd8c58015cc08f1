// SPDX-License-Identifier: Apache-2.0
#include "experiments.h"

#include <stddef.h>

// T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point haptic rendering
// of static and deformable environments", 2015.
#define ACCURATE "Knott and Kuhlen 2015, "

// F. Dervaux et al., "Haptic rendering of interacting dynamic deformable objects simulated in
// real-time at different frequencies", IROS 2013.
#define COMPLIANCE "Dervaux et al. 2013, "

static const palExperiment experiments[] = {
    {
        .name = "accurate-sine",
        .title = "A rigid wave, stroked just below its surface",
        .paper = ACCURATE "Fig. 5, top",
        .scene = "sine-static",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "force_jump_max_N", "smooth"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
                {"standard", "force_jump_max_N", "snaps back at every update"},
            },
    },
    {
        .name = "accurate-sine-soft",
        .title = "The same wave on a soft block held left and right",
        .paper = ACCURATE "Fig. 5, bottom",
        .scene = "sine-soft",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "force_jump_max_N", "smooth"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
                {"standard", "force_jump_max_N", "snaps back at every update"},
            },
    },
    {
        .name = "accurate-statue",
        .title = "A rigid statue with thin arms and folds",
        .paper = ACCURATE "Figs. 6 and 8",
        .scene = "statue",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "force_turn_p99_deg", "smooth"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
                {"standard", "force_turn_p99_deg", "turns abruptly"},
            },
    },
    {
        .name = "accurate-statue-soft",
        .title = "The statue, soft",
        .paper = ACCURATE "Figs. 9 and 10, section 5",
        .scene = "statue-soft",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "iterations_max", "below 30"},
                {"accurate", "haptic_step_mean_us", "90 µs"},
                {"accurate", "haptic_step_max_us", "410 µs"},
                {"accurate", "low_step_mean_ms", "15.2 ms"},
                {"accurate", "low_step_max_ms", "32.3 ms"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
            },
    },
    {
        .name = "accurate-rocker",
        .title = "The bore of a mechanical part",
        .paper = ACCURATE "section 5",
        .scene = "rocker",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
            },
    },
    {
        .name = "compliance-beams",
        .title = "Two beams in series, one at each rate",
        .paper = COMPLIANCE "Fig. 2",
        .scene = "beams",
        .methods = {"compliance"},
        .claims =
            {
                {"compliance", "force_jump_max_N", "stable"},
                {"compliance", "haptic_step_mean_us", "below 1000 µs"},
                {"compliance", "low_step_mean_ms", "below 20 ms"},
            },
    },
    {
        .name = "compliance-cylinder",
        .title = "A soft cylinder pulled, tipped, lifted and hung by a wire",
        .paper = COMPLIANCE "Fig. 3",
        .scene = "wire-cylinder",
        .methods = {"compliance"},
        .claims =
            {
                {"compliance", "force_jump_max_N", "stable throughout"},
                {"compliance", "haptic_step_mean_us", "below 1000 µs"},
                {"compliance", "low_step_mean_ms", "below 20 ms"},
            },
    },
};

const palExperiment* palExperimentAt(int index)
{
    const int count = sizeof experiments / sizeof experiments[0];
    return index >= 0 && index < count ? &experiments[index] : NULL;
}
