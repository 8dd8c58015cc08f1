// SPDX-License-Identifier: Apache-2.0
// palpate run: what it accepts and refuses, and what its recordings are worth.
#include "program.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

//--------------------------------------------------------------------------------------------------
// Recordings

static const char* const methods[] = {"accurate", "standard", "penalty"};

// The index of a column, from the header line.
static int columnOf(const char* csv, const char* name)
{
    int column = 0;
    for (const char* at = csv; *at != '\n' && *at != '\0'; column++)
    {
        size_t length = strcspn(at, ",\n");
        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return column;
        at += length + (at[length] == ',');
    }
    fail_msg("no column %s", name);
    return -1;
}

static const char* nextLine(const char* at)
{
    return at + strcspn(at, "\n") + 1;
}

// Field `column` of the line, into `text`.
static void fieldOf(const char* line, int column, char* text, size_t size)
{
    for (int i = 0; i < column; i++)
        line += strcspn(line, ",\n") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(line, ",\n"), line);
}

static int countRows(const char* csv)
{
    int rows = -1; // the header
    for (const char* at = csv; *at != '\0'; at = nextLine(at))
        rows++;
    return rows;
}

// The two files agree in every row of the columns that `compared` chooses by name.
static void compareCsv(const char* pathA, const char* pathB, bool (*compared)(const char* name))
{
    char* a = readWhole(pathA);
    char* b = readWhole(pathB);
    assert_int_equal(countRows(a), countRows(b));
    assert_true(countRows(a) > 10);
    bool chosen[64] = {false};
    int column = 0, count = 0;
    bool isHeader = true;
    for (const char *x = a, *y = b; *x != '\0'; column++)
    {
        int lengthX = (int)strcspn(x, ",\n"), lengthY = (int)strcspn(y, ",\n");
        bool isSame = lengthX == lengthY && memcmp(x, y, (size_t)lengthX + 1) == 0;
        char name[64];
        snprintf(name, sizeof name, "%.*s", lengthX, x);
        if (isHeader)
            count += chosen[column] = compared(name);
        if (!isSame && (isHeader || chosen[column]))
            fail_msg("column %d: %.*s and %.*s", column, lengthX, x, lengthY, y);
        if (x[lengthX] == '\n')
            column = -1, isHeader = false;
        x += lengthX + 1;
        y += lengthY + 1;
    }
    assert_true(count > 3);
    free(a);
    free(b);
}

static bool isNoTiming(const char* name)
{
    size_t length = strlen(name);
    bool isDuration = length > 3 && strcmp(name + length - 3, "_ms") == 0;
    return strcmp(name, "step_us") != 0 && (!isDuration || strcmp(name, "snapshot_age_ms") == 0);
}

static bool isDeviceOrForce(const char* name)
{
    return strcmp(name, "t") == 0 || strncmp(name, "dev_", 4) == 0 ||
           strncmp(name, "proxy_", 6) == 0 || strncmp(name, "force_", 6) == 0 ||
           strncmp(name, "out_", 4) == 0;
}

static void lockstep_runs_are_identical_but_for_their_timings(void** state)
{
    (void)state;
    const char* const scenes[] = {"touch", "wall-simulated"};
    for (int i = 0; i < 6; i++)
    {
        char arguments[256];
        for (int j = 0; j < 2; j++)
        {
            snprintf(arguments, sizeof arguments,
                     "run scenes/%s.yaml --method %s --out same%d --quiet", scenes[i / 3],
                     methods[i % 3], j);
            assert_int_equal(palpate(arguments), 0);
        }
        compareCsv(inFolder("same0/haptic.csv"), inFolder("same1/haptic.csv"), isNoTiming);
        compareCsv(inFolder("same0/low.csv"), inFolder("same1/low.csv"), isNoTiming);
    }
}

static void a_recording_replays_bit_for_bit(void** state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
    {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "run scenes/touch.yaml --method %s --out first --quiet", methods[i]);
        assert_int_equal(palpate(arguments), 0);
        snprintf(arguments, sizeof arguments,
                 "run scenes/touch.yaml --method %s --device replay:first/haptic.csv --out second "
                 "--quiet",
                 methods[i]);
        assert_int_equal(palpate(arguments), 0);
        compareCsv(inFolder("first/haptic.csv"), inFolder("second/haptic.csv"), isDeviceOrForce);
    }
    // Also onto itself: it is read before it is written.
    assert_int_equal(palpate("run scenes/touch.yaml --method penalty --device "
                             "replay:first/haptic.csv --out first --quiet"),
                     0);
    compareCsv(inFolder("first/haptic.csv"), inFolder("second/haptic.csv"), isDeviceOrForce);
    // And from a file whose name YAML would trip over.
    assert_int_equal(rename(inFolder("first/haptic.csv"), inFolder("it's \"a\" \\ {file}: #1.csv")),
                     0);
    assert_int_equal(palpate("run scenes/touch.yaml --method penalty --out first --quiet --device "
                             "\"replay:it's \\\"a\\\" \\\\ {file}: #1.csv\""),
                     0);
    compareCsv(inFolder("first/haptic.csv"), inFolder("second/haptic.csv"), isDeviceOrForce);
}

// Runs a shell command. Returns the exit code.
static int shell(const char* command)
{
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void checkSameRun(const char* first, const char* second)
{
    static const char* const files[] = {"haptic.csv", "low.csv"};
    for (int i = 0; i < 2; i++)
    {
        char a[128], b[128];
        snprintf(a, sizeof a, "%s/%s", first, files[i]);
        snprintf(b, sizeof b, "%s/%s", second, files[i]);
        compareCsv(inFolder(a), inFolder(b), isNoTiming);
    }
}

static void the_scene_of_a_recording_repeats_it_from_any_directory(void** state)
{
    (void)state;
    static const char* const runs[] = {
        "scenes/touch.yaml --set objects.0.friction=0.37 --method accurate --seconds 0.71",
        "scenes/touch.yaml --set objects.0.mesh=part.stl --set objects.0.unit=cm",
        "scenes/touch.yaml --device replay:hand.csv",
        "scenes/wall-simulated.yaml --device simulated:touch --set device.hand.mass=0.123456789",
        "scenes/three-rates.yaml --seconds 0.5",
        "scenes/tool-wave.yaml --seconds 0.5 --set coupling.turn_damping=0.0001",
        "scenes/three-bodies-corner.yaml --seconds 0.5",
    };
    assert_int_equal(palpate("mesh --generate sphere --size 8 --out part.stl --quiet"), 0);
    writeText("hand.csv", "t,x,y,z\n0,0,0.045,0\n1,0,0.038,0\n2,0.01,0.038,0.003\n");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
    {
        char command[1024];
        snprintf(command, sizeof command, "run %s --out kept --quiet", runs[i]);
        if (palpate(command) != 0)
            fail_msg("%s: %s", runs[i], programErrors);
        snprintf(command, sizeof command, "cd / && '%s' run %s/kept%s --out %s/again --quiet",
                 PAL_PROGRAM, programFolder, i % 2 ? "" : "/scene.yaml", programFolder);
        if (shell(command) != 0)
            fail_msg("%s", command);
        checkSameRun("kept", "again");
    }
    // By the name of the recording too, unless there is a scene of that name.
    assert_int_equal(palpate("run kept --out again --quiet"), 0);
    checkSameRun("kept", "again");
    assert_int_equal(rename(inFolder("kept"), inFolder("touch")), 0);
    assert_int_equal(palpate("run touch --seconds 0.1 --out again --quiet --json"), 0);
    assert_non_null(strstr(programOutput, "\"scene\": \"touch\""));
}

// The rest of the line after a title in the comments of scene.yaml.
static void copyComment(const char* scene, const char* title, char* out, size_t size)
{
    const char* at = strstr(scene, title);
    assert_non_null(at);
    at += strlen(title);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void the_scene_of_a_recording_has_the_command_the_date_and_what_was_left_open(void** state)
{
    (void)state;
    assert_int_equal(palpate("run scenes/touch.yaml --set 'description=it'\\''s a $HOME' "
                             "--seconds 0.6 --out \"it's #1\" --quiet"),
                     0);
    char* scene = readWhole(inFolder("it's #1/scene.yaml"));
    char* summary = readWhole(inFolder("it's #1/summary.json"));
    char line[1024], directory[256], date[64], command[2048];
    copyComment(scene, "\n# Command: ", line, sizeof line);
    copyComment(scene, "\n# Working directory: ", directory, sizeof directory);
    copyComment(scene, "# Written by palpate ", date, sizeof date);
    struct tm day = {0};
    assert_non_null(strptime(strchr(date, ' ') + 1, "%Y-%m-%dT%H:%M:%SZ", &day));
    assert_true(fabs(difftime(time(NULL), timegm(&day))) < 3600.0);

    // Given again, the command makes the same recording.
    assert_int_equal(rename(inFolder("it's #1"), inFolder("first time")), 0);
    snprintf(command, sizeof command, "cd '%s' && %s", directory, line);
    assert_int_equal(shell(command), 0);
    checkSameRun("first time", "it's #1");

    // What the device decided is a default with the value that it had.
    double stiffness = jsonNumber(summary, "coupling_stiffness_N_m", NULL);
    const char* at = strstr(scene, "\n# coupling:\n#   stiffness: ");
    assert_non_null(at);
    ASSERT_NEAR(strtod(at + strlen("\n# coupling:\n#   stiffness: "), NULL), stiffness, 0);
    free(scene);
    free(summary);
}

static void rows_are_the_steps_of_the_summary(void** state)
{
    (void)state;
    assert_int_equal(palpate("run scenes/touch.yaml --out rows --seconds 0.25 --json"), 0);
    char* haptic = readWhole(inFolder("rows/haptic.csv"));
    char* low = readWhole(inFolder("rows/low.csv"));
    char* summary = readWhole(inFolder("rows/summary.json"));
    assert_int_equal(countRows(haptic), 250);
    assert_int_equal((int)jsonNumber(summary, "haptic_steps", NULL), 250);
    assert_int_equal((int)jsonNumber(summary, "low_steps", NULL), countRows(low));
    assert_int_equal(columnOf(haptic, "snapshot_age_ms"), 18);
    // What --json prints is the file.
    assert_int_equal(strncmp(programOutput, summary, strlen(programOutput)), 0);
    free(haptic);
    free(low);
    free(summary);
}

//--------------------------------------------------------------------------------------------------
// Interrupts

// Starts the program in the folder and signals it once the recording has grown.
static int interruptAfter(const char* const* arguments, const char* growing, int number)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        if (chdir(programFolder) != 0 || freopen("stdout.txt", "w", stdout) == NULL ||
            freopen("stderr.txt", "w", stderr) == NULL)
            _exit(99);
        execv(PAL_PROGRAM, (char* const*)arguments);
        _exit(99);
    }
    struct stat found = {0};
    while (stat(growing, &found) != 0 || found.st_size < 4096)
    {
        int ended;
        assert_int_equal(waitpid(child, &ended, WNOHANG), 0);
        usleep(1000);
    }
    kill(child, number);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void an_interrupted_run_keeps_what_it_recorded(void** state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM, SIGINT};
    for (int i = 0; i < 3; i++)
    {
        const char* const arguments[] = {
            "palpate", "run",   "scenes/touch.yaml", "--seconds",
            "3600",    "--out", "stopped",           i == 2 ? "--realtime" : "--quiet",
            NULL};
        assert_int_equal(palpate("run scenes/touch.yaml --seconds 0.01 --out stopped"), 0);
        int code = interruptAfter(arguments, inFolder("stopped/haptic.csv"), signals[i]);
        assert_int_equal(code, 128 + signals[i]);

        // Whole rows, all that were made, and the summary of them.
        char* haptic = readWhole(inFolder("stopped/haptic.csv"));
        char* summary = readWhole(inFolder("stopped/summary.json"));
        int steps = (int)jsonNumber(summary, "haptic_steps", NULL);
        int dropped = (int)jsonNumber(summary, "records_dropped", NULL);
        assert_in_range(steps, 10, 3599999);
        assert_int_equal(countRows(haptic), steps - dropped);
        assert_true(haptic[strlen(haptic) - 1] == '\n');
        assert_non_null(strstr(summary, "\"complete\": false"));
        char* errors = readWhole(inFolder("stderr.txt"));
        assert_non_null(strstr(errors, "palpate: interrupted"));
        free(haptic);
        free(summary);
        free(errors);
    }
}

//--------------------------------------------------------------------------------------------------
// Any mesh

// The force along y at the end of the time that the hand is at its lowest, N.
static double forceAtTheBottom(const char* path)
{
    char* csv = readWhole(path);
    int height = columnOf(csv, "dev_y"), felt = columnOf(csv, "force_y");
    double lowest = INFINITY, force = NAN;
    for (const char* line = nextLine(csv); *line != '\0'; line = nextLine(line))
    {
        char text[64];
        fieldOf(line, height, text, sizeof text);
        double y = strtod(text, NULL);
        if (y > lowest)
            continue;
        lowest = y;
        fieldOf(line, felt, text, sizeof text);
        force = strtod(text, NULL);
    }
    free(csv);
    return force;
}

static void any_closed_mesh_at_any_scale_is_touched(void** state)
{
    (void)state;
    const char* const formats[] = {"stl", "obj", "ply"};
    const double scales[] = {1e-3, 1.0, 1e3};
    assert_int_equal(palpate("mesh --generate sphere --size 0.08 --out base.ply"), 0);
    // Every pair of format, scale and method.
    for (int i = 0; i < 9; i++)
    {
        const char* format = formats[i % 3];
        const char* method = methods[(i + i / 3) % 3];
        double scale = scales[i / 3];
        char arguments[512];
        snprintf(arguments, sizeof arguments, "mesh base.ply --scale %g --out part.%s --quiet",
                 scale, format);
        assert_int_equal(palpate(arguments), 0);
        snprintf(arguments, sizeof arguments,
                 "run scenes/touch.yaml --set objects.0.mesh=part.%s --method %s --out touched "
                 "--quiet --json --set method.penalty_stiffness=4000 "
                 "--set 'trajectory={kind: press, object: 0, direction: [0, -1, 0]}'",
                 format, method);
        if (palpate(arguments) != 0)
            fail_msg("%s: %s", arguments, programErrors);

        // The hand goes 5 mm deep, or a tenth of the diagonal of a smaller part; the surface of the
        // penalty method is a second spring.
        double depth = fmin(0.005, 0.1 * sqrt(3.0) * 0.08 * scale);
        double stiffness = jsonNumber(programOutput, "coupling_stiffness_N_m", NULL);
        if (strcmp(method, "penalty") == 0)
            stiffness *= 4000.0 / (stiffness + 4000.0);
        ASSERT_NEAR(forceAtTheBottom(inFolder("touched/haptic.csv")), stiffness * depth,
                    0.01 * stiffness * depth);
        assert_true(jsonNumber(programOutput, "not_finite_steps", NULL) == 0);
    }
}

static void a_mesh_that_cannot_be_touched_is_refused_clearly(void** state)
{
    (void)state;
    static const char nanPly[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                                 "property float y\nproperty float z\nelement face 1\n"
                                 "property list uchar int vertex_indices\nend_header\n"
                                 "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n";
    writeText("empty.stl", "");
    writeText("empty.obj", "");
    writeText("empty.ply", "");
    writeText("lines.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n");
    writeText("nan.ply", nanPly);
    writeText("nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
    writeText("text.stl", "this is no mesh at all\n");
    writeText("part.xyz", "0 0 0\n");
    assert_int_equal(palpate("mesh --generate box --out whole.stl --quiet"), 0);
    assert_int_equal(palpate("mesh --generate box --out whole.ply --quiet"), 0);
    const char* const wholes[] = {"whole.stl", "whole.ply"};
    const char* const cuts[] = {"cut.stl", "cut.ply"};
    for (int i = 0; i < 2; i++)
    {
        struct stat found;
        assert_int_equal(stat(inFolder(wholes[i]), &found), 0);
        char* bytes = readWhole(inFolder(wholes[i]));
        writeWhole(cuts[i], bytes, (size_t)found.st_size / 2);
        free(bytes);
    }
    assert_int_equal(mkdir(inFolder("folder.stl"), 0777), 0);

    const char* const names[] = {"empty.stl", "empty.obj", "empty.ply",   "lines.obj",
                                 "nan.ply",   "nan.obj",   "text.stl",    "part.xyz",
                                 "cut.stl",   "cut.ply",   "no-such.stl", "folder.stl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "run scenes/touch.yaml --set objects.0.mesh=%s --out refused", names[i]);
        int code = palpate(arguments);
        if (code != 2 || strstr(programErrors, names[i]) == NULL)
            fail_msg("%s: exit %d, %s", names[i], code, programErrors);
        // One line with a remedy.
        assert_ptr_equal(strchr(programErrors, '\n'), programErrors + strlen(programErrors) - 1);
        assert_non_null(strstr(programErrors, "; "));
        assert_string_equal(programOutput, "");
    }
    assert_int_equal(access(inFolder("refused"), F_OK), -1);
}

//--------------------------------------------------------------------------------------------------
// Bad input

static const char* const refusals[][2] = {
    {"", "no scene given; see palpate run --help"},
    {"scenes/touch.yaml other.yaml", "unexpected operand 'other.yaml'"},
    {"no-such.yaml", "no-such.yaml: cannot read: No such file"},
    {"scenes", "there is no scene 'scenes'; use the path of a scene file"},
    {"./scenes", "./scenes: cannot read: Is a directory"},
    {"misspelt.yaml", "misspelt.yaml:3:8: unknown key 'secnods' in time; did you mean 'seconds'?"},
    {"empty.yaml", "empty.yaml: the file is empty"},
    {"astray.yaml", "astray.yaml:3:18: cannot read '"},
    {"pathless.yaml", "pathless.yaml:2:32: cannot read '"},
    {"scenes/touch.yaml --method acurate", "did you mean 'accurate'?"},
    {"scenes/touch.yaml --device reply:x.csv", "'driver' cannot be 'reply'"},
    {"scenes/touch.yaml --device simulated:omega.4", "'preset' cannot be 'omega.4'"},
    {"scenes/touch.yaml --device browser:0.5", "--set device.latency: 'latency' is out of range"},
    {"scenes/wall-simulated.yaml --set device.prest=touch", "did you mean 'preset'?"},
    {"scenes/wall-simulated.yaml --set device.hand.mass=-1", "'mass' is out of range: -1"},
    {"scenes/wall-simulated.yaml --device replay --set device.preset=touch",
     "'preset' is used by driver simulated, not by replay"},
    {"scenes/wall-simulated.yaml --set \"device.hand={stiffness: 100000, mass: 0}\" --set "
     "device.preset=touch --set time.dt=0.01",
     "scenes/wall-simulated.yaml:7:3: simulated: the hand's stiffness of 100000 N/m is too much"},
    {"scenes/touch.yaml --device replay:no-such.csv", "no-such.csv: cannot read"},
    {"scenes/touch.yaml --set 'trajectory={kind: file, file: no-such.csv}'",
     "--set trajectory.file: cannot read 'no-such.csv'"},
    {"scenes/touch.yaml --set 'trajectory={kind: path, points: []}'", "the path has no points"},
    {"scenes/touch.yaml --device replay:nan.csv", "nan.csv:3"},
    {"scenes/touch.yaml --device replay:short.csv", "short.csv:1"},
    {"scenes/touch.yaml --device replay:scenes", "scenes: "},
    {"scenes/touch.yaml --sceonds 1", "unknown option '--sceonds'; did you mean '--seconds'?"},
    {"scenes/touch.yaml --seconds abc", "--seconds needs a finite number, found 'abc'"},
    {"scenes/touch.yaml --seconds nan", "--seconds needs a finite number, found 'nan'"},
    {"scenes/touch.yaml --seconds", "--seconds needs a value"},
    {"scenes/touch.yaml --seconds 0", "'seconds' is out of range: 0"},
    {"scenes/touch.yaml --seconds -1", "'seconds' is out of range: -1"},
    {"scenes/touch.yaml --seconds 1e30", "'seconds' is out of range: 1e+30"},
    {"scenes/touch.yaml --device replay:backward.csv", "backward.csv:4:1: t = 1 is before the row"},
    {"/dev/zero", "/dev/zero: file is larger than the limit of 16 MB"},
    {"bomb.yaml", "bomb.yaml:2:4: anchors (&) and aliases (*) are not used here"},
    {"scenes/touch.yaml --realtime=yes", "--realtime takes no value"},
    {"scenes/touch.yaml --set nothing", "write path.to.key=value"},
    {"scenes/touch.yaml --set objects.7.friction=1", "objects.7"},
    {"scenes/touch.yaml --set time.latency=0.5", "'latency' (0.5 s) is longer than 'low_dt'"},
};

// Messages about --out, which these runs do not share with the earlier good one.
static const char* const badOuts[][2] = {
    {"scenes/touch.yaml --out good/haptic.csv", "good/haptic.csv/haptic.csv: cannot write"},
    {"scenes/touch.yaml --out /proc/none/out", "/proc/none/out: cannot write"},
    {"scenes/touch.yaml --out half", "half/low.csv: cannot write: Is a directory"},
    {"scenes/touch.yaml --out sceneless", "sceneless/scene.yaml: cannot write: Is a directory"},
};

static void expectRefusal(const char* arguments, const char* words)
{
    char command[512];
    snprintf(command, sizeof command, "run %s", arguments);
    int code = palpate(command);
    if (code != 2 || strstr(programErrors, words) == NULL)
        fail_msg("%s: exit %d, %s", arguments, code, programErrors);
    assert_ptr_equal(strchr(programErrors, '\n'), programErrors + strlen(programErrors) - 1);
    assert_string_equal(programOutput, "");
}

static void bad_input_is_one_message_exit_2_and_spares_earlier_recordings(void** state)
{
    (void)state;
    static const char misspelt[] = "palpate: 1\ntrajectory: {kind: line}\ntime: {secnods: 1}\n"
                                   "objects: [{shape: {kind: box}}]\n";
    writeText("misspelt.yaml", misspelt);
    writeText("empty.yaml", "");
    writeText("astray.yaml", "palpate: 1\ntrajectory: {kind: line}\n"
                             "objects: [{mesh: no-such.msh, soft: {}}]\n");
    writeText("pathless.yaml", "palpate: 1\ntrajectory: {kind: file, file: no-such.csv}\n"
                               "objects: [{shape: {kind: box}}]\n");
    writeText("nan.csv", "t,x,y,z\n0,0,0,0\n1,nan,0,0\n");
    writeText("bomb.yaml", "palpate: 1\na: &a [b, b]\nc: &c [*a, *a]\nd: [*c, *c]\n");
    writeText("backward.csv", "t,x,y,z\n0,0,0,0\n2,0,0,0\n1,0,0,0\n");
    writeText("short.csv", "t,x,y\n0,0,0\n");
    assert_int_equal(palpate("run scenes/touch.yaml --seconds 0.1 --out good --quiet"), 0);
    const char* const files[] = {"good/haptic.csv", "good/low.csv", "good/summary.json"};
    char* before[3];
    for (int i = 0; i < 3; i++)
        before[i] = readWhole(inFolder(files[i]));
    assert_int_equal(mkdir(inFolder("half"), 0777), 0);
    assert_int_equal(mkdir(inFolder("half/low.csv"), 0777), 0);
    assert_int_equal(mkdir(inFolder("sceneless"), 0777), 0);
    assert_int_equal(mkdir(inFolder("sceneless/scene.yaml"), 0777), 0);
    writeText("half/haptic.csv", "kept\n");

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
    {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "--out good %s", refusals[i][0]);
        expectRefusal(arguments, refusals[i][1]);
    }
    for (size_t i = 0; i < sizeof badOuts / sizeof badOuts[0]; i++)
        expectRefusal(badOuts[i][0], badOuts[i][1]);

    for (int i = 0; i < 3; i++)
    {
        char* after = readWhole(inFolder(files[i]));
        assert_string_equal(before[i], after);
        free(after);
        free(before[i]);
    }
    char* kept = readWhole(inFolder("half/haptic.csv"));
    assert_string_equal(kept, "kept\n");
    free(kept);
}

static void a_full_disk_is_told(void** state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        SKIP("there is no /dev/full");
    assert_int_equal(mkdir(inFolder("full"), 0777), 0);
    assert_int_equal(symlink("/dev/full", inFolder("full/haptic.csv")), 0);
    assert_int_equal(palpate("run scenes/touch.yaml --out full"), 2);
    assert_non_null(strstr(programErrors, "full: cannot write: No space left on device"));
    // What there was room for is kept.
    char* summary = readWhole(inFolder("full/summary.json"));
    assert_non_null(strstr(summary, "\"haptic_steps\": 2000"));
    free(summary);
}

static void a_press_that_meets_nothing_is_told(void** state)
{
    (void)state;
    const char* run = "run scenes/touch.yaml --out missed --set 'trajectory={kind: press, "
                      "direction: [0, -1, 0], hold: 0.1, target: %s}'";
    char arguments[256];
    snprintf(arguments, sizeof arguments, run, "[0.05, 0.04, 0]");
    assert_int_equal(palpate(arguments), 0);
    assert_non_null(strstr(programErrors, "the press never touched anything"));
    snprintf(arguments, sizeof arguments, run, "[0, 0.04, 0]");
    assert_int_equal(palpate(arguments), 0);
    assert_null(strstr(programErrors, "never touched"));
}

// A hand that comes down on the ball, recorded in a clock of its own, in mm, with z upwards.
static void a_recording_of_another_clock_and_frame_is_replayed(void** state)
{
    (void)state;
    writeText("clock.csv", "stamp,east,north,up\n1700000000,0,0,45\n1700000000.5,0,0,35\n"
                           "1700000002,0,0,35\n");
    const char* run = "run scenes/touch.yaml --out clock --json --set 'trajectory={kind: file, "
                      "file: clock.csv, columns: \"stamp,east,north,%s\", unit: mm, "
                      "rotation: [-90, 0, 0], interpolation: smooth}'";
    char arguments[400];
    snprintf(arguments, sizeof arguments, run, "up");
    assert_int_equal(palpate(arguments), 0);
    assert_non_null(strstr(programErrors, "begins at t = 1.7e+09 s"));
    // The coupling is a spring from the surface at 40 mm to the hand at 35 mm.
    double stiffness = jsonNumber(programOutput, "coupling_stiffness_N_m", NULL);
    ASSERT_NEAR(forceAtTheBottom(inFolder("clock/haptic.csv")), stiffness * 0.005,
                0.01 * stiffness * 0.005);
    snprintf(arguments, sizeof arguments, run, "down");
    assert_int_equal(palpate(arguments), 2);
    assert_non_null(strstr(programErrors, "clock.csv:1:1: no column 'down'"));
}

static void a_scene_may_be_called_anything_and_is_plotted(void** state)
{
    (void)state;
    // The end of a line would end gnuplot's title, and begin a command.
    writeText("odd.yaml", "palpate: 1\nname: \"it's\\n!touch planted\"\nobjects: []\n"
                          "trajectory: {kind: line}\n");
    assert_int_equal(palpate("run odd.yaml --seconds 0.05 --out odd --plot --quiet"), 0);
    assert_int_equal(access(inFolder("odd/planted"), F_OK), -1);
    assert_int_equal(access(inFolder("odd/force.svg"), F_OK), 0);
}

static void another_driver_is_run_without_the_settings_of_the_files(void** state)
{
    (void)state;
    const char* const devices[] = {"replay", "simulated", "simulated:touch", "browser:0.02"};
    for (int i = 0; i < 4; i++)
    {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "run scenes/wall-simulated.yaml --device %s --out other --seconds 0.05 --json",
                 devices[i]);
        assert_int_equal(palpate(arguments), 0);
        char device[64];
        snprintf(device, sizeof device, "\"device\": \"%.*s\"", (int)strcspn(devices[i], ":"),
                 devices[i]);
        assert_non_null(strstr(programOutput, device));
    }
}

static void sixty_four_changes_and_every_flag_fit_together(void** state)
{
    (void)state;
    char arguments[2048] = "run scenes/touch.yaml --out many --quiet --json --seconds 0.05";
    for (int i = 0; i < 64; i++)
        strcat(arguments, " --set seed=7");
    strcat(arguments, " --method penalty --device simulated:falcon");
    assert_int_equal(palpate(arguments), 0);
    assert_non_null(strstr(programOutput, "\"method\": \"penalty\""));
    assert_non_null(strstr(programOutput, "\"device\": \"simulated\""));
    assert_int_equal((int)jsonNumber(programOutput, "haptic_steps", NULL), 50);
    assert_int_equal((int)jsonNumber(programOutput, "seed", NULL), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lockstep_runs_are_identical_but_for_their_timings),
        cmocka_unit_test(a_recording_replays_bit_for_bit),
        cmocka_unit_test(the_scene_of_a_recording_repeats_it_from_any_directory),
        cmocka_unit_test(the_scene_of_a_recording_has_the_command_the_date_and_what_was_left_open),
        cmocka_unit_test(rows_are_the_steps_of_the_summary),
        cmocka_unit_test(an_interrupted_run_keeps_what_it_recorded),
        cmocka_unit_test(any_closed_mesh_at_any_scale_is_touched),
        cmocka_unit_test(a_mesh_that_cannot_be_touched_is_refused_clearly),
        cmocka_unit_test(bad_input_is_one_message_exit_2_and_spares_earlier_recordings),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_press_that_meets_nothing_is_told),
        cmocka_unit_test(a_recording_of_another_clock_and_frame_is_replayed),
        cmocka_unit_test(a_scene_may_be_called_anything_and_is_plotted),
        cmocka_unit_test(another_driver_is_run_without_the_settings_of_the_files),
        cmocka_unit_test(sixty_four_changes_and_every_flag_fit_together),
    };
    return RUN_WITHIN(tests, makeProgramFolder, removeProgramFolder);
}
