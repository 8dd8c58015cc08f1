// SPDX-License-Identifier: Apache-2.0
#include <palpate/base.h>
#include <stdio.h>

int main(void)
{
    printf("palpate %s\n", palVersion());
    return 0;
}
