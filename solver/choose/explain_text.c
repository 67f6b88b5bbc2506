/* explain_text.c: appends sentences to an explanation. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "solver/choose/explain.h"

void gs_add_sentence(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, GS_SENTENCES - used, format, arguments);
    va_end(arguments);
}
