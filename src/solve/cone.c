// SPDX-License-Identifier: Apache-2.0
#include "solve/cone.h"

#include <math.h>

// One contact: find λ in the cone |λt| <= μ λn and δ = q + A λ such that the contact
//
//     opens   λ = 0 and δn >= 0,
//     sticks  δ = 0, or
//     slides  δn = 0, |λt| = μ λn, δt = −s λt with s > 0.
//
// Sticking is sliding with s = 0. With δn = 0 the normal force is eliminated,
//
//     λn = −qn/Ann − (Ant λt)/Ann,    (B + s I) λt = −b,
//     B = Att − Atn Ant/Ann,          b = qt − Atn qn/Ann,
//
// and in the eigenvectors V of B, whose eigenvalues β are non-negative, λt(s) costs one division
// per row. If sticking violates the cone,
//
//     φ(s) = μ λn(s) / |λt(s)| − 1
//
// is negative at s = 0 and grows without bound, because |λt| tends to zero and λn to −qn/Ann > 0: a
// root exists for every μ and every coupling. φ is linear in s if B = β I and Atn = 0, so that
// Newton's method converges in about one step; bracketing makes it robust. The rotation to V, the
// test for sticking and the scalar equation are the same for one, two and three tangential rows
// (three: with torsion). s is the unknown of the secular equation of trust-region methods (Moré and
// Sorensen 1983); the cases are those of Bonnefon and Daviet (2011).

// Lower bound of the eigenvalues β, relative to the largest diagonal entry of the block: keeps a
// contact well-posed if W has zero compliance along some tangent.
static const double betaFloor = 1e-13;

enum
{
    maxSteps = 40,
};

// The functions of a solve are compiled once for each number of tangential rows.
#if defined(__GNUC__)
#define PAL_UNROLLED __attribute__((always_inline))
#else
#define PAL_UNROLLED
#endif

// Diagonalises the symmetric d×d matrix B by Jacobi rotations; the columns of V are the
// eigenvectors.
static inline PAL_UNROLLED void eigen(int d, double B[9], double V[9])
{
    for (int i = 0; i < d * d; i++)
        V[i] = i % (d + 1) == 0 ? 1.0 : 0.0;
    const int sweeps = 10; // quadratic convergence: exact in one for d = 2, about five for d = 3
    for (int sweep = 0; sweep < sweeps; sweep++)
    {
        bool rotated = false;
        for (int p = 0; p < d; p++)
            for (int q = p + 1; q < d; q++)
            {
                double off = B[p * d + q];
                if (fabs(off) <= 1e-17 * (fabs(B[p * d + p]) + fabs(B[q * d + q])))
                    continue;
                rotated = true;
                double theta = (B[q * d + q] - B[p * d + p]) / (2.0 * off);
                double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
                double c = 1.0 / sqrt(1.0 + t * t);
                double s = t * c;
                for (int k = 0; k < d; k++)
                {
                    double bp = B[k * d + p], bq = B[k * d + q];
                    B[k * d + p] = c * bp - s * bq;
                    B[k * d + q] = s * bp + c * bq;
                    double vp = V[k * d + p], vq = V[k * d + q];
                    V[k * d + p] = c * vp - s * vq;
                    V[k * d + q] = s * vp + c * vq;
                }
                for (int k = 0; k < d; k++)
                {
                    double bp = B[p * d + k], bq = B[q * d + k];
                    B[p * d + k] = c * bp - s * bq;
                    B[q * d + k] = s * bp + c * bq;
                }
            }
        if (!rotated)
            break;
    }
}

static inline PAL_UNROLLED void prepare(int d, palUnitFactor* factor)
{
    const double* A = factor->contact.A;
    int size = d + 1;
    double B[9];
    double largest = 0.0;
    for (int i = 0; i < d; i++)
    {
        for (int j = 0; j < d; j++)
            B[i * d + j] = A[(i + 1) * size + j + 1] - A[(i + 1) * size] * A[j + 1] / A[0];
        largest = fmax(largest, A[(i + 1) * size + i + 1]);
    }
    double* V = factor->contact.V;
    eigen(d, B, V);
    double betaMin = betaFloor * fmax(largest, A[0]);
    for (int k = 0; k < d; k++)
    {
        double c = 0.0;
        for (int i = 0; i < d; i++)
            c += V[i * d + k] * A[(i + 1) * size];
        factor->contact.c[k] = c / A[0];
        factor->contact.beta[k] = fmax(B[k * d + k], betaMin);
    }
}

void palCone_Prepare(int size, palUnitFactor* factor)
{
    if (size == 2)
        prepare(1, factor);
    else if (size == 3)
        prepare(2, factor);
    else
        prepare(3, factor);
}

// The forces at a given slip s, in the eigenvector basis, with φ and its derivative.
typedef struct palSliding
{
    double lambdaT[3];
    double lambdaN;
    double length; // |λt|
    double phi;
    double slope;
} palSliding;

static inline PAL_UNROLLED palSliding sliding(int d, double mu, const palUnitFactor* factor,
                                              const double* b, double qn, double s)
{
    palSliding at = {.lambdaN = -qn};
    double square = 0.0, squareSlope = 0.0, normalSlope = 0.0;
    for (int k = 0; k < d; k++)
    {
        double inverse = 1.0 / (factor->contact.beta[k] + s);
        double force = -b[k] * inverse;
        at.lambdaT[k] = force;
        at.lambdaN -= factor->contact.c[k] * force;
        normalSlope += factor->contact.c[k] * force * inverse;
        square += force * force;
        squareSlope += force * force * inverse;
    }
    at.length = sqrt(square);
    if (at.length > 0.0)
    {
        at.phi = mu * at.lambdaN / at.length - 1.0;
        at.slope = mu * (normalSlope + at.lambdaN * squareSlope / square) / at.length;
    }
    return at;
}

// Finds the root of φ from a starting guess.
static inline PAL_UNROLLED palSliding slide(int d, double mu, const palUnitFactor* factor,
                                            const double* b, double qn, double* slip)
{
    double low = 0.0;
    double high = INFINITY;
    double s = *slip;
    if (!(s > 0.0))
    {
        // The solution for B = β I and Atn = 0.
        double length = 0.0, beta = 0.0;
        for (int k = 0; k < d; k++)
        {
            length += b[k] * b[k];
            beta = fmax(beta, factor->contact.beta[k]);
        }
        s = sqrt(length) / (mu * -qn) - beta;
        s = s > 0.0 ? s : 0.1 * beta;
    }
    palSliding at = sliding(d, mu, factor, b, qn, s);
    for (int step = 0; step < maxSteps && fabs(at.phi) > 1e-14; step++)
    {
        if (at.phi < 0.0)
            low = s;
        else
            high = s;
        double next = s - at.phi / at.slope;
        if (!(next > low && next < high))
            next = isinf(high) ? 4.0 * s : 0.5 * (low + high);
        if (fabs(next - s) <= 1e-16 * s)
            break;
        s = next;
        at = sliding(d, mu, factor, b, qn, s);
    }
    *slip = s;
    return at;
}

// A closed contact with friction; λ is zero on entry.
static inline PAL_UNROLLED void solveClosed(int d, double mu, const palUnitFactor* factor,
                                            const double* q, double* slip, double* lambda)
{
    double qn = q[0] / factor->contact.A[0];
    // b = Vᵀ (qt − Atn qn/Ann)
    const double* V = factor->contact.V;
    double b[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < d; k++)
    {
        b[k] = -factor->contact.c[k] * q[0];
        for (int i = 0; i < d; i++)
            b[k] += V[i * d + k] * q[i + 1];
    }
    palSliding at = sliding(d, mu, factor, b, qn, 0.0);
    double shrink = 1.0;
    if (at.length > mu * at.lambdaN)
    {
        at = slide(d, mu, factor, b, qn, slip);
        at.lambdaN = fmax(at.lambdaN, 0.0);
        // Scale onto the cone exactly, whatever the accuracy of the last step.
        shrink = at.length > 0.0 ? mu * at.lambdaN / at.length : 0.0;
    }
    lambda[0] = at.lambdaN;
    for (int k = 0; k < d; k++)
        for (int i = 0; i < d; i++)
            lambda[i + 1] += V[i * d + k] * at.lambdaT[k] * shrink;
}

void palCone_Solve(int size, double mu, const palUnitFactor* factor, const double* q, double* slip,
                   double* lambda)
{
    for (int i = 0; i < size; i++)
        lambda[i] = 0.0;
    if (q[0] >= 0.0)
        return;
    if (mu == 0.0)
        lambda[0] = -q[0] / factor->contact.A[0];
    else if (size == 2)
        solveClosed(1, mu, factor, q, slip, lambda);
    else if (size == 3)
        solveClosed(2, mu, factor, q, slip, lambda);
    else
        solveClosed(3, mu, factor, q, slip, lambda);
}

void palCone_Project(int size, double mu, double* x)
{
    double square = 0.0;
    for (int i = 1; i < size; i++)
        square += x[i] * x[i];
    double length = sqrt(square);
    if (length <= mu * x[0])
        return;
    double normal = mu * length <= -x[0] ? 0.0 : (x[0] + mu * length) / (1.0 + mu * mu);
    double shrink = length > 0.0 ? mu * normal / length : 0.0;
    x[0] = normal;
    for (int i = 1; i < size; i++)
        x[i] *= shrink;
}
