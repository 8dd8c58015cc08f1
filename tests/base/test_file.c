// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64];

static int makeFolder(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/palpate-file-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int removeFolder(void** state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char* inFolder(const char* name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// As many bytes as it is told, each another than its neighbours.
static void writePattern(const void* data, FILE* file)
{
    for (size_t i = 0; i < *(const size_t*)data; i++)
        fputc((int)(i % 251), file);
}

static void what_was_written_is_read_whatever_its_length(void** state)
{
    (void)state;
    const size_t lengths[] = {0, 1, 65534, 65535, 65536, 200000};
    for (int k = 0; k < 6; k++)
    {
        palError error;
        char* data;
        size_t size;
        const char* path = inFolder("bytes");
        assert_int_equal(palWriteFile(path, writePattern, &lengths[k], &error), pal_ok);
        assert_int_equal(palReadFile(path, 200000, &data, &size, &error), pal_ok);
        assert_int_equal(size, lengths[k]);
        for (size_t i = 0; i < size; i++)
            assert_int_equal((unsigned char)data[i], i % 251);
        assert_int_equal(data[size], 0);
        free(data);
    }
}

static void a_file_that_never_ends_is_refused(void** state)
{
    (void)state;
    palError error;
    char* data;
    size_t size;
    assert_int_equal(palReadFile("/dev/zero", 3 << 20, &data, &size, &error), pal_errorInput);
    assert_null(data);
    assert_string_equal(error.text, "file is larger than the limit of 3 MB");
    assert_string_equal(error.file, "/dev/zero");
}

static void what_cannot_be_read_is_told_with_path_and_reason(void** state)
{
    (void)state;
    palError error;
    char* data;
    size_t size;
    assert_int_equal(palReadFile(inFolder("none"), 10, &data, &size, &error), pal_errorFile);
    assert_non_null(strstr(error.text, strerror(ENOENT)));
    assert_int_equal(palReadFile(folder, 10, &data, &size, &error), pal_errorFile);
    assert_non_null(strstr(error.text, strerror(EISDIR)));
    assert_string_equal(error.file, folder);
    assert_true(error.remedy[0] != '\0');
}

static void a_write_that_fails_leaves_the_old_file_and_nothing_else(void** state)
{
    (void)state;
    palError error;
    char* data;
    size_t size;
    const size_t few = 100, many = 1 << 20;
    assert_int_equal(palWriteFile(inFolder("kept"), writePattern, &few, &error), pal_ok);

    // A disk with room for 64 kB.
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 65536;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    palResult result = palWriteFile(inFolder("kept"), writePattern, &many, &error);
    setrlimit(RLIMIT_FSIZE, &before);

    assert_int_equal(result, pal_errorFile);
    assert_int_equal(access(inFolder("kept.part"), F_OK), -1);
    assert_int_equal(palReadFile(inFolder("kept"), many, &data, &size, &error), pal_ok);
    assert_int_equal(size, few);
    free(data);
}

static void a_device_is_written_to_and_not_replaced(void** state)
{
    (void)state;
    palError error;
    const size_t few = 100;
    assert_int_equal(palWriteFile("/dev/null", writePattern, &few, &error), pal_ok);
    assert_int_equal(palWriteFile("/dev/full", writePattern, &few, &error), pal_errorFile);
    assert_non_null(strstr(error.text, strerror(ENOSPC)));
    assert_int_equal(access("/dev/full", W_OK), 0);
}

static void directories_are_made_with_those_above_them(void** state)
{
    (void)state;
    assert_true(palMakeDirectories(inFolder("a/b/c")));
    assert_int_equal(access(inFolder("a/b/c"), X_OK), 0);
    assert_true(palMakeDirectories(inFolder("a/b/c/")));
    assert_false(palMakeDirectories("/proc/none/below"));
}

static void a_path_that_is_too_long_is_refused_and_not_cut(void** state)
{
    (void)state;
    static char path[8000];
    palError error;
    const size_t few = 100;
    memset(path, 'x', sizeof path - 1);
    assert_false(palMakeDirectories(path));
    assert_int_equal(errno, ENAMETOOLONG);
    assert_int_equal(palWriteFile(path, writePattern, &few, &error), pal_errorFile);
    assert_non_null(strstr(error.text, strerror(ENAMETOOLONG)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_whatever_its_length),
        cmocka_unit_test(a_file_that_never_ends_is_refused),
        cmocka_unit_test(what_cannot_be_read_is_told_with_path_and_reason),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_device_is_written_to_and_not_replaced),
        cmocka_unit_test(directories_are_made_with_those_above_them),
        cmocka_unit_test(a_path_that_is_too_long_is_refused_and_not_cut),
    };
    return RUN_WITHIN(tests, makeFolder, removeFolder);
}
