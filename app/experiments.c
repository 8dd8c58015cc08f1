// SPDX-License-Identifier: Apache-2.0
#include "experiments.h"

#include <stddef.h>

// T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point haptic rendering
// of static and deformable environments", 2015.
#define ACCURATE "Knott and Kuhlen 2015, "
// M. A. Otaduy and M. Gross, "Transparent rendering of tool contact with compliant environments",
// World Haptics 2007.
#define LINEAR "Otaduy and Gross 2007, "

// F. Dervaux et al., "Haptic rendering of interacting dynamic deformable objects simulated in
// real-time at different frequencies", IROS 2013.
#define COMPLIANCE "Dervaux et al. 2013, "

static const palExperiment experiments[] = {
    {
        .name = "accurate-sine",
        .title = "Stroking a rigid wave 1 mm below its surface",
        .paper = ACCURATE "Fig. 5, top",
        .scene = "sine-static",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "force_jump_max_N", "smooth"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
                {"standard", "force_jump_max_N", "jumps at every update"},
            },
    },
    {
        .name = "accurate-sine-soft",
        .title = "The same wave on a soft block fixed at both ends",
        .paper = ACCURATE "Fig. 5, bottom",
        .scene = "sine-soft",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "force_jump_max_N", "smooth"},
                {"standard", "surface_distance_max_mm", "leaves the surface"},
                {"standard", "force_jump_max_N", "jumps at every update"},
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
                {"standard", "force_turn_p99_deg", "changes direction abruptly"},
            },
    },
    {
        .name = "accurate-statue-soft",
        .title = "The same statue, soft",
        .paper = ACCURATE "Figs. 9 and 10, section 5",
        .scene = "statue-soft",
        .methods = {"accurate", "standard"},
        .claims =
            {
                {"accurate", "surface_distance_max_mm", "stays on the surface"},
                {"accurate", "described_mean", "50 to 100, with friction"},
                {"accurate", "described_max", "100, with friction"},
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
        .name = "linear-block",
        .title = "A cylinder presses and strokes a soft block, low rate 10 Hz",
        .paper = LINEAR "Fig. 3",
        .scene = "tool-block",
        .sets = {"method.constraints=equality", "method.response=frozen", "objects.0.friction=0",
                 "time.low_dt=0.1"},
        .methods = {"linear", "coupling"},
        .claims =
            {
                {"linear", "force_sideways_rms_N", "stable"},
                {"coupling", "force_sideways_rms_N", "large oscillations of the horizontal force"},
                {"linear", "haptic_step_mean_us", "250 µs"},
                {"linear", "low_step_max_ms", "100 ms, contact 80 ms"},
            },
    },
    {
        .name = "linear-block-bare",
        .title = "The same without the filter on the contact model",
        .paper = LINEAR "Fig. 3",
        .scene = "tool-block",
        .sets = {"method.constraints=equality", "method.response=frozen", "method.filter=0",
                 "objects.0.friction=0", "time.low_dt=0.1"},
        .methods = {"linear", "coupling"},
        .claims =
            {
                {"linear", "force_sideways_rms_N", "stable"},
                {"coupling", "force_sideways_rms_N", "large oscillations of the horizontal force"},
            },
    },
    {
        .name = "linear-block-30",
        .title = "The same, low rate 30 Hz",
        .paper = LINEAR "Fig. 3",
        .scene = "tool-block",
        .sets = {"method.constraints=equality", "method.response=frozen", "method.filter=0.05",
                 "objects.0.friction=0", "time.low_dt=0.033"},
        .methods = {"linear", "coupling"},
        .claims =
            {
                {"linear", "force_sideways_rms_N", "stable"},
                {"coupling", "force_sideways_rms_N", "oscillates"},
            },
    },
    {
        .name = "linear-block-60",
        .title = "The same, low rate 60 Hz",
        .paper = LINEAR "Fig. 3",
        .scene = "tool-block",
        .sets = {"method.constraints=equality", "method.response=frozen", "method.filter=0.05",
                 "objects.0.friction=0", "time.low_dt=0.0167"},
        .methods = {"linear", "coupling"},
        .claims =
            {
                {"linear", "force_sideways_rms_N", "stable"},
                {"coupling", "force_sideways_rms_N", "oscillates"},
            },
    },
    {
        .name = "linear-block-contact",
        .title = "The same with unilateral contacts and friction",
        .paper = LINEAR "section 7, left to future work",
        .scene = "tool-block",
        .sets = {"time.low_dt=0.033"},
        .methods = {"linear", "coupling"},
        .claims =
            {
                {"linear", "force_sideways_rms_N", "none"},
                {"linear", "haptic_step_mean_us", "none"},
                {"linear", "low_step_max_ms", "none"},
            },
    },
    {
        .name = "linear-organ",
        .title = "A probe in an organ",
        .paper = LINEAR "Fig. 2",
        .scene = "tool-organ",
        .methods = {"linear"},
        .claims =
            {
                {"linear", "haptic_step_mean_us", "none"},
                {"linear", "low_step_max_ms", "none"},
            },
    },
    {
        .name = "linear-polyp",
        .title = "A probe bends a polyp",
        .paper = LINEAR "Fig. 2",
        .scene = "tool-polyp",
        .methods = {"linear"},
        .claims =
            {
                {"linear", "haptic_step_mean_us", "none"},
                {"linear", "low_step_max_ms", "none"},
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
        .title = "A soft cylinder pulled, tilted, lifted and suspended by a wire",
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
