# cmake -DOUT=file.cpp -DASSETS="name|type|path;…" -DHEADER=room/assets.hpp -DNAMESPACE=outrider::room -P embed.cmake: files as
# constants of the program.
set(code "// Made by cmake/embed.cmake.\n#include \"${HEADER}\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n")
string(APPEND code "namespace ${NAMESPACE} {\nnamespace {\n\nconstexpr Asset kAssets[] = {\n")
string(REPLACE "," ";" ASSETS "${ASSETS}")
foreach(asset IN LISTS ASSETS)
  string(REPLACE "|" ";" parts "${asset}")
  list(GET parts 0 name)
  list(GET parts 1 type)
  string(REPLACE "@" ";" type "${type}")
  list(GET parts 2 path)
  file(READ "${path}" text)
  string(APPEND code "    {\"${name}\", \"${type}\",\n     R\"outrider_asset(${text})outrider_asset\"},\n")
endforeach()
string(APPEND code "};\n\n}  // namespace\n\nconst Asset* find_asset(std::string_view name) {\n"
  "  for (const Asset& asset : kAssets)\n    if (asset.name == name) return &asset;\n  return nullptr;\n}\n\n"
  "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${code}")
