// SPDX-License-Identifier: Apache-2.0
// Pictures of a run, drawn by gnuplot from the recording: path.svg (device and proxy against a
// slice of the surface), force.svg (force against time) and step.svg (histogram of the step times);
// the same as .png.
#ifndef PAL_APP_PLOT_H
#define PAL_APP_PLOT_H

#include <palpate/session.h>

/// Draws the run that `session` recorded into `directory`. The script stays there as plot.gp, to be
/// changed and run again.
palResult palPlotRun(const char* directory, const palSession* session, palError* error);

#endif
