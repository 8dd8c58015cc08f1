// SPDX-License-Identifier: Apache-2.0
// Plots of a run, drawn by gnuplot from the recording: path.svg (device and proxy with a slice of
// the surface), force.svg (force over time) and step.svg (histogram of the step times); also as
// .png.
#ifndef PAL_APP_PLOT_H
#define PAL_APP_PLOT_H

#include <palpate/session.h>

/// Plots the run that `session` recorded into `directory`. The script is kept there as plot.gp and
/// can be modified and run again.
palResult palPlotRun(const char* directory, const palSession* session, palError* error);

#endif
