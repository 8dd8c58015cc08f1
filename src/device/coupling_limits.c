// SPDX-License-Identifier: Apache-2.0
#include "device/coupling_limits.h"

#include "base/error.h"

#include <math.h>

// N/m: a stiffness that feels hard, and the most of the least capable desktop devices.
static const double defaultStiffness = 1000.0;
// N·s/m at that stiffness. At another it goes with the root of it, which keeps the damping ratio.
static const double defaultDamping = 0.8;

// Where the coupling's rotation is left open it is that of the translation at this lever, about
// half the width of a grip, m.
static const double gripLever = 0.02;

palCouplingRequest palDefaultCouplingRequest(const palDeviceLimits* limits, double dt)
{
    return (palCouplingRequest){
        .limits = *limits,
        .dt = dt,
        .stiffness = NAN,
        .damping = NAN,
    };
}

static bool within(double value, double limit)
{
    return !(limit > 0.0) || value <= limit;
}

// A wish that makes sense, or NaN for the default.
static double readWish(double wish, const char* name, palMessages* messages)
{
    if (isnan(wish) || (wish >= 0.0 && isfinite(wish)))
        return wish;
    palError* warning = palMessages_Add(messages, pal_severityWarning,
                                        "coupling.%s of %g is negative or infinite; the default is "
                                        "used",
                                        name, wish);
    palError_Remedy(warning, "ask for a finite number of zero or more");
    return NAN;
}

// The wish, or else the default, cut to the device's limit.
static double cutToDevice(double wish, double byDefault, double limit, const char* name,
                          const char* unit, palMessages* messages)
{
    if (isnan(wish))
        return within(byDefault, limit) ? byDefault : limit;
    if (within(wish, limit))
        return wish;
    palError* warning = palMessages_Add(messages, pal_severityWarning,
                                        "coupling.%s of %g %s is more than the device renders "
                                        "stably; %g %s is used",
                                        name, wish, unit, limit, unit);
    palError_Remedy(warning, "ask for at most %g %s or choose another device", limit, unit);
    return limit;
}

static void warnPassivity(const palCouplingRequest* request, double wish, double used,
                          const char* name, const char* unit, palMessages* messages)
{
    if (isnan(wish) || used >= wish)
        return;
    palError* warning = palMessages_Add(
        messages, pal_severityWarning,
        "coupling.%s of %g %s cannot be passive at a step of %g s: stiffness · dt/2 "
        "+ damping must not exceed the %g N·s/m of device and hand; %g %s is used",
        name, wish, unit, request->dt, request->limits.passiveDamping, used, unit);
    palError_Remedy(warning, "ask for less, shorten time.dt, or damp the device");
}

// A device with physical damping b and a spring and damper K, B sampled every T and held form a
// passive system, whatever passive hand holds it, exactly if b > K T / 2 + |B|: Colgate and
// Schenkel, "Passivity of a class of sampled-data systems", J. Robotic Systems 14(1), 1997. A
// default gives way to a wish; two wishes share b: each may use what the other leaves, and at least
// half.
static palDeviceCoupling cutToPassive(const palCouplingRequest* request, palDeviceCoupling coupling)
{
    double b = request->limits.passiveDamping;
    double T = request->dt;
    double K = coupling.stiffness;
    double B = coupling.damping;
    if (!(b > 0.0) || !(T > 0.0) || K * T / 2.0 + B <= b)
        return coupling;
    double most = b - K * T / 2.0; // that the stiffness leaves to the damping
    if (isnan(request->damping))
        B = fmin(B, fmax(most, 0.0));
    else if (isnan(request->stiffness))
        B = fmin(B, b);
    else
        B = fmin(B, fmax(most, b / 2.0));
    K = fmin(K, 2.0 * (b - B) / T);
    return (palDeviceCoupling){.stiffness = K, .damping = B};
}

palDeviceCoupling palLimitCoupling(const palCouplingRequest* request, palMessages* messages)
{
    const palDeviceLimits* limits = &request->limits;
    double stiffness = readWish(request->stiffness, "stiffness", messages);
    double damping = readWish(request->damping, "damping", messages);
    palDeviceCoupling device;
    device.stiffness = cutToDevice(stiffness, defaultStiffness, limits->maxStiffness, "stiffness",
                                   "N/m", messages);
    double dampingHere = defaultDamping * sqrt(device.stiffness / defaultStiffness);
    device.damping =
        cutToDevice(damping, dampingHere, limits->maxDamping, "damping", "N·s/m", messages);

    palDeviceCoupling passive = cutToPassive(request, device);
    if (passive.stiffness < device.stiffness)
        warnPassivity(request, stiffness, passive.stiffness, "stiffness", "N/m", messages);
    if (passive.damping < device.damping)
        warnPassivity(request, damping, passive.damping, "damping", "N·s/m", messages);
    return passive;
}

palCouplingValues palFitCoupling(const palDeviceLimits* limits, double dt,
                                 const palCouplingValues* wished, palMessages* messages)
{
    const double lever = gripLever * gripLever;
    palCouplingRequest request = palDefaultCouplingRequest(limits, dt);
    request.stiffness = wished->stiffness;
    request.damping = wished->damping;
    palDeviceCoupling fit = palLimitCoupling(&request, messages);
    bool isOpen = isnan(wished->turnStiffness), isDampingOpen = isnan(wished->turnDamping);
    return (palCouplingValues){
        .stiffness = fit.stiffness,
        .damping = fit.damping,
        .turnStiffness = isOpen ? lever * fit.stiffness : wished->turnStiffness,
        .turnDamping = isDampingOpen ? lever * fit.damping : wished->turnDamping,
    };
}
