/* each_columns.h: includes GS_COLUMNS_BODY once for each number of columns that a kernel processes
 * at once. COLUMNS is the number. */
#define COLUMNS 8
#include GS_COLUMNS_BODY
#undef COLUMNS
#define COLUMNS 4
#include GS_COLUMNS_BODY
#undef COLUMNS
#define COLUMNS 2
#include GS_COLUMNS_BODY
#undef COLUMNS
#define COLUMNS 1
#include GS_COLUMNS_BODY
#undef COLUMNS
