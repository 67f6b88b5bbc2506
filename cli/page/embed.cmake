# embed.cmake: cmake -DIN=page.html -DOUT=FILE.c -P embed.cmake writes page.html, with the files that it names as @NAME@
# put into it, as an array of bytes.
get_filename_component(folder ${IN} DIRECTORY)
file(READ ${IN} text)
string(REGEX MATCHALL "@[a-z]+[.][a-z]+@" names "${text}")
foreach(name IN LISTS names)
  string(REPLACE "@" "" file "${name}")
  file(READ ${folder}/${file} part)
  string(REPLACE "${name}" "${part}" text "${text}")
endforeach()
file(WRITE ${OUT}.html "${text}")
file(READ ${OUT}.html bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "/* Made from cli/page/ by cli/page/embed.cmake. */
#include \"cli/page/page.h\"
const unsigned char cli_page_template[] = {
${bytes}0};
")
