// SPDX-License-Identifier: Apache-2.0
#include "comma_locale.h"

#include "device/trajectory_csv.h"

#include <unistd.h>

static palTrajectorySamples parseColumns(const char* text, const char* columns)
{
    palTrajectorySamples samples;
    palError error = {0};
    if (palTrajectorySamples_Parse(text, strlen(text), columns, "hand.csv", &samples, &error) !=
        pal_ok)
        fail_msg("line %d: %s", error.line, error.text);
    return samples;
}

static palTrajectorySamples parse(const char* text)
{
    return parseColumns(text, "");
}

// The place, a word of the text, and that there is a remedy.
static void expectErrorOf(const char* text, const char* columns, int line, int column,
                          const char* word)
{
    palTrajectorySamples samples;
    palError error = {0};
    palResult result =
        palTrajectorySamples_Parse(text, strlen(text), columns, "hand.csv", &samples, &error);
    assert_int_equal(result, pal_errorInput);
    assert_int_equal(error.code, pal_errorInput);
    assert_string_equal(error.file, "hand.csv");
    if (error.line != line || error.column != column || strstr(error.text, word) == NULL)
        fail_msg("%d:%d: %s; expected %d:%d and '%s'", error.line, error.column, error.text, line,
                 column, word);
    assert_true(error.remedy[0] != '\0');
    assert_null(samples.t);
}

static void expectError(const char* text, int line, int column, const char* word)
{
    expectErrorOf(text, "", line, column, word);
}

static void expectRow(const palTrajectorySamples* samples, size_t row, double t, double x, double y,
                      double z)
{
    assert_true(row < samples->count);
    ASSERT_NEAR(samples->t[row], t, 0.0);
    ASSERT_NEAR(samples->x[row].x, x, 0.0);
    ASSERT_NEAR(samples->x[row].y, y, 0.0);
    ASSERT_NEAR(samples->x[row].z, z, 0.0);
}

static void columns_may_stand_in_any_order_among_others(void** state)
{
    (void)state;
    palTrajectorySamples samples =
        parse("z, note, t,joint_1,\"x\",y\n3,hello,0,,1,2\n-3e-1,,0.5,nan,1.5,2.5");
    assert_int_equal(samples.count, 2);
    assert_null(samples.q);
    expectRow(&samples, 0, 0, 1, 2, 3);
    expectRow(&samples, 1, 0.5, 1.5, 2.5, -0.3);
    palTrajectorySamples_Free(&samples);
}

static void columns_may_have_names_of_the_callers(void** state)
{
    (void)state;
    const char* text = "x,time,px,py,pz,a,b,c,d\n9,0,1,2,3,0,0,0,2\n9,0.5,4,5,6,1,0,0,0\n";
    palTrajectorySamples samples = parseColumns(text, "time,px,py,pz");
    assert_null(samples.q);
    expectRow(&samples, 1, 0.5, 4, 5, 6);
    palTrajectorySamples_Free(&samples);
    samples = parseColumns(text, " time, x ,py,pz,d,a,b,c");
    expectRow(&samples, 1, 0.5, 9, 5, 6);
    assert_true(samples.q[0].w == 1.0 && samples.q[1].x == 1.0);
    palTrajectorySamples_Free(&samples);
    expectErrorOf(text, "time,px,py,height", 1, 1, "no column 'height'");
    expectErrorOf(text, "time,px,py", 1, 1, "named for z");
    expectErrorOf(text, "time,px,py,pz,a,b,c", 1, 1, "named for qz");
}

static void windows_line_ends_blank_lines_and_byte_order_marks_are_accepted(void** state)
{
    (void)state;
    palTrajectorySamples samples = parse("\xEF\xBB\xBFt,x,y,z\r\n0,1,2,3\r\n\r\n1,4,5,6\r\n  \r\n");
    assert_int_equal(samples.count, 2);
    expectRow(&samples, 1, 1, 4, 5, 6);
    palTrajectorySamples_Free(&samples);
}

static void a_haptic_recording_gives_the_device_positions(void** state)
{
    (void)state;
    palTrajectorySamples samples =
        parse("t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z\n"
              "0,1,2,3,9,9,9,0,0,0\n0.001,1.5,2.5,3.5,9,9,9,0,0,0\n");
    expectRow(&samples, 0, 0, 1, 2, 3);
    expectRow(&samples, 1, 0.001, 1.5, 2.5, 3.5);
    palTrajectorySamples_Free(&samples);
    // Plain names win.
    samples = parse("t,dev_x,dev_y,dev_z,x,y,z\n0,1,2,3,4,5,6\n");
    expectRow(&samples, 0, 0, 4, 5, 6);
    palTrajectorySamples_Free(&samples);
}

static void orientations_are_normalized(void** state)
{
    (void)state;
    palTrajectorySamples samples = parse("t,x,y,z,qw,qx,qy,qz\n0,0,0,0,3,0,4,0\n");
    ASSERT_NEAR(samples.q[0].w, 0.6, 1e-16);
    ASSERT_NEAR(samples.q[0].y, 0.8, 1e-16);
    palTrajectorySamples_Free(&samples);
}

static void many_rows_are_all_kept(void** state)
{
    (void)state;
    enum
    {
        rows = 20000
    };
    char* text = malloc(rows * 32);
    int length = snprintf(text, 32, "t,x,y,z\n");
    for (int i = 0; i < rows; i++)
        length += snprintf(text + length, 32, "%d,%d,0,0\n", i, 2 * i);
    palTrajectorySamples samples = parse(text);
    assert_int_equal(samples.count, rows);
    for (int i = 0; i < rows; i++)
        expectRow(&samples, (size_t)i, i, 2 * i, 0, 0);
    palTrajectorySamples_Free(&samples);
    free(text);
}

static void wrong_headers_are_told(void** state)
{
    (void)state;
    expectError("", 1, 1, "empty");
    expectError("\n \n", 1, 1, "empty");
    expectError("t,x,y\n0,0,0\n", 1, 1, "no column 'z'");
    expectError("x,y,z\n0,0,0\n", 1, 1, "no column 't'");
    expectError("0,0.1,0.2,0.3\n", 1, 1, "no column 't'");
    expectError("t;x;y;z\n", 1, 1, "no column 't'");
    expectError("t,dev_x,dev_y\n0,0,0\n", 1, 1, "no column 'x'");
    expectError("t,x,y,z,x\n0,0,0,0,0\n", 1, 9, "'x' is there twice");
    expectError("t,x,y,z,qw,qx,qz\n0,0,0,0,1,0,0\n", 1, 1, "no column 'qy'");
    expectError("\nt,x,y,z\n\n", 3, 1, "no row");
}

static void wrong_rows_are_told_with_line_and_column(void** state)
{
    (void)state;
    expectError("t,x,y,z\n0,0,0,0\n1,2,3\n", 3, 6, "ends after 3");
    expectError("t,x,y,z\n0,0,0,0,5\n", 2, 9, "more cells");
    expectError("t,x,y,z\n0,0,zero,0\n", 2, 5, "'zero' is not a number");
    expectError("t,x,y,z\n0,0,,0\n", 2, 5, "not a number");
    expectError("t,x,y,z\n0,0,1.5m,0\n", 2, 5, "not a number");
    expectError("t,x,y,z\n0,0x10,0,0\n", 2, 3, "not a number");
    expectError("t,x,y,z\n0,0,0, NaN\n", 2, 8, "not finite");
    expectError("t,x,y,z\n0,-inf,0,0\n", 2, 3, "not finite");
    expectError("t,x,y,z\n0,1e999,0,0\n", 2, 3, "not finite");
    expectError("t,x,y,z\n0,1e20,0,0\n", 2, 3, "out of range");
    expectError("x,t,y,z\n0,0,0,0\n0,1,0,0\n0,1,0,0\n", 4, 3, "twice");
    expectError("t,x,y,z\n2,0,0,0\n1,0,0,0\n", 3, 1, "before");
    expectError("t,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n", 2, 1, "no orientation");
}

// From a row to the next, and not before the first.
static void buttons_are_down_from_row_to_row(void** state)
{
    (void)state;
    static const double times[] = {-0.1, 0.0, 0.5, 1.0, 1.9, 2.0, 5.0};
    static const uint32_t down[] = {0, 1, 1, 4294967295u, 4294967295u, 2, 2};
    const char* text = "t,x,y,z,buttons\n0,0,0,0,1\n1,0,0,0,4294967295\n2,0,0,0,2\n";
    palTrajectorySamples samples = parse(text);
    for (int i = 0; i < 7; i++)
        assert_int_equal(palTrajectorySamples_Buttons(&samples, times[i]), down[i]);
    palTrajectorySamples_Free(&samples);
    samples = parse("t,x,y,z\n0,0,0,0\n");
    assert_int_equal(palTrajectorySamples_Buttons(&samples, 0.5), 0);
    palTrajectorySamples_Free(&samples);
    samples = parseColumns("t,x,y,z,a,b,c,d,keys\n0,0,0,0,1,0,0,0,6\n", "t,x,y,z,a,b,c,d,keys");
    assert_int_equal(palTrajectorySamples_Buttons(&samples, 0.5), 6);
    palTrajectorySamples_Free(&samples);
    expectError("t,x,y,z,buttons\n0,0,0,0,-1\n", 2, 9, "buttons");
    expectError("t,x,y,z,buttons\n0,0,0,0,0.5\n", 2, 9, "buttons");
    expectError("t,x,y,z,buttons\n0,0,0,0,4294967296\n", 2, 9, "buttons");
    expectErrorOf("t,x,y,z,a,b,c,d\n", "t,x,y,z,a,b,c,d,keys", 1, 1, "keys");
}

static void bytes_that_are_no_text_are_refused(void** state)
{
    (void)state;
    const char bytes[] = "t,x,y,z\n0,0,\0,0\n";
    palTrajectorySamples samples;
    palError error;
    assert_int_equal(
        palTrajectorySamples_Parse(bytes, sizeof bytes - 1, "", "hand.csv", &samples, &error),
        pal_errorInput);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 5);
}

static void an_error_may_be_null(void** state)
{
    (void)state;
    palTrajectorySamples samples;
    assert_int_equal(palTrajectorySamples_Parse("t", 1, "", "hand.csv", &samples, NULL),
                     pal_errorInput);
}

static void numbers_do_not_depend_on_the_locale(void** state)
{
    (void)state;
    if (!enterCommaLocale())
        SKIP(NO_COMMA_LOCALE);
    palTrajectorySamples samples = parse("t,x,y,z\n0.25,1.5,0,0\n");
    leaveCommaLocale();
    expectRow(&samples, 0, 0.25, 1.5, 0, 0);
    palTrajectorySamples_Free(&samples);
}

static void files_are_read_and_missing_ones_told(void** state)
{
    (void)state;
    char path[] = "/tmp/palpate-trajectory-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    const char text[] = "t,x,y,z\n0,1,2,3\n";
    assert_int_equal(write(descriptor, text, sizeof text - 1), sizeof text - 1);
    close(descriptor);
    palTrajectorySamples samples;
    palError error;
    assert_int_equal(palTrajectorySamples_Load(path, "", &samples, &error), pal_ok);
    expectRow(&samples, 0, 0, 1, 2, 3);
    palTrajectorySamples_Free(&samples);
    unlink(path);
    assert_int_equal(palTrajectorySamples_Load(path, "", &samples, &error), pal_errorFile);
    assert_string_equal(error.file, path);
    assert_int_equal(palTrajectorySamples_Load("/", "", &samples, &error), pal_errorFile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_may_stand_in_any_order_among_others),
        cmocka_unit_test(columns_may_have_names_of_the_callers),
        cmocka_unit_test(windows_line_ends_blank_lines_and_byte_order_marks_are_accepted),
        cmocka_unit_test(a_haptic_recording_gives_the_device_positions),
        cmocka_unit_test(orientations_are_normalized),
        cmocka_unit_test(many_rows_are_all_kept),
        cmocka_unit_test(wrong_headers_are_told),
        cmocka_unit_test(wrong_rows_are_told_with_line_and_column),
        cmocka_unit_test(buttons_are_down_from_row_to_row),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(an_error_may_be_null),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(files_are_read_and_missing_ones_told),
    };
    return RUN(tests);
}
