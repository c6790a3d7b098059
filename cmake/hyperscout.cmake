# Link previews: the script that goes into pages, the card and the marks. TypeScript → scripts (esbuild), into the program.
set(app ${CMAKE_SOURCE_DIR}/plugins/hyperscout/app)
file(GLOB scout_sources CONFIGURE_DEPENDS ${app}/*.ts ${app}/*.css ${app}/*.html)
set(scout_out ${CMAKE_BINARY_DIR}/hyperscout)
add_custom_command(OUTPUT ${scout_out}/scout.js ${scout_out}/card.js ${scout_out}/marks.js ${scout_out}/card.css
  COMMAND ${ESBUILD} ${app}/scout.ts ${app}/card.ts ${app}/marks.ts --bundle --minify --format=iife --target=es2022 --charset=utf8
    --log-level=warning --outdir=${scout_out}
  COMMAND ${ESBUILD} ${app}/card.css --minify --charset=utf8 --log-level=warning --outfile=${scout_out}/card.css
  DEPENDS ${scout_sources} VERBATIM)
set(assets
  "scout.js|text/javascript@ charset=utf-8|${scout_out}/scout.js"
  "card.html|text/html@ charset=utf-8|${app}/card.html"
  "card.js|text/javascript@ charset=utf-8|${scout_out}/card.js"
  "card.css|text/css@ charset=utf-8|${scout_out}/card.css"
  "switches.css|text/css@ charset=utf-8|${app}/switches.css"
  "marks.html|text/html@ charset=utf-8|${app}/marks.html"
  "marks.js|text/javascript@ charset=utf-8|${scout_out}/marks.js"
  "marks.css|text/css@ charset=utf-8|${app}/marks.css")
string(REPLACE ";" "," asset_list "${assets}")
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/hyperscout_assets.cpp
  COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/hyperscout_assets.cpp "-DASSETS=${asset_list}"
    -DHEADER=plugins/hyperscout/assets.hpp -DNAMESPACE=outrider::hyperscout -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${scout_out}/scout.js ${scout_sources} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
target_sources(outrider_plugins_hyperscout PRIVATE ${CMAKE_BINARY_DIR}/hyperscout_assets.cpp)
target_compile_definitions(outrider_plugins_hyperscout PRIVATE OUTRIDER_BUILT_IN)
